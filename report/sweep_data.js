/* A sweep's points: what was varied (axes), what can be plotted (metrics), and values against a baseline. */

const COLUMNS = DATA.points;
const CONFIG_ROW = new Map(DATA.config.ids.map((id, i) => [id, DATA.config.rows[i]]));
const CONFIG_COLUMN = new Map(DATA.config.names.map((name, i) => [name, i]));

/* A parameter of a point as one would write it. */
function configText(i, parameter) {
  const row = CONFIG_ROW.get(COLUMNS.config[i]),
    v = row && row[CONFIG_COLUMN.get(parameter)];
  return v === null || v === undefined ? null : String(v);
}
function plainArgs(text) {
  try {
    return JSON.parse(text).join(' ');
  } catch {
    return text;
  }
}

/* One object per point; `labels` has its place on every axis. */
const POINTS = COLUMNS.key.map((key, index) => ({
  index,
  key,
  status: COLUMNS.status[index],
  isDone: COLUMNS.status[index] === 'done',
  isRecording: COLUMNS.mode[index] === 'record',
  labels: {},
}));
const SHOWN = POINTS.filter(p => !p.isRecording);

/* An axis is what differs between points: a parameter that the file sweeps, or chip, workload and so on.
 * A run that several sweeps share has settings of all of them: so a parameter counts only where it changes
 * from point to point of one chip. */
const AXES = [];
function addAxis(id, labelOf, numberOf, isParameter) {
  const numbers = new Map(),
    values = [];
  for (const p of SHOWN) {
    const label = labelOf(p.index);
    p.labels[id] = label;
    if (!values.includes(label)) values.push(label);
    const n = numberOf(p.index);
    if (typeof n === 'number') numbers.set(label, n);
  }
  const isNumeric = values.every(v => numbers.has(v));
  if (isNumeric) values.sort((a, b) => numbers.get(a) - numbers.get(b));
  AXES.push({id, values, numbers, isNumeric, isParameter, about: DATA.parameters[id]});
}
function varies(labelOf, within) {
  const seen = new Map();
  return SHOWN.some(p => {
    const group = within(p.index),
      label = labelOf(p.index);
    if (!seen.has(group)) seen.set(group, label);
    return seen.get(group) !== label;
  });
}
(function findAxes() {
  for (const [name, s] of Object.entries(DATA.settings)) {
    const label = i => configText(i, name) ?? String(s.values[i] ?? '–');
    if (s.swept && varies(label, i => COLUMNS.chip[i])) addAxis(name, label, i => s.values[i], true);
  }
  const fields = [
    ['chip', i => COLUMNS.chip[i]],
    ['workload', i => COLUMNS.workload[i]],
    ['size', i => COLUMNS.size[i]],
    ['args', i => plainArgs(COLUMNS.args[i])],
    ['seed', i => String(COLUMNS.seed[i])],
  ];
  for (const [name, label] of fields)
    if (varies(label, () => 0)) addAxis(name, label, i => (name === 'seed' ? COLUMNS.seed[i] : null), false);
})();
function axis(id) {
  return AXES.find(a => a.id === id);
}
function pointName(p, without = []) {
  const parts = AXES.filter(a => !without.includes(a.id)).map(a =>
    a.isParameter ? `${a.id}=${p.labels[a.id]}` : `${a.id} ${p.labels[a.id]}`,
  );
  return parts.join(', ') || `${COLUMNS.workload[p.index]} on ${COLUMNS.chip[p.index]}`;
}

/* Metrics: columns of the runs first, then every statistic. */
const METRICS = [];
function column(id, unit, values, meaning) {
  if (values.some(v => typeof v === 'number' && v !== 0)) /* front ends without a core have no cycles */
    METRICS.push({id, unit, meaning, group: 'run', value: i => values[i]});
}
(function findMetrics() {
  column('cycles', 'cycles', COLUMNS.cycles, 'of the first clock');
  column(
    'IPC',
    'instructions/cycle',
    COLUMNS.warp_instructions.map((w, i) => (w && COLUMNS.cycles[i] ? w / COLUMNS.cycles[i] : null)),
    'warp instructions per cycle of the whole chip',
  );
  column(
    'simulated time',
    's',
    COLUMNS.simulated_fs.map(v => (typeof v === 'number' ? v / 1e15 : null)),
    'of the machine',
  );
  column('warp_instructions', 'instructions', COLUMNS.warp_instructions, 'issued');
  column('seconds', 's', COLUMNS.seconds, 'from the start of the process to its end');
  column('simulation_seconds', 's', COLUMNS.simulation_seconds, 'of processor time that the simulation took');
  column(
    'warp_instructions_per_second',
    'instructions/s',
    COLUMNS.warp_instructions_per_second,
    'speed of the simulator',
  );
  for (const s of DATA.stats)
    METRICS.push({
      id: s.name,
      unit: s.unit,
      meaning: s.meaning,
      group: s.name.replace(/\.[^.]*$/, '').replace(/^[^.]*\[.*$/, '') || 'chip',
      isConstant: 'all' in s,
      value: 'all' in s ? () => s.all : i => s.values[i],
    });
})();
function metric(id) {
  return METRICS.find(m => m.id === id);
}
/* What a page shows first: cycles; where nothing takes time, the MPKI of what was swept, or the first that varies. */
function firstMetric() {
  if (metric('cycles')) return metric('cycles');
  const rates = METRICS.filter(m => /\.mpki$/.test(m.id) && !m.isConstant);
  const swept = AXES.map(a => a.id.replace(/[^.]*$/, 'mpki'));
  return rates.find(m => swept.includes(m.id)) || rates[0] || METRICS[0];
}
function valueOf(m, p) {
  const v = p.isDone ? m.value(p.index) : null;
  return typeof v === 'number' && Number.isFinite(v) ? v : null;
}
function metricText(m, v) {
  if (v === null || v === undefined) return '–';
  if (m.unit === 'ratio') return percent(v);
  if (m.unit === 's') return timeText(v);
  return short(v);
}
const LOWER = /cycles|latency|time|seconds|miss|mpki|stall|conflict|evict|wait|merge|_fs|writeback|energy|power/i;
function lowerIsBetter(m) {
  return LOWER.test(m.id) && !/per_second|hit/.test(m.id);
}

/* Points by their place on all axes, to find the baseline that belongs to a point. */
const PLACES = new Map(SHOWN.map(p => [AXES.map(a => p.labels[a.id]).join('\n'), p]));
function counterpart(p, change) {
  return PLACES.get(AXES.map(a => (a.id in change ? change[a.id] : p.labels[a.id])).join('\n'));
}
/*
 * baseline: null; {axis: label}: the point that differs only in these; {point}: that one for all.
 * upside: baseline by value, which is a speedup where the metric is a time.
 */
function relative(m, p, baseline, upside) {
  const v = valueOf(m, p);
  if (!baseline || v === null) return v;
  const other = 'point' in baseline ? POINTS[baseline.point] : counterpart(p, baseline.change);
  const b = other ? valueOf(m, other) : null;
  if (b === null || !(upside ? v : b)) return null;
  return upside ? b / v : v / b;
}
/* Ratios have a geometric mean. */
function meanOf(values, isRatio) {
  const known = values.filter(v => v !== null);
  if (!known.length) return null;
  if (isRatio && known.every(v => v > 0))
    return Math.exp(known.reduce((s, v) => s + Math.log(v), 0) / known.length);
  return known.reduce((s, v) => s + v, 0) / known.length;
}
/* fixed: axis -> label, or '*' for all of them together. */
function pointsAt(fixed) {
  return SHOWN.filter(p => Object.entries(fixed).every(([id, v]) => v === '*' || p.labels[id] === v));
}
