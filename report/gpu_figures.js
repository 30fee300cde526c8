/* Figures of runs on chips with SMs or cores that say where their cycles went. */

const hasStack = r => r.machine && classesOf(r);
const stalled = (array, of) => r => total(r, array) && sum(total(r, array)) > 0 && of(r) > 0;
const smCycles = r => total(r, 'sm.cycles');

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
  figures: [{id: 'cpi', chart: cpiChart}],
});
showFigures({
  id: 'memory',
  short: 'Memory',
  title: 'Memory system',
  has: hasStack,
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
      title: 'L2: why the next request waited',
      about: 'Share of the cycles of all banks.',
      pair: true,
      has: stalled('l2.stall', l2Cycles),
      chart: runs => stallChart(runs, 'l2.stall', l2Cycles),
    },
    {
      id: 'l2-queue',
      title: 'L2 access queues',
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
    {id: 'peaks', title: 'Achieved rates against peaks', chart: peakChart},
    {
      id: 'roofline',
      title: 'Roofline',
      about:
        'Circles: per byte of DRAM traffic, diamonds: per byte through the L2 data ports, small circles: single kernels of the chosen run. Ceilings are the configuration’s.',
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
