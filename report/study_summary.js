/* The head of a study's page: what was judged, the means against what was published, why checks miss. */

const MOST_MEANS = 18, /* of one unit */
  MOST_CAUSES = 6;

function isJudged(c) {
  return c.verdict === 'pass' || c.verdict === 'miss';
}
/* Judged checks with two numbers and a band: means, where there are enough of them. */
function meanRows() {
  const both = CHECKS.filter(
    c => isJudged(c) && isNumber(c.published) && isNumber(c.measured) && (isNumber(c.low) || isNumber(c.high)),
  );
  const means = both.filter(c => /^[hg]?mean\(/.test(c.formula || ''));
  return means.length > 2 ? means : both;
}
/* [unit, checks], the unit with most of them first. */
function meansByUnit() {
  const units = new Map();
  for (const c of meanRows()) units.set(c.unit || '', [...(units.get(c.unit || '') || []), c]);
  return [...units.entries()].sort((a, b) => b[1].length - a[1].length);
}
const UNIT_TITLES = {x: 'Ratios', '%': 'Percentages', '': 'Without unit'};

/* One row per check on one scale: band, published (hollow), measured (filled). */
function meansChart(checks, unit) {
  const names = checks.map(c => c.what || c.id || ''),
    values = checks.flatMap(c => [c.published, c.measured, c.low, c.high]).filter(isNumber),
    low = Math.min(...values),
    high = Math.max(...values),
    isLog = low > 0 && high / low > 30,
    spare = (high - low) * 0.04 || 1;
  const from = isLog ? low / 1.3 : low - spare,
    to = isLog ? high * 1.3 : high + spare;
  return width => {
    const left = Math.min(width * 0.5, Math.max(...names.map(n => n.length)) * 6.2 + 16);
    const band = (_, api) => {
      const [x0, y] = api.coord([api.value(0), api.value(2)]),
        [x1] = api.coord([api.value(1), api.value(2)]);
      return {
        type: 'rect',
        shape: {x: x0, y: y - 6, width: Math.max(2, x1 - x0), height: 12, r: 2},
        style: {fill: css('--accent'), opacity: 0.16},
      };
    };
    const dots = (name, key, style) => ({
      type: 'scatter',
      name,
      symbolSize: 9,
      data: checks.map((c, i) => ({value: [c[key], i], itemStyle: style(c)})),
    });
    return {
      height: checks.length * 22 + 52,
      label: 'means, measured and published',
      rows: [
        ['check', 'what', 'unit', 'published', 'measured', 'low', 'high', 'verdict'],
        ...checks.map(c => [c.id, c.what, c.unit, c.published, c.measured, c.low, c.high, c.verdict]),
      ],
      option: {
        grid: {left, right: 16, top: 6, bottom: 30},
        xAxis: {
          type: isLog ? 'log' : 'value',
          min: from,
          max: to,
          axisLabel: {
            showMinLabel: false,
            showMaxLabel: false,
            formatter: v => tick(Number(v.toPrecision(3))) + (unit === 'x' ? '×' : unit === '%' ? ' %' : ''),
          },
        },
        yAxis: {
          type: 'category',
          inverse: true,
          data: names,
          axisLabel: {width: left - 10, overflow: 'truncate', interval: 0},
        },
        tooltip: {
          formatter: p => {
            const c = checks[p.value[p.value.length - 1]];
            return `<b>${escaped(c.what || c.id)}</b><br>measured <b>${escaped(valueText(c.measured, unit))}</b>, published ${escaped(valueText(c.published, unit))}<br>must be ${escaped(expected(c))}`;
          },
        },
        series: [
          {
            type: 'custom',
            name: 'band',
            renderItem: band,
            encode: {x: [0, 1], y: 2},
            data: checks.map((c, i) => [isNumber(c.low) ? c.low : from, isNumber(c.high) ? c.high : to, i]),
          },
          dots('published', 'published', () => ({
            color: css('--bg'),
            borderColor: css('--ink'),
            borderWidth: 1.4,
          })),
          dots('measured', 'measured', c => ({color: c.verdict === 'pass' ? css('--pass') : css('--miss')})),
        ],
      },
    };
  };
}
function means(parent) {
  const groups = meansByUnit();
  if (!groups.length) return;
  parent.append(
    el('h3', {}, 'Measured and published'),
    el(
      'p',
      {class: 'about'},
      'Band: what a check must meet; hollow: published; filled: measured, green within the band. All checks are listed below.',
    ),
  );
  const pair = el('div', {class: 'pair'});
  parent.append(pair);
  for (const [unit, checks] of groups) {
    const shown = checks.slice(0, MOST_MEANS),
      left = checks.length - shown.length;
    block(
      pair,
      UNIT_TITLES[unit] || unit,
      `means-${unit === '%' ? 'percent' : unit || 'plain'}`,
      meansChart(shown, unit),
      left ? `The first ${shown.length} of ${checks.length}.` : null,
    );
  }
}

/* The check whose note explains this one: notes say "as fig8.swl", "see fig8.swl" or "because of fig8.swl". */
function explainedBy(c, byId) {
  const named = /(?:^as|\bsee|\bbecause of) ([\w.+:-]*[\w+])/.exec(c.note || '');
  return named && named[1] !== c.id ? byId.get(named[1]) : undefined;
}
/* [{cause, misses}]: a check with a note of its own, and all misses it explains; the widest cause first. */
function missCauses() {
  const byId = new Map(CHECKS.map(c => [c.id, c])),
    groups = new Map();
  for (const c of CHECKS.filter(m => m.verdict === 'miss' && m.note)) {
    let root = c;
    for (let next, steps = 0; (next = explainedBy(root, byId)) && next.note && steps < 8; steps++) root = next;
    groups.set(root, [...(groups.get(root) || []), c]);
  }
  return [...groups].map(([cause, misses]) => ({cause, misses})).sort((a, b) => b.misses.length - a.misses.length);
}
/* Whole sentences up to about this many letters. */
function firstSentences(text, most = 260) {
  let end = 0;
  for (const m of text.matchAll(/[.!?](?=\s+[A-Z]|$)/g)) {
    if (end && m.index + 1 > most) break;
    end = m.index + 1;
  }
  const cut = end ? text.slice(0, end) : text;
  return cut.length > 2 * most ? cut.slice(0, 2 * most).replace(/\s+\S*$/, '') + ' …' : cut;
}
function causes(parent) {
  const all = missCauses(),
    shown = all.slice(0, MOST_CAUSES),
    bare = CHECKS.filter(c => c.verdict === 'miss' && !c.note).length;
  if (!shown.length) return;
  const checksOf = n => (n === 1 ? '1 check' : `${n} checks`);
  parent.append(
    el('h3', {}, 'Why checks miss'),
    el('p', {class: 'about'}, 'From the checks’ notes; the cause that explains most misses comes first.'),
    el(
      'ol',
      {class: 'causes'},
      shown.map(({cause, misses}) =>
        el(
          'li',
          {title: misses.map(c => c.id).join(', ')},
          el('b', {}, checksOf(misses.length)),
          ` (${cause.what || cause.id}${misses.length > 1 ? ' and others' : ''}): ${firstSentences(cause.note)}`,
        ),
      ),
    ),
  );
  const rest = all.slice(MOST_CAUSES).reduce((n, g) => n + g.misses.length, 0);
  const words = [
    rest && `${checksOf(rest)} with other causes, in the table below`,
    bare && `${checksOf(bare)} without a note`,
  ].filter(Boolean);
  if (words.length) parent.append(el('p', {class: 'about'}, `Besides these: ${words.join('; ')}.`));
}

function summary() {
  const runs = STUDY.runs || {},
    s = STUDY.summary || {};
  const of = v => (isNumber(s[v]) ? s[v] : countOf(v));
  const judged = of('pass') + of('miss');
  const first = opening(document.title, 'Summary');
  if (STUDY.about) first.append(el('p', {class: 'lead'}, STUDY.about));
  if (STUDY.document) first.append(el('p', {class: 'about'}, `Published in: ${STUDY.document}`));
  const card = (verdict, note) => of(verdict) > 0 && [verdict, badge(verdict, String(of(verdict))), note];
  first.append(
    cards(
      [
        judged > 0 && [
          'passed',
          badge(of('miss') ? 'miss' : 'pass', `${of('pass')} of ${judged}`),
          `checks that were judged (${percent(of('pass') / judged, 0)})`,
        ],
        card('shown', 'checks that are shown, not judged: inputs were chosen by them, or they cannot fail'),
        card('unmeasured', 'checks without a measured number'),
        isNumber(runs.done) && [
          'runs',
          whole(runs.done + (runs.kept || 0)),
          [
            runs.kept > 0 && `${whole(runs.kept)} kept from an earlier judgement`,
            runs.failed > 0 && `${whole(runs.failed)} failed`,
            ...Object.entries(runs.scales || {}).map(([set, k]) => `chips of ${set} divided by ${k}`),
            ...list(runs.makers).map(m => `${whole(m.runs)} ${m.kept ? 'kept, ' : ''}made by commit ${m.commit}`),
            runs.done > 0 && isNumber(runs.seconds) && `${hostTime(runs.seconds)} of processor time`,
          ]
            .filter(Boolean)
            .join(', '),
        ],
      ].filter(Boolean),
    ),
  );
  if (STUDY.variant && STUDY.variant !== 'full')
    first.append(
      el(
        'p',
        {class: 'verdict'},
        el('b', {}, `Variant ${STUDY.variant}.`),
        ' Smaller than the full study: read its numbers as a check that everything works.',
      ),
    );
  means(first);
  causes(first);
}
