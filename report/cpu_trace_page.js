/* A page of CPU traces: mix, branches, code and data, and how they change over the trace. */

const CLASSES = [
  ['alu', COLOURS[0], 'integer instructions'],
  ['mul', COLOURS[4], 'integer multiplications'],
  ['div', COLOURS[5], 'integer divisions'],
  ['fp_add', '#88ccaa', 'floating-point additions, comparisons, conversions'],
  ['fp_mul', '#44aa77', 'floating-point multiplications'],
  ['fp_div', '#117733', 'floating-point divisions and roots'],
  ['fp_fma', COLOURS[2], 'fused multiply-adds'],
  ['simd', '#bbcc33', 'vector moves, logic and integers'],
  ['load', COLOURS[3], 'pure loads'],
  ['store', '#ee8866', 'pure stores'],
  ['branch', COLOURS[1], 'branches of all kinds'],
  ['nop', COLOURS[6], 'do nothing'],
  ['system', '#555555', 'system calls, fences and similar'],
];
const BRANCHES = [
  ['conditional', COLOURS[0], 'conditional direct'],
  ['jump', COLOURS[4], 'unconditional direct'],
  ['indirect jump', COLOURS[1], 'indirect'],
  ['call', COLOURS[2], 'direct call'],
  ['indirect call', COLOURS[3], 'indirect call'],
  ['return', COLOURS[5], 'return'],
];
const BIAS = Array.from({length: 10}, (_, i) => [
  `${10 * i}–${10 * i + 10} %`,
  mix('#4477aa', '#ee6677', i / 9),
  `executions of conditional branches that are taken ${10 * i} to ${10 * i + 10} % of the time`,
]);

/* Total, and the sections where a trace has both. */
function rowsOf(pick, whole) {
  return DATA.traces.flatMap(t =>
    (t.serial.instructions && t.parallel.instructions ? ['total', 'serial', 'parallel'] : ['total']).map(section => ({
      name: section === 'total' ? t.name : section,
      values: pick(t[section]),
      whole: whole(t[section]),
    })),
  );
}

function summary() {
  const first = opening(document.title, 'Summary');
  const columns = [
    {title: 'trace', kind: 'name', value: t => t.name},
    {title: 'threads', kind: 'number', value: t => t.threads},
    {title: 'instructions', kind: 'number', value: t => t.total.instructions, text: t => short(t.total.instructions)},
    {title: 'branches', kind: 'number', value: t => t.total.branch_share, text: t => percent(t.total.branch_share)},
    {
      title: 'loads',
      kind: 'number',
      value: t => t.total.loads / t.total.instructions,
      text: t => percent(t.total.loads / t.total.instructions),
    },
    {
      title: 'stores',
      kind: 'number',
      value: t => t.total.stores / t.total.instructions,
      text: t => percent(t.total.stores / t.total.instructions),
    },
    {title: 'taken backward', kind: 'number', value: t => t.total.backward_share, text: t => percent(t.total.backward_share)},
    {title: 'block bytes', kind: 'number', value: t => t.total.block_bytes, text: t => short(t.total.block_bytes)},
    {title: 'between taken', kind: 'number', value: t => t.total.taken_distance_bytes, text: t => short(t.total.taken_distance_bytes)},
    {title: 'code KiB', kind: 'number', value: t => t.total.static_bytes / 1024, text: t => short(t.total.static_bytes / 1024)},
    {title: '99 % KiB', kind: 'number', value: t => t.total.hot_bytes / 1024, text: t => short(t.total.hot_bytes / 1024)},
    {title: 'data KiB', kind: 'number', value: t => t.data_lines / 16, text: t => short(t.data_lines / 16)},
    {title: 'line use', kind: 'number', value: t => t.line_use, text: t => percent(t.line_use)},
    {title: 'serial', kind: 'number', value: t => t.serial_share, text: t => percent(t.serial_share)},
  ];
  first.append(sortableTable('trace-table', columns, DATA.traces).element);
}

function mixes() {
  const s = section(
    'mix',
    'Mix',
    'Instructions',
    'By the unit that executes them; an instruction that computes with an operand in memory counts as the computation.',
  );
  addChart(s, 'class-mix', width =>
    stackedBars({rows: rowsOf(c => c.classes, c => c.instructions), parts: CLASSES, width, axisName: 'of all instructions', asShare: true}),
  );
}

function branches() {
  const s = section('branches', 'Branches', 'Branches', 'Kinds, and how one-sided conditional branches are.');
  block(s, 'Kinds', 'branch-mix', width =>
    stackedBars({
      rows: rowsOf(c => c.branches, c => c.instructions),
      parts: BRANCHES,
      width,
      axisName: 'of all instructions',
      asShare: true,
      top: true,
    }),
  );
  const bins = c => Object.fromEntries(c.bias.map((n, i) => [BIAS[i][0], n]));
  block(
    s,
    'Bias',
    'branch-bias',
    width =>
      stackedBars({
        rows: rowsOf(bins, c => c.bias.reduce((a, b) => a + b, 0) || 1),
        parts: BIAS,
        width,
        axisName: 'of the executions of conditional branches, by how often the branch is taken',
        asShare: true,
      }),
    'The first and the last bar are branches that go dominantly one way.',
  );
}

function lines(id, width, {x, y, log, series}) {
  return {
    height: Math.min(420, Math.max(260, width * 0.4)),
    label: `${y} over ${x}`,
    option: {
      legend: {data: series.map(s => s.name)},
      grid: {left: 64, right: 24, top: 40, bottom: 48},
      xAxis: {type: log ? 'log' : 'value', name: x, nameLocation: 'middle', nameGap: 28, axisLabel: {formatter: tick}, min: 'dataMin', max: 'dataMax'},
      yAxis: {type: 'value', name: y, nameLocation: 'middle', nameGap: 44, axisLabel: {formatter: tick}},
      tooltip: {trigger: 'axis', valueFormatter: v => short(v)},
      series: series.map((s, i) => ({
        type: 'line',
        showSymbol: s.data.length < 3,
        lineStyle: {width: 1.5},
        itemStyle: {color: COLOURS[i % COLOURS.length]},
        ...s,
      })),
    },
  };
}

function code() {
  const s = section(
    'code',
    'Code',
    'Code',
    'Share of the executed instructions that the most executed code covers.',
  );
  addChart(s, 'code-curve', width =>
    lines('code-curve', width, {
      x: 'bytes of code',
      y: '% of instructions',
      log: true,
      series: DATA.traces.map(t => ({name: t.name, data: t.curve.map(([bytes, part]) => [bytes, 100 * part])})),
    }),
  );
}

function overTime() {
  const s = section('time', 'Over time', 'Over the trace', 'Of the first thread.');
  const share = key => t =>
    t.intervals.map((v, i) => [i * t.interval_instructions, (100 * v[key]) / v.instructions]);
  const per1000 = key => t =>
    t.intervals.map((v, i) => [i * t.interval_instructions, (1000 * v[key]) / v.instructions]);
  for (const [title, id, y, data] of [
    ['Branches', 'time-branches', '% of instructions', share('branches')],
    ['Loads', 'time-loads', '% of instructions', share('loads')],
    ['Lines of data met for the first time', 'time-data', 'in 1,000 instructions', per1000('new_data_lines')],
    ['Lines of code met for the first time', 'time-code', 'in 1,000 instructions', per1000('new_code_lines')],
  ])
    block(s, title, id, width =>
      lines(id, width, {x: 'instructions', y, series: DATA.traces.map(t => ({name: t.name, data: data(t)}))}),
    );
}

header();
summary();
mixes();
branches();
code();
overTime();
footer('Definitions: docs/howto/cpu-traces.md.');
