/* What all parts of a page of runs share: their colours, names and values. */

const RUNS = DATA.runs;

/* One colour per class of cycles, the same everywhere. After Okabe and Ito, which all readers can
 * tell apart: data in blues, structural in oranges, memory the stronger of each. */
const CLASS_COLOURS = {
  issued: '#009e73',
  data_mem: '#0072b2',
  data_alu: '#6cbdee',
  structural_mem: '#d55e00',
  structural_alu: '#eba722',
  fetch: '#f0e442',
  barrier: '#cc79a7',
  throttled: '#8a6d3b',
  no_warp: 'var(--none)',
  retired: '#009e73',
  branch: '#eba722',
  target: '#8a6d3b',
  icache: '#b8a200',
  execute: '#999999',
  units: '#d55e00',
  l1d: '#b8dcf5',
  l2: '#6cbdee',
  llc: '#3b93cf',
  dram: '#0072b2',
  tlb: '#6ccfb0',
  mshr: '#cc79a7',
  stores: '#aa3377',
  /* back ends by rate */
  backend: '#009e73',
  memory: '#0072b2',
  bus: '#cc79a7',
  contention: '#d55e00',
  /* elements of a fabric */
  issue: '#009e73',
  compute: '#6ccfb0',
  scratchpad: '#f0e442',
  loads: '#0072b2',
  port: '#eba722',
  room: '#d55e00',
  parked: '#b8dcf5',
  idle: '#999999',
  gated: 'var(--none)',
};
/* Where the cycles of the runs' machines go, as their models say: [class, colour, meaning]. */
const CLASSES = (() => {
  const meanings = Object.assign({}, ...RUNS.map(r => (r.stack ? r.stack.causes : {})));
  const order = Object.keys(CLASS_COLOURS);
  const rank = c => (order.includes(c) ? order.indexOf(c) : order.length);
  return Object.keys(meanings)
    .sort((a, b) => rank(a) - rank(b))
    .map((c, i) => [c, CLASS_COLOURS[c] || COLOURS[i % COLOURS.length], meanings[c]]);
})();
/* Where energy goes: the components of the statistic energy.dynamic_pj, and all static energy. */
const ENERGY = [
  ['static', 'var(--none)', 'static power times time', 'static'],
  ['clock', '#f0e442', 'clocks and control of SMs that have warps', 'SM clocks'],
  ['front_end', '#b8a200', 'instruction cache, decoding, issue', 'front end'],
  ['registers', '#eba722', 'register words read and written', 'registers'],
  ['execution', '#009e73', 'arithmetic, addresses, branches', 'execution'],
  ['shared', '#6ccfb0', 'passes through shared memory', 'shared memory'],
  ['l1', '#6cbdee', 'L1, constant and texture caches', 'L1'],
  ['network', '#cc79a7', 'flits of both networks', 'networks'],
  ['l2', '#0072b2', 'tags and data of the L2', 'L2'],
  ['controller', '#e89a6b', 'memory controllers and pins', 'memory controllers'],
  ['dram', '#d55e00', 'DRAM: activates, data, refresh', 'DRAM'],
];
const STALLS = [
  ['mshr', '#d55e00', 'no MSHR was free'],
  ['cache', '#cc79a7', 'all lines of the set were reserved'],
  ['bp_l2', '#0072b2', 'the queue to L2 was full'],
  ['bp_dram', '#0072b2', 'the queue to DRAM was full'],
  ['bp_icnt', '#6cbdee', 'the queue to the reply network was full'],
  ['port', '#eba722', 'the data port was busy'],
];
const HOPS = [
  ['hop_request', '#6cbdee', 'request network'],
  ['hop_l2', '#eba722', 'L2'],
  ['hop_dram', '#0072b2', 'DRAM'],
  ['hop_reply', '#cc79a7', 'reply network'],
];
const LEVELS = [
  ['below_25', 0.15, 'below 25 %'],
  ['from_25', 0.36, '25 to 50 %'],
  ['from_50', 0.57, '50 to 75 %'],
  ['from_75', 0.78, '75 % and more'],
  ['full', 1, 'full'],
];

function measureText(m) {
  if (m.value === null) return '–';
  if (m.unit === 'ratio') return percent(m.value);
  if (m.unit === 'bytes/s') return (m.value / 1e9).toFixed(1) + ' GB/s';
  return short(m.value);
}

/* What this page calls the cache that all cores share: the L2 of a GPU, the LLC of a machine. */
const CACHE = RUNS.some(r => r.result.cache || r.result.run.model === 'cpu') ? 'LLC' : 'L2';
/* All runs of the page are clusters of one machine. */
const ONE_MACHINE = RUNS.every(r => r.result.run.cluster && r.file === RUNS[0].file);

/* A run's names and values. */
function measure(run, id) {
  return run.measures.find(m => m.id === id) || {value: null, peak: null, unit: ''};
}
function total(run, name) {
  const v = run.result.totals[name];
  return v === undefined ? null : v;
}
/* Cycles by class, of a run and of one of its kernels; null: its model does not say. */
function classesOf(run) {
  return run.stack ? total(run, run.stack.statistic) : null;
}
function kernelClasses(run, kernel) {
  return kernel[run.stack.field];
}
(function nameRuns() {
  const oneFile = RUNS.every(r => r.file === RUNS[0].file);
  const plain = RUNS.map(r =>
    r.result.run.cluster && oneFile ? r.result.run.cluster : `${r.result.run.workload} on ${r.result.run.chip}`,
  );
  RUNS.forEach((r, i) => {
    const file = r.file.replace(/^.*\//, '').replace(/\.json$/, '');
    const again = plain.filter(p => p === plain[i]).length > 1;
    r.label = !again ? plain[i] : r.result.run.cluster ? `${file}: ${r.result.run.cluster}` : `${plain[i]} (${file})`;
    r.colour = COLOURS[i % COLOURS.length];
  });
})();
let chosen = RUNS[0]; /* what sections of one run show */
const onChoice = [];

/*
 * The sections of figures, in the order of the page. A row:
 *   id, short, title, about   of the section; short is its name in the header
 *   has(run)                  is there anything to see of it; the section is left out where no run has
 *   modes                     [[value, text]] a switch whose value the figures get
 *   each                      figures are of the chosen run instead of all runs; then also
 *   words(run), missing       a sentence above the figures; what stands there for a run without
 *   figures                   [{id, title, about, pair, has(run), chart(runs or run, mode)}]: chart gives a function
 *                             of the width, as addChart wants it, or null; pair: two side by side
 * A new figure of a run is a row here (showFigures(row) in a file of its own, named in page_make), and nothing else.
 */
const FIGURE_ROWS = [];
function showFigures(row) {
  FIGURE_ROWS.push(row);
}
