/* A page of a sweep from top to bottom. */

const STATES = [
  ['done', '#228833'],
  ['failed', '#d55e00'],
  ['hung', '#aa3377'],
  ['timed out', '#eba722'],
  ['interrupted', '#cc79a7'],
  ['running', '#66ccee'],
  ['queued', 'var(--none)'],
];
function countOf(status) {
  return POINTS.filter(p => p.status === status).length;
}
function sumOf(values) {
  return values.reduce((s, v) => s + (v || 0), 0);
}
function distinct(values) {
  return [...new Set(values)];
}
/* Not done, and not merely waiting. */
function wentWrong(p) {
  return ['failed', 'hung', 'timed out', 'interrupted'].includes(p.status);
}

function summary() {
  const done = countOf('done'),
    wrong = POINTS.filter(wentWrong).length;
  const chips = distinct(COLUMNS.chip),
    workloads = distinct(COLUMNS.workload);
  const s = opening(document.title, 'Summary');
  const few = list =>
    list.length <= 3 ? list.join(', ') : `${list.slice(0, 3).join(', ')} and ${list.length - 3} more`;
  s.append(
    cards([
      [
        'points',
        whole(POINTS.length),
        `${whole(done)} done${wrong ? `, ${whole(wrong)} without a result` : ''}`,
      ],
      ['chips', whole(chips.length), few(chips)],
      ['workloads', whole(workloads.length), few(workloads)],
      ['processor time', hostTime(sumOf(COLUMNS.simulation_seconds)), `heddle ${distinct(COLUMNS.version).join(', ')}`],
    ]),
    el(
      'div',
      {class: 'states', role: 'img', 'aria-label': STATES.map(([n]) => `${countOf(n)} ${n}`).join(', ')},
      STATES.filter(([n]) => countOf(n)).map(([n, c]) =>
        el('i', {
          style: `width:${(100 * countOf(n)) / POINTS.length}%;background:${c}`,
          title: `${countOf(n)} ${n}`,
        }),
      ),
    ),
    el(
      'p',
      {class: 'about', id: 'states'},
      STATES.filter(([n]) => countOf(n)).map(([n, c]) =>
        el('span', {}, el('span', {style: `color:${c}`}, '■ '), `${countOf(n)} ${n}   `),
      ),
    ),
    el(
      'dl',
      {class: 'axes', id: 'axes'},
      AXES.flatMap(a => [
        el('dt', {}, a.id),
        el('dd', {}, a.values.join(', '), a.about && a.about.meaning ? ` (${a.about.meaning})` : ''),
      ]),
    ),
  );
  if (DATA.stats_left_out)
    s.append(
      el(
        'p',
        {class: 'badge'},
        `${DATA.stats_left_out} statistics are left out to keep this page small.`,
      ),
    );
}
function failures() {
  const rows = POINTS.filter(wentWrong);
  if (!rows.length) return;
  const s = section(
    'failures',
    'Failures',
    'Points without a result',
    'heddle sweep --retry runs them again.',
  );
  const at = name => p => COLUMNS[name][p.index];
  const columns = [
    {title: 'point', kind: 'wide', value: p => pointName(p)},
    {title: 'status', kind: 'name', value: p => p.status, text: p => el('span', {class: 'badge'}, p.status)},
    {title: 'exit code', kind: 'number', value: at('exit_code'), text: p => exact(at('exit_code')(p))},
    {
      title: 'message',
      kind: 'wide',
      value: at('error'),
      text: p => {
        const more = at('messages')(p) || '';
        return el(
          'div',
          {},
          at('error')(p) || '–',
          more.trim() && more.trim() !== (at('error')(p) || '').trim()
            ? el('details', {}, el('summary', {}, 'full output'), el('pre', {class: 'message'}, more))
            : null,
          el(
            'details',
            {},
            el('summary', {}, 'command'),
            el('pre', {class: 'message'}, at('command')(p) || ''),
          ),
        );
      },
    },
  ];
  s.append(sortableTable('failure-table', columns, rows).element);
}

/* What a table shows of each point: those of these that there are. */
const MAIN_METRICS = [
  'cycles',
  'simulated time',
  'IPC',
  'sm.l1.hit_rate',
  'l2.miss_rate',
  'sm.l1.miss_latency',
  'dram.efficiency',
  'dram.bus_bytes',
  'seconds',
];
function pointTable(box, chosenMetric) {
  const names = distinct([chosenMetric, ...MAIN_METRICS]).filter(metric);
  const number = m => ({
    title: m.id,
    kind: 'number',
    value: p => valueOf(m, p),
    text: p => metricText(m, valueOf(m, p)),
  });
  const columns = [
    {title: '#', kind: 'number', value: p => p.index + 1},
    {title: 'status', kind: 'name', value: p => (p.isRecording ? `recording, ${p.status}` : p.status)},
    ...AXES.map(a => ({
      title: a.id,
      kind: 'name',
      value: p => (a.isNumeric ? a.values.indexOf(p.labels[a.id]) : p.labels[a.id]),
      text: p => p.labels[a.id] ?? '–',
    })),
    ...(names.includes('cycles') ? ['cycles', ...names.filter(n => n !== 'cycles')] : names).map(n =>
      number(metric(n)),
    ),
    {title: 'key', kind: 'name', value: p => p.key.slice(0, 8)},
  ];
  const table = sortableTable('point-table', columns, POINTS),
    state = {words: '', status: ''};
  const apply = () => {
    const words = wordTest(
      state.words,
      p => `${p.status} ${pointName(p)} ${COLUMNS.chip[p.index]} ${COLUMNS.workload[p.index]} ${p.key}`,
    );
    table.filter(p => words(p) && (!state.status || p.status === state.status));
  };
  const found = STATES.map(([n]) => n).filter(countOf);
  box.replaceChildren(
    el(
      'div',
      {class: 'controls'},
      searchBox('filter points', t => {
        state.words = t;
        apply();
      }),
      found.length > 1
        ? switcher([['', 'all'], ...found.map(n => [n, n])], v => {
            state.status = v;
            apply();
          })
        : '',
      table.count,
    ),
    table.element,
  );
}

function parameterRows(a, b) {
  return DATA.config.names.map(path => {
    const all = distinct(DATA.config.rows.map(r => String(r[CONFIG_COLUMN.get(path)] ?? '–'))).sort((x, y) =>
      x.localeCompare(y, 'en', {numeric: true}),
    );
    return {
      path,
      a: configText(a, path) ?? '–',
      b: configText(b, path) ?? '–',
      all,
      strong: all.length > 1,
      about: DATA.parameters[path] || {meaning: '', source: ''},
    };
  });
}
function configuration() {
  const s = section('configuration', 'Configuration', 'Configuration', null);
  const state = {a: 0, b: POINTS.length - 1, words: '', differing: true};
  const several = rows =>
    rows.length > 8 ? `${rows.slice(0, 8).join(', ')} and ${rows.length - 8} more` : rows.join(', ');
  const columns = [
    {title: 'parameter', kind: 'name', value: r => r.path},
    {title: 'point A', kind: 'name', value: r => r.a},
    {
      title: 'point B',
      kind: 'name',
      value: r => r.b,
      text: r => (r.a === r.b ? r.b : el('span', {class: 'mark'}, r.b)),
    },
    {
      title: 'in all points',
      value: r => r.all.length,
      text: r => (r.all.length > 1 ? several(r.all) : 'the same'),
    },
    {title: 'meaning', kind: 'long', value: r => r.about.meaning},
  ];
  const table = sortableTable('config-table', columns, parameterRows(state.a, state.b));
  const apply = () => {
    const words = wordTest(state.words, r => `${r.path} ${r.all.join(' ')} ${r.about.meaning}`);
    table.filter(r => words(r) && (!state.differing || r.strong));
  };
  const refresh = () => table.refresh(parameterRows(state.a, state.b));
  const names = POINTS.map(p => [String(p.index), `${p.index + 1}: ${pointName(p)}`]);
  const differ = parameterRows(0, 0).filter(r => r.strong).length;
  s.append(
    el(
      'p',
      {class: 'about'},
      `${DATA.config.names.length} parameters, ${differ} of which differ between points (bold); ${DATA.config.rows.length} different configurations. Where two points differ, the second is marked.`,
    ),
    el(
      'div',
      {class: 'controls'},
      pick('A', names, '0', v => {
        state.a = Number(v);
        refresh();
      }),
      pick('B', names, String(state.b), v => {
        state.b = Number(v);
        refresh();
      }),
      searchBox('filter parameters', t => {
        state.words = t;
        apply();
      }),
      el(
        'label',
        {},
        el('input', {
          type: 'checkbox',
          id: 'only-differing',
          checked: true,
          onchange: e => {
            state.differing = e.target.checked;
            apply();
          },
        }),
        ' differing only',
      ),
      table.count,
    ),
    table.element,
  );
  apply();
}

header();
summary();
failures();
const pointBox = el('div');
if (METRICS.length && AXES.length) {
  const s = section('chart', 'Chart', 'A metric over a parameter', null);
  chartBuilder(s, m => pointTable(pointBox, m));
  const paired = AXES.filter(a => a.id !== 'seed').length > 1;
  if (paired) mapBuilder(section('map', 'Map', 'A metric over two parameters', null));
}
section(
  'points',
  'Points',
  'All points',
  'Click a column to sort by it; the metric of the chart above is one of them.',
).append(pointBox);
pointTable(pointBox, METRICS.length ? firstMetric().id : 'cycles');
configuration();
footer(`Sweep ${DATA.sweep} in ${DATA.database}, ${POINTS.length} points`);
