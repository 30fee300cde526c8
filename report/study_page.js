/* A page of a study: verdicts, published beside measured, figures, tables. */

const STUDY = DATA.study;
const CHECKS = list(STUDY.checks),
  VERDICTS = ['pass', 'miss', 'shown', 'unmeasured'];

/* What the names of all series end with, after a comma, is said once. */
function sharedEnding(series) {
  const endings = series.map(s => (/, .*$/.exec(s.name || '') || [''])[0]);
  return series.length > 1 && endings.every(e => e === endings[0]) ? endings[0] : '';
}
const FIGURE_LIST = list(STUDY.figures).map(f => {
  const series = list(f.series).filter(s => s && typeof s === 'object'),
    ending = sharedEnding(series);
  const named = s => Object.assign({}, s, {name: s.name.slice(0, s.name.length - ending.length)});
  return Object.assign({}, f, {series: ending ? series.map(named) : series, ending: ending.slice(2)});
});

/* Checks of a figure have its name in front: fig3.1 is not fig3.10. */
function isOf(check, figure) {
  const id = String(check.id || ''),
    start = String(figure.id || '');
  return start !== '' && id.startsWith(start) && !/^[\w.]/.test(id.slice(start.length));
}
function countOf(verdict) {
  return CHECKS.filter(c => c.verdict === verdict).length;
}
function badge(verdict, text) {
  return el(
    'span',
    {class: `tag ${VERDICTS.includes(verdict) ? verdict : 'unmeasured'}`},
    text || verdict || 'unmeasured',
  );
}
/* How wide the numbers of a check go, published and band included. */
function reach(c) {
  const all = [c.low, c.high, c.published, c.measured].filter(isNumber);
  if (!all.length) return null;
  const low = Math.min(...all),
    high = Math.max(...all),
    spare = (high - low || Math.abs(high) || 1) * 0.12;
  return [low - spare, high + spare];
}
function svg(tag, attributes) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  return e;
}
/* What was to be met (band), published (hollow) and measured (filled), on the check's own scale. */
function strip(c) {
  const range = reach(c),
    width = 150;
  if (!range || !isNumber(c.measured)) return '';
  const at = v => 5 + ((v - range[0]) / (range[1] - range[0])) * (width - 10);
  const box = svg('svg', {
    width,
    height: 20,
    class: `strip ${c.verdict}`,
    role: 'img',
    'aria-label': 'published and measured',
  });
  box.append(svg('line', {x1: 2, x2: width - 2, y1: 10, y2: 10, class: 'axis'}));
  if (isNumber(c.low) || isNumber(c.high)) {
    const from = isNumber(c.low) ? at(c.low) : 2,
      to = isNumber(c.high) ? at(c.high) : width - 2;
    box.append(svg('rect', {x: from, y: 5, width: Math.max(2, to - from), height: 10, rx: 2, class: 'band'}));
  }
  if (isNumber(c.published))
    box.append(svg('circle', {cx: at(c.published), cy: 10, r: 4.5, class: 'published'}));
  box.append(svg('circle', {cx: at(c.measured), cy: 10, r: 4.5, class: 'measured'}));
  return box;
}
function expected(c) {
  if (isNumber(c.low) && isNumber(c.high)) return `${tick(c.low)} to ${tick(c.high)}`;
  if (isNumber(c.low)) return `≥ ${tick(c.low)}`;
  return isNumber(c.high) ? `≤ ${tick(c.high)}` : '';
}

/* All checks with two numbers, as measured by published: what is on the line agrees. */
function agreementChart() {
  const rows = CHECKS.filter(
    c => isNumber(c.published) && isNumber(c.measured) && c.published > 0 && c.measured > 0,
  );
  if (rows.length < 2) return null;
  const names = rows.map(c => `${c.part ? c.part + ': ' : ''}${c.what || c.id || ''}`);
  const ratio = c => c.measured / c.published;
  const far = Math.max(1.2, ...rows.map(c => Math.max(ratio(c), 1 / ratio(c)))) * 1.05;
  return width => {
    const left = Math.min(width * 0.42, Math.max(...names.map(n => n.length)) * 6.6 + 16);
    return {
      height: rows.length * 24 + 60,
      label: 'measured by published for each check',
      option: {
        grid: {left, right: 60, top: 8, bottom: 44},
        xAxis: {
          type: 'log',
          min: 1 / far,
          max: far,
          logBase: 2,
          name: 'measured / published',
          nameLocation: 'middle',
          nameGap: 26,
          axisLabel: {formatter: v => tick(Number(v.toPrecision(2))) + '×'},
        },
        yAxis: {
          type: 'category',
          inverse: true,
          data: names,
          axisLabel: {width: left - 12, overflow: 'truncate', interval: 0},
          splitLine: {show: true},
        },
        tooltip: {
          formatter: p => {
            const c = rows[p.dataIndex];
            return `<b>${escaped(names[p.dataIndex])}</b><br>measured <b>${escaped(valueText(c.measured, c.unit))}</b>, published ${escaped(valueText(c.published, c.unit))}`;
          },
        },
        series: [
          {
            type: 'scatter',
            symbolSize: 11,
            data: rows.map((c, i) => ({
              value: [ratio(c), i],
              itemStyle: {color: {pass: css('--pass'), miss: css('--miss')}[c.verdict] || css('--dim')},
            })),
            label: {
              show: true,
              position: 'right',
              fontSize: 11,
              color: css('--dim'),
              formatter: p => p.value[0].toFixed(2),
            },
            markLine: {
              silent: true,
              symbol: 'none',
              label: {show: false},
              lineStyle: {color: css('--ink'), type: 'solid', width: 1},
              data: [{xAxis: 1}],
            },
          },
        ],
      },
    };
  };
}

function checkTable() {
  const n = (title, key) => ({
    title,
    kind: 'number',
    value: c => (isNumber(c[key]) ? c[key] : null),
    text: c => valueText(c[key], c.unit),
  });
  const columns = [
    {title: 'verdict', kind: 'name', value: c => VERDICTS.indexOf(c.verdict), text: c => badge(c.verdict)},
    CHECKS.some(c => c.part) && {title: 'part', kind: 'name', value: c => c.part || ''},
    {
      title: 'what',
      kind: 'wide',
      value: c => c.what || c.id || '',
      text: c =>
        el(
          'div',
          {},
          el('div', {}, c.what || c.id || ''),
          c.note ? el('div', {class: 'note'}, c.note) : null,
          // notes of other checks name this one by its id
          el('div', {class: 'source'}, [c.id, c.source].filter(Boolean).join(' · ')),
        ),
    },
    n('published', 'published'),
    n('measured', 'measured'),
    {title: 'must be', kind: 'name', value: c => c.low ?? c.high ?? null, text: expected},
    {
      title: 'on its scale',
      value: c => (isNumber(c.published) && isNumber(c.measured) ? c.measured / c.published : null),
      text: strip,
    },
    {title: 'kind', value: c => c.kind || ''},
  ].filter(Boolean);
  const table = sortableTable('check-table', columns, CHECKS),
    state = {words: '', verdict: ''};
  const apply = () => {
    const words = wordTest(state.words, c => [c.id, c.part, c.what, c.note, c.source, c.kind].join(' '));
    table.filter(c => words(c) && (!state.verdict || (c.verdict || 'unmeasured') === state.verdict));
  };
  const choices = [
    ['', `all ${CHECKS.length}`],
    ...VERDICTS.filter(countOf).map(v => [v, `${v} ${countOf(v)}`]),
  ];
  return [
    el(
      'div',
      {class: 'controls'},
      switcher(choices, v => {
        state.verdict = v;
        apply();
      }),
      searchBox('filter checks', t => {
        state.words = t;
        apply();
      }),
      table.count,
    ),
    table.element,
  ];
}
function checks() {
  if (!CHECKS.length) return;
  const s = section(
    'checks',
    'Checks',
    'Published and measured',
    'Band: what must be met; hollow: published; filled: measured.',
  );
  s.append(...checkTable());
  block(
    s,
    'Agreement',
    'agreement',
    agreementChart(),
    'Every check with two numbers: on the line they are the same.',
  );
}
function figureWords(f) {
  const words = [
    f.ending && !String(f.title).includes(f.ending) ? `All: ${f.ending}.` : '',
    hasPublished(f) ? publishedWords(f) : '',
  ].join(' ');
  return words.trim() ? el('p', {class: 'about'}, words) : null;
}
function figures() {
  const drawn = FIGURE_LIST.filter(figureChart);
  if (!drawn.length) return;
  const s = section('figures', 'Figures', 'Figures', null);
  drawn.forEach((f, i) => {
    const own = CHECKS.filter(c => isOf(c, f));
    const box = el(
      'div',
      {class: 'keep figure'},
      el(
        'div',
        {class: 'head'},
        el('h3', {}, f.title || f.id || ''),
        el('span', {}, own.map(c => badge(c.verdict, `${c.what || c.id}`)).slice(0, 6)),
      ),
      figureWords(f),
    );
    s.append(box);
    addChart(box, 'figure-' + String(f.id || i).replace(/\W/g, '-'), figureChart(f));
  });
}
/* A column "x, published" stands in small type in the cells of "x"; columns and rows without a number are left out. */
function tableColumns(t, rows) {
  const titles = t.columns.map(String),
    filled = k => rows.some(r => r[k] !== null && r[k] !== undefined);
  return titles.flatMap((title, k) => {
    const base = title.replace(/, published$/, '');
    if (base !== title && titles.includes(base)) return [];
    const beside = titles.indexOf(title + ', published');
    if (!filled(k) && !(beside >= 0 && filled(beside))) return [];
    const numeric = rows.some(r => isNumber(r[k]));
    const text = r =>
      isNumber(r[k])
        ? el('span', {title: String(r[k])}, rounded(r[k]))
        : numeric || !k
          ? placeName(r[k] ?? '–')
          : String(r[k] ?? '–');
    return [
      {
        title,
        kind: numeric ? 'number' : k ? '' : 'name',
        value: r => r[k] ?? null,
        text: r =>
          beside >= 0 && isNumber(r[beside])
            ? el('span', {}, text(r), el('small', {title: `published: ${r[beside]}`}, ` (${rounded(r[beside])})`))
            : text(r),
      },
    ];
  });
}
function tables() {
  const shown = list(STUDY.tables).filter(t => list(t.columns).length);
  if (!shown.length) return;
  const s = section(
    'tables',
    'Tables',
    'Tables',
    'In brackets: published. Numbers are rounded to four digits; point at one to see all of them.',
  );
  shown.forEach((t, i) => {
    const rows = list(t.rows)
      .map(list)
      .filter(r => r.length < 2 || r.slice(1).some(v => v !== null && v !== undefined));
    s.append(
      el(
        'div',
        {class: 'keep fit'},
        el('h3', {}, t.title || ''),
        sortableTable(`study-table-${i}`, tableColumns(t, rows), rows).element,
      ),
    );
  });
}

header();
summary();
checks();
figures();
tables();
footer(
  [
    `Study ${STUDY.name || ''}`,
    STUDY.variant && `variant ${STUDY.variant}`,
    STUDY.version && `heddle ${STUDY.version}`,
    STUDY.date,
    DATA.file,
  ]
    .filter(Boolean)
    .join(', '),
);
