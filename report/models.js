/*
 * What pages call things, by model: a fabric has phases, CPU cores run programs, a mesh carries
 * packets, and a front end without a core has structures and MPKI.
 */

const isModel = (run, ...names) => names.includes(run.result.run.model);

/*
 * The records that a result calls kernels: title and headings of their section, the words for one
 * and for several.
 */
function recordWords() {
  const rows = RUNS.flatMap(r => list(r.result.kernels));
  if (rows.length && RUNS.every(r => isModel(r, 'fabric')))
    return {
      title: 'Phases',
      each: 'Each phase',
      numbers: 'All numbers of a phase, from its start to its end',
      by: 'by phase',
      one: 'phase',
      many: 'phases',
    };
  const isCpu = rows.map(k => k.first_core !== undefined);
  if (rows.length && isCpu.every(x => x))
    return {
      title: 'Runs of CPU programs',
      each: 'Each run',
      numbers: 'All numbers of a run, from its start to its end',
      by: 'by run',
      one: 'run',
      many: 'programs',
    };
  if (isCpu.some(x => x))
    return {
      title: 'Kernels and CPU programs',
      each: 'Launches and runs',
      numbers: 'All numbers of a launch or run, from its start to its end',
      by: 'one by one',
      one: 'launch or run',
      many: 'kernels and programs',
    };
  return {
    title: 'Kernels',
    each: 'Launches',
    numbers: 'All numbers of a launch, from its start to its end',
    by: 'by launch',
    one: 'launch',
    many: 'kernels',
  };
}

/* ---- the facts at the top: [label, value, note] ---- */

function dramFact(r) {
  const dram = measure(r, 'dram_bytes');
  const known = dram.peak && dram.value !== null;
  const note = known ? `${percent(dram.value / dram.peak)} of ${(dram.peak / 1e9).toFixed(1)} GB/s` : '';
  return ['DRAM', measureText(dram), note];
}
const cyclesFact = r => ['cycles', whole(r.cycles), `${timeText(r.seconds)} of simulated time`];

function fabricFacts(r) {
  const issue = measure(r, 'issue'),
    phases = list(r.result.kernels).map(k => k.name);
  const m = id => measureText(measure(r, id));
  return [
    cyclesFact(r),
    ['phases', exact(phases.length), [...new Set(phases)].slice(0, 4).join(', ')],
    [
      'mode changes',
      exact(total(r, 'fabric.switches')),
      `${exact(total(r, 'fabric.switch_cycles'))} cycles, and ${exact(total(r, 'fabric.flush_cycles'))} to write back caches`,
    ],
    [
      'operations per cycle',
      short(issue.value),
      issue.peak ? `${percent(issue.value / issue.peak)} of the peak` : '',
    ],
    ['first-level hits', m('rl1_hit_rate'), `${m('scratchpad')} accesses to scratchpad banks`],
    ['second-level hits', m('rl2_hit_rate'), ''],
    dramFact(r),
  ];
}

function meshFacts(r) {
  const t = name => total(r, `traffic.${name}`);
  return [
    cyclesFact(r),
    ['packets', short(t('came')), `delivered, of ${short(t('followed'))} made within the window`],
    ['latency', short(t('latency')), `cycles; ${short(t('network_latency'))} without the wait in the source’s queue`],
    ['accepted load', short(t('accepted')), 'flits per node and cycle'],
    ['path', short(t('mean_routers')), 'routers of a packet, mean'],
    [
      'saturated',
      t('is_saturated') ? 'yes' : 'no',
      t('is_saturated') ? 'packets of the window were not delivered in time' : '',
    ],
  ];
}

/* Scalable vectors of CPU cores: nothing where the program had none. */
function vectorFacts(r) {
  if (!total(r, 'core.vector.instructions')) return [];
  return [
    [
      'vector instructions',
      short(total(r, 'core.vector.instructions')),
      `${percent(total(r, 'core.vector.activity'))} of the elements of memory accesses active`,
    ],
    [
      'bus words per vector load',
      short(total(r, 'core.vector.words_per_load')),
      `${short(total(r, 'core.vector.misalignment_stalls'))} additional words`,
    ],
  ];
}
