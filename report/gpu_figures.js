/* Figures of runs on chips with SMs or cores that say where their cycles went. */

const hasStack = r => r.machine && classesOf(r);
/* Below half a thousandth nothing would be seen. */
const stalled = (array, of) => r => total(r, array) && of(r) > 0 && sum(total(r, array)) > 0.0005 * of(r);
const hasPeaks = r => list(r.measures).some(m => m.peak && m.value > 0);
const smCycles = r => total(r, 'sm.cycles');

/* One figure for each way in which cycles are charged: SMs and CPU cores have causes of their own. */
function cycleFigures() {
  const kinds = [...new Set(RUNS.filter(hasStack).map(r => r.stack.statistic))];
  return kinds.map((kind, i) => ({
    id: i ? `cpi-${i}` : 'cpi',
    title: kinds.length > 1 ? RUNS.find(r => r.stack && r.stack.statistic === kind).stack.words : undefined,
    chart: (runs, mode) => cpiChart(runs.filter(r => r.stack.statistic === kind), mode),
  }));
}

showFigures({
  id: 'cycles',
  short: 'Cycles',
  title: 'Where the cycles went',
  about: `All ${stackWords()} are charged to one cause each. In cycles, the parts add up to the run.`,
  has: hasStack,
  modes: [
    ['share', 'shares'],
    ['cycles', 'cycles'],
  ],
  figures: cycleFigures(),
});
showFigures({
  id: 'memory',
  short: 'Memory',
  title: 'Memory system',
  has: r =>
    hasStack(r) &&
    (measure(r, 'hop_l2').value !== null ||
      ['l2.access_queue', 'dram.queue_occupancy'].some(q => total(r, q) && sum(total(r, q)) > 0)),
  figures: [
    {
      id: 'latency',
      title: 'Latency of an L1 miss, hop by hop',
      about: 'Mean over all misses; waiting in queues counts to the hop that it is in front of.',
      has: r => measure(r, 'hop_l2').value !== null,
      chart: latencyChart,
    },
    {
      id: 'l1-stalls',
      title: 'L1: why the next request waited',
      about: 'Share of SM cycles.',
      pair: true,
      has: stalled('sm.l1.stall', smCycles),
      chart: runs => stallChart(runs, 'sm.l1.stall', smCycles),
    },
    {
      id: 'l2-stalls',
      title: `${CACHE}: why the next request waited`,
      about: 'Share of the cycles of all banks.',
      pair: true,
      has: stalled('l2.stall', l2Cycles),
      chart: runs => stallChart(runs, 'l2.stall', l2Cycles),
    },
    {
      id: 'l2-queue',
      title: `${CACHE} access queues`,
      about: 'How full, while in use.',
      pair: true,
      chart: runs => queueChart(runs, 'l2.access_queue'),
    },
    {
      id: 'dram-queue',
      title: 'DRAM scheduler queues',
      about: 'How full, while in use.',
      pair: true,
      chart: runs => queueChart(runs, 'dram.queue_occupancy'),
    },
  ],
});
showFigures({
  id: 'limits',
  short: 'Limits',
  title: 'Limits',
  has: hasStack,
  figures: [
    {id: 'peaks', title: 'Achieved rates against peaks', has: hasPeaks, chart: peakChart},
    {
      id: 'roofline',
      title: 'Roofline',
      about:
        `Circles: per byte of DRAM traffic, diamonds: per byte through the ${CACHE} data ports, small circles: single kernels of the chosen run. Ceilings are the configuration’s.`,
      has: r => total(r, 'sm.thread_instructions') > 0,
      ofChosen: true,
      chart: () => (rooflinePoints().length ? rooflineChart : null),
    },
  ],
});
showFigures({
  id: 'energy',
  short: 'Energy',
  title: 'Energy',
  about:
    'Events times their energy, and static power times time. Read differences between runs of one chip, not watts: the energies are published orders of magnitude.',
  has: r => hasStack(r) && total(r, 'energy.total_pj') > 0,
  modes: [
    ['share', 'shares'],
    ['energy', 'mJ'],
  ],
  figures: [{id: 'energy-stack', chart: energyChart}],
});
