/* A page of runs from top to bottom. A section without data is left out. */

const isGpu = RUNS.some(r => r.machine && classesOf(r));

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
  const m = id => measureText(measure(r, id)),
    peak = measure(r, 'issue');
  const dram = measure(r, 'dram_bytes');
  return [
    ['cycles', whole(r.cycles), `${timeText(r.seconds)} of simulated time`],
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
    ['instructions', m('instructions'), `${m('branch_mpki')} branches predicted wrong per 1000`],
    [
      'L1D misses',
      m('l1d_mpki'),
      `per 1000 instructions; ${m('l2_mpki')} of the private L2, ${m('llc_mpki')} of the LLC`,
    ],
    [
      'memory latency',
      m('memory_latency'),
      `cycles from a miss of the private L2; ${m('llc_hit_latency')} for an LLC hit`,
    ],
    ['kernels', exact(total(r, 'kernels')), `${short(total(r, 'sm.blocks'))} blocks`],
    ['L1 hits', m('l1_hit_rate'), `of ${short(total(r, 'sm.l1.loads'))} load requests`],
    ['L2 hits', m('l2_hit_rate'), `of ${short(total(r, 'l2.accesses'))} accesses`],
    ['miss latency', m('miss_latency'), `core cycles; ${m('l2_hit_latency')} for an L2 hit`],
    [
      'DRAM',
      m('dram_bytes'),
      dram.peak && dram.value !== null
        ? `${percent(dram.value / dram.peak)} of ${(dram.peak / 1e9).toFixed(1)} GB/s`
        : '',
    ],
  ].filter(([, v]) => v !== '–');
}
function ending(r) {
  const run = r.result.run;
  if (run.end !== 'finished') return el('span', {class: 'badge'}, `ended by ${run.end}`);
  return run.verified === false ? el('span', {class: 'badge'}, 'result not verified') : null;
}
function summary() {
  const s = opening(document.title, 'Summary');
  if (RUNS.length === 1) {
    const r = RUNS[0],
      end = ending(r);
    if (end) s.append(el('p', {}, end));
    if (r.bound_by) s.append(el('p', {class: 'verdict'}, 'Bound by ', el('b', {}, r.bound_by), '.'));
    s.append(cards(facts(r)));
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
  const speed = r => RUNS.find(b => b.result.run.workload === r.result.run.workload).seconds / r.seconds;
  const columns = [
    {
      title: 'run',
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
    n('speed', speed, r => speed(r).toFixed(2) + '×'),
  ];
  if (isGpu)
    columns.push(
      of('IPC', 'issue'),
      of('L1 hits', 'l1_hit_rate'),
      of('L2 hits', 'l2_hit_rate'),
      of('miss latency', 'miss_latency'),
      n('DRAM', dram, r => percent(dram(r) ?? NaN)),
      {title: 'bound by', kind: 'long', value: r => r.bound_by},
    );
  s.append(
    el(
      'p',
      {class: 'about'},
      'Speed is simulated time against the first run of the same workload. DRAM is the share of the pins’ peak.',
    ),
    sortableTable('summary-table', columns, RUNS).element,
  );
}

function cycles() {
  let cpi,
    mode = 'share';
  const s = section(
    'cycles',
    'Cycles',
    'Where the cycles went',
    `All ${stackWords()} are charged to one cause each. In cycles, the parts add up to the run.`,
    switcher(
      [
        ['share', 'shares'],
        ['cycles', 'cycles'],
      ],
      m => {
        mode = m;
        cpi.draw();
      },
    ),
  );
  cpi = addChart(s, 'cpi', width => cpiChart(mode)(width));
}
function kernels() {
  if (!RUNS.some(r => (r.result.kernels || []).length && r.machine)) return;
  const state = {mode: 'share', rows: 'name'};
  let chart;
  const s = section('kernels', 'Kernels', 'Kernels', null);
  s.append(
    runName(),
    el(
      'div',
      {class: 'controls'},
      switcher(
        [
          ['name', 'by name'],
          ['launch', 'by launch'],
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
  if (left) s.append(el('p', {class: 'badge'}, `${left} more kernels are not in the result file.`));
  chart = addChart(s, 'kernel-stacks', width => kernelChart(state)(width));
  onChoice.push(() => chart.draw());
  s.append(el('h3', {}, 'Launches'), ...kernelTable());
  if (RUNS.some(r => r.result.kernel_definitions))
    s.append(
      el('h3', {}, 'All numbers of a launch'),
      el('p', {class: 'about'}, 'What was counted from its start to its end.'),
      ...launchTable(),
    );
}
function memory() {
  const s = section('memory', 'Memory', 'Memory system', null);
  const latency = RUNS.some(r => measure(r, 'hop_l2').value !== null);
  if (latency)
    block(
      s,
      'Latency of an L1 miss, hop by hop',
      'latency',
      latencyChart(),
      'Mean over all misses; waiting in queues counts to the hop that it is in front of.',
    );
  const pair = el('div', {class: 'pair'});
  s.append(pair);
  const stalled = (array, of) => RUNS.some(r => total(r, array) && sum(total(r, array)) && of(r));
  const l1 = r => total(r, 'sm.cycles');
  if (stalled('sm.l1.stall', l1))
    block(
      pair,
      'L1: why the next request waited',
      'l1-stalls',
      stallChart('sm.l1.stall', l1),
      'Share of SM cycles.',
    );
  if (stalled('l2.stall', l2Cycles))
    block(
      pair,
      'L2: why the next request waited',
      'l2-stalls',
      stallChart('l2.stall', l2Cycles),
      'Share of the cycles of all banks.',
    );
  block(pair, 'L2 access queues', 'l2-queue', queueChart('l2.access_queue'), 'How full, while in use.');
  block(
    pair,
    'DRAM scheduler queues',
    'dram-queue',
    queueChart('dram.queue_occupancy'),
    'How full, while in use.',
  );
}
function limits() {
  const s = section('limits', 'Limits', 'Limits', null);
  block(s, 'Achieved rates against peaks', 'peaks', peakChart());
  const points = rooflinePoints();
  if (!points.length) return;
  const chart = block(
    s,
    'Roofline',
    'roofline',
    rooflineChart,
    `Circles: per byte of DRAM traffic, diamonds: per byte through the L2 data ports${(chosen.result.kernels || []).length > 1 ? ', small circles: single kernels' : ''}. Ceilings are the configuration’s.`,
  );
  onChoice.push(() => chart.draw());
}
function energy() {
  if (!RUNS.some(r => total(r, 'energy.total_pj'))) return;
  let chart,
    mode = 'share';
  const s = section(
    'energy',
    'Energy',
    'Energy',
    'Events times their energy, and static power times time. Read differences between runs of one chip, not watts: the energies are published orders of magnitude.',
    switcher(
      [
        ['share', 'shares'],
        ['energy', 'mJ'],
      ],
      m => {
        mode = m;
        chart.draw();
      },
    ),
  );
  chart = addChart(s, 'energy-stack', width => energyChart(mode)(width));
}
function series() {
  const having = RUNS.filter(r => r.result.series && r.result.series.cycle.length);
  if (!having.length) return;
  const s = section(
    'series',
    'Time',
    'Over time',
    'Drag the bar below to zoom, or hold Ctrl and turn the wheel. Bands are kernels.',
  );
  const box = el('div'),
    none = el('p', {class: 'dim'}, 'This run was made without --series.');
  s.append(runName(), none, box);
  let chart = null;
  const show = () => {
    const has = having.includes(chosen);
    none.hidden = has;
    box.hidden = !has;
    if (has && !chart)
      chart = addChart(box, 'series-chart', () =>
        having.includes(chosen) ? seriesChart() : {height: 10, option: {}},
      );
    else if (has) chart.draw();
  };
  onChoice.push(show);
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
      (r.result.host && r.result.host.seconds ? `, simulated in ${r.result.host.seconds.toFixed(2)} s` : ''),
  );
}

header(runChooser());
summary();
if (isGpu) {
  cycles();
  kernels();
  memory();
  sockets();
  limits();
  energy();
}
series();
heatmaps();
reuse();
section('statistics', 'Statistics', 'Statistics', 'Sums over the whole chip.').append(...statisticsTable());
section('configuration', 'Configuration', 'Configuration', null).append(...configTable());
footer(...origins());
