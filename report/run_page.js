/* A page of runs from top to bottom. A section without data is left out. */

const hasStacks = RUNS.some(r => r.machine && classesOf(r));
const isFabric = RUNS.every(r => isModel(r, 'fabric'));

function runChooser() {
  return RUNS.length < 2
    ? null
    : chooser(
        'show',
        RUNS.map((r, i) => [String(i), r.label]),
        i => {
          chosen = RUNS[Number(i)];
          onChoice.forEach(f => f());
        },
      );
}
/* Says whose numbers follow, where a section is of one run. */
function runName() {
  const p = el('p', {class: 'about', hidden: RUNS.length < 2});
  const show = () => p.replaceChildren(el('b', {}, chosen.label), ' (choose the run at the top of the page)');
  onChoice.push(show);
  show();
  return p;
}
function facts(r) {
  const own = {fabric: fabricFacts, mesh: meshFacts, 'front-end': frontEndFacts}[r.result.run.model];
  return (own ? own(r) : coreFacts(r)).filter(([, v]) => v !== '–');
}
/* The latency of a hit in the shared cache, where there were any. */
function forAHit(r, id, cache) {
  const text = measureText(measure(r, id));
  return text === '–' ? '' : `; ${text} for ${cache} hit`;
}
/* SMs and CPU cores. */
function coreFacts(r) {
  const m = id => measureText(measure(r, id)),
    peak = measure(r, 'issue');
  return [
    cyclesFact(r),
    [
      'IPC',
      short(peak.value),
      peak.peak ? `warp instructions per cycle, ${percent(peak.value / peak.peak)} of the peak` : '',
    ],
    [
      'warp instructions',
      short(total(r, 'sm.warp_instructions')),
      `${m('active_lanes')} lanes active on average`,
    ],
    ['IPC', m('ipc'), 'instructions of a core with a program'],
    ['instructions', m('instructions'), `${m('branch_mpki')} mispredicted branches per 1000`],
    [
      'L1D misses',
      m('l1d_mpki'),
      `per 1000 instructions; ${m('l2_mpki')} of the private L2` + (m('llc_mpki') === '–' ? '' : `, ${m('llc_mpki')} of the LLC`),
    ],
    [
      'memory latency',
      m('memory_latency'),
      'cycles from a miss of the private L2' + forAHit(r, 'llc_hit_latency', 'an LLC'),
    ],
    ['kernels', exact(total(r, 'kernels')), `${short(total(r, 'sm.blocks'))} blocks`],
    ['L1 hits', m('l1_hit_rate'), `of ${short(total(r, 'sm.l1.loads'))} load requests`],
    [`${CACHE} hits`, m('l2_hit_rate'), `of ${short(total(r, 'l2.accesses'))} accesses`],
    ['miss latency', m('miss_latency'), 'core cycles' + forAHit(r, 'l2_hit_latency', CACHE === 'L2' ? 'an L2' : 'an LLC')],
    dramFact(r),
    ...vectorFacts(r),
  ];
}
function ending(r) {
  const run = r.result.run;
  if (run.end !== 'finished') return el('span', {class: 'badge'}, `ended by ${run.end}`);
  return run.verified === false ? el('span', {class: 'badge'}, 'result not verified') : null;
}
/* The clusters of one machine, each in its own words. */
function clusterCards(s) {
  for (const r of RUNS) {
    const end = ending(r);
    s.append(el('h3', {}, r.label), end ? el('p', {}, end) : '');
    if (r.bound_by) s.append(el('p', {class: 'verdict'}, 'Bound by ', el('b', {}, r.bound_by), '.'));
    s.append(cards(facts(r)));
  }
}
function summary() {
  const hasPrograms = programs();
  const s = hasPrograms
    ? section('machine', 'Machine', ONE_MACHINE ? 'Clusters' : 'Runs', null)
    : opening(document.title, 'Summary');
  const areSockets = RUNS.length > 1 && RUNS.every(socketOf);
  if (ONE_MACHINE && RUNS.length > 1 && !areSockets) {
    clusterCards(s);
    return;
  }
  if (RUNS.length === 1) {
    const r = RUNS[0],
      end = ending(r);
    if (end) s.append(el('p', {}, end));
    if (r.bound_by) s.append(el('p', {class: 'verdict'}, 'Bound by ', el('b', {}, r.bound_by), '.'));
    s.append(cards(facts(r)));
    return;
  }
  if (RUNS.every(r => isModel(r, 'front-end'))) {
    s.append(...frontEndSummary());
    return;
  }
  const n = (title, value, text) => ({title, kind: 'number', value, text: text || (r => exact(value(r)))});
  const of = (title, id) =>
    n(
      title,
      r => measure(r, id).value,
      r => measureText(measure(r, id)),
    );
  const dram = r => {
    const m = measure(r, 'dram_bytes');
    return m.value === null || !m.peak ? null : m.value / m.peak;
  };
  const ipc = r => (isModel(r, 'fabric') ? null : measure(r, 'issue').value ?? measure(r, 'ipc').value);
  const isSame = (a, b) => a.result.run.workload === b.result.run.workload;
  const hasSpeed = !areSockets && RUNS.some((r, i) => RUNS.findIndex(o => isSame(o, r)) < i);
  const speed = r => RUNS.find(b => b.result.run.workload === r.result.run.workload).seconds / r.seconds;
  const columns = [
    {
      title: areSockets ? 'socket' : 'run',
      kind: 'name',
      value: r => r.label,
      text: r => el('span', {}, el('span', {style: `color:${r.colour}`}, '■ '), r.label, ' ', ending(r)),
    },
    n(
      'cycles',
      r => r.cycles,
      r => whole(r.cycles),
    ),
    n(
      'time',
      r => r.seconds,
      r => timeText(r.seconds),
    ),
    ...(hasSpeed ? [n('speed', speed, r => speed(r).toFixed(2) + '×')] : []),
  ];
  if (isFabric)
    columns.push(
      of('operations per cycle', 'issue'),
      of('first-level hits', 'rl1_hit_rate'),
      of('second-level hits', 'rl2_hit_rate'),
      n('DRAM', dram, r => percent(dram(r) ?? NaN)),
    );
  else if (RUNS.every(r => isModel(r, 'cpu')))
    columns.push(
      of('IPC', 'ipc'),
      of('mispred. /1000', 'branch_mpki'),
      of('L1D MPKI', 'l1d_mpki'),
      of('L2 MPKI', 'l2_mpki'),
      of('memory latency', 'memory_latency'),
      n('DRAM', dram, r => percent(dram(r) ?? NaN)),
      {title: 'bound by', kind: 'long', value: r => r.bound_by},
    );
  else if (hasStacks)
    columns.push(
      n('IPC', ipc, r => short(ipc(r))),
      of('L1 hits', 'l1_hit_rate'),
      of(`${CACHE} hits`, 'l2_hit_rate'),
      of('miss latency', 'miss_latency'),
      n('DRAM', dram, r => percent(dram(r) ?? NaN)),
      {title: 'bound by', kind: 'long', value: r => r.bound_by},
    );
  s.append(
    el(
      'p',
      {class: 'about'},
      (hasSpeed ? 'Speed is simulated time against the first run of the same workload. ' : '') +
        'DRAM is the share of the pins’ peak.',
    ),
    sortableTable('summary-table', columns, RUNS).element,
  );
}

/* Of a program of which a part was timed: what is estimated of all of it. */
function sampling() {
  for (const [i, r] of RUNS.entries()) {
    const s = r.result.sampling;
    if (!s || (s.timed_share >= 1 && !s.shortened_launches)) continue;
    const width = t => (t.half_width === null ? 'not known' : `± ${short(t.half_width)}`);
    const rows = ['cycles', 'warp_instructions', 'l1_misses', 'l2_accesses', 'l2_misses', 'dram_read_bytes', 'dram_written_bytes']
      .filter(n => s.totals[n])
      .map(n => ({name: n, ...s.totals[n]}));
    const kernels = s.kernels.map(k => ({name: `cycles of ${k.name}`, share: k.timed_share, ...k.totals.cycles}));
    section(`sampling-${i}`, 'Estimates', 'Estimates of the whole program', null).append(
      el(
        'p',
        {class: 'about'},
        `${r.label}: ${exact(s.timed_launches)} of ${exact(s.launches)} launches and ${percent(s.timed_share)} of the instructions were timed. ` +
          'All other numbers and figures on this page cover only that part. Intervals are 95 % confidence intervals.',
      ),
      sortableTable(
        `sampling-table-${i}`,
        [
          {title: 'total', kind: 'name', value: t => t.name},
          {title: 'estimate', kind: 'number', value: t => t.estimate, text: t => short(t.estimate)},
          {title: 'interval', kind: 'number', value: t => t.half_width, text: width},
          {title: 'timed', kind: 'number', value: t => t.share ?? s.timed_share, text: t => percent(t.share ?? s.timed_share)},
        ],
        rows.concat(kernels),
      ).element,
    );
  }
}

function kernels() {
  if (!hasStacks || !RUNS.some(r => (r.result.kernels || []).length && r.machine)) return;
  const state = {mode: 'share', rows: 'name'};
  let chart;
  const words = recordWords();
  const s = section('kernels', words.title.split(' ')[0], words.title, null);
  s.append(
    runName(),
    el(
      'div',
      {class: 'controls'},
      switcher(
        [
          ['name', 'by name'],
          ['launch', words.by],
        ],
        v => {
          state.rows = v;
          chart.draw();
        },
      ),
      switcher(
        [
          ['share', 'shares'],
          ['cycles', 'cycles'],
        ],
        v => {
          state.mode = v;
          chart.draw();
        },
      ),
    ),
  );
  const left = chosen.result.kernels_not_listed || 0;
  if (left) s.append(el('p', {class: 'badge'}, `${left} more ${words.many} are not in the result file.`));
  chart = addChart(s, 'kernel-stacks', width => kernelChart(state)(width));
  onChoice.push(() => chart.draw());
  s.append(el('h3', {}, words.each), ...kernelTable());
  if (RUNS.some(r => r.result.kernel_definitions))
    s.append(
      el(
        'details',
        {},
        el('summary', {}, words.numbers),
        ...launchTable(words),
      ),
    );
}
/* A section of figures from its row (runs.js). */
function figureSection(row) {
  const having = RUNS.filter(r => !row.has || row.has(r));
  if (!having.length) return;
  const drawn = [];
  let mode = row.modes ? row.modes[0][0] : undefined;
  const redraw = () => drawn.forEach(c => c.draw());
  const s = section(
    row.id,
    row.short,
    row.title,
    row.about,
    row.modes
      ? switcher(row.modes, m => {
          mode = m;
          redraw();
        })
      : null,
  );
  const words = el('p', {class: 'about'}),
    box = el('div');
  if (row.each) s.append(runName(), words);
  s.append(box);
  let pair = null;
  const build = f => {
    const of = () => (row.each ? chosen : having);
    if (f.has && !having.some(f.has)) return;
    if (!f.chart(of(), mode)) return;
    if (f.pair && !pair) box.append((pair = el('div', {class: 'pair'})));
    const parent = f.pair ? pair : box;
    if (!f.pair) pair = null;
    const make = width => {
      const chart = (!row.each || having.includes(chosen)) && f.chart(of(), mode);
      return chart ? chart(width) : {height: 10, option: {}};
    };
    drawn.push(f.title ? block(parent, f.title, f.id, make, f.about) : addChart(parent, f.id, make));
  };
  const show = () => {
    const has = having.includes(chosen);
    box.hidden = row.each && !has;
    words.textContent = has ? (row.words ? row.words(chosen) : '') : row.missing || 'This run has no such data.';
    words.hidden = !words.textContent;
    if (box.hidden) return;
    if (drawn.length) redraw();
    else row.figures.forEach(build);
  };
  if (row.each || row.figures.some(f => f.ofChosen)) onChoice.push(show);
  show();
}
function heatmaps() {
  if (!familiesOf(chosen).length) return;
  const s = section(
    'units',
    'Units',
    'Unit by unit',
    'The stronger the colour, the larger the value; each map has its own scale.',
  );
  const box = el('div');
  s.append(runName(), box);
  const draw = () => {
    emptyBox(box);
    for (const family of familiesOf(chosen)) {
      const names = [...family.stats.keys()],
        first = HEAT_FIRST[family.name];
      const state = {family, stat: names.includes(first) ? first : names[0]};
      const note = el('p', {class: 'about'}, heatSummary(state));
      const pick = chooser(
        '',
        names.map(n => [n, n]),
        v => {
          state.stat = v;
          note.textContent = heatSummary(state);
          chart.draw();
        },
      );
      pick.querySelector('select').value = state.stat;
      const part = el(
        'div',
        {class: 'keep'},
        el('div', {class: 'head'}, el('h3', {}, HEAT_NAMES[family.name] || family.name), pick),
        note,
      );
      box.append(part);
      const chart = addChart(part, 'heat-' + family.name.replace(/\W/g, '-'), heatChart(state));
    }
  };
  onChoice.push(draw);
  draw();
}
function origins() {
  return RUNS.map(
    r =>
      `${r.label}: ${r.file}, heddle ${r.result.run.heddle_version}, seed ${r.result.run.seed}` +
      (r.result.host && r.result.host.cpu_seconds
        ? `, simulated in ${r.result.host.cpu_seconds.toFixed(2)} s of processor time`
        : ''),
  );
}

/* The page from top to bottom; figures that have no place of their own come before the maps of units. */
const PLACES = ['cycles', 'memory', 'limits', 'energy'];
const figureRows = test => FIGURE_ROWS.filter(test).forEach(figureSection);
const placed = id => () => figureRows(r => r.id === id);
const SECTIONS = [
  placed('cycles'),
  frontEnds,
  kernels,
  ...PLACES.slice(1).map(placed),
  sockets,
  mesh,
  () => figureRows(r => !PLACES.includes(r.id)),
  heatmaps,
];

header(runChooser());
summary();
sampling();
SECTIONS.forEach(show => show());
section('statistics', 'Statistics', 'Statistics', 'Sums over the whole chip.').append(...statisticsTable());
section('configuration', 'Configuration', 'Configuration', null).append(...configTable());
footer(...origins());
