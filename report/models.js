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

/* Rows of a front-end result: one for each structure, in misses per 1000 instructions of a section. */
const FRONT_ENDS = [
  ['predictors', 'branch predictor'],
  ['btbs', 'branch target buffer'],
  ['icaches', 'I-cache'],
];
function frontEndRows(r) {
  const instructions = total(r, 'trace.instructions') || {};
  const rows = [];
  for (const [group, kind] of FRONT_ENDS)
    for (const name of Object.keys(r.result.totals)) {
      const found = name.match(`^${group}\\.(.*)\\.misses$`);
      if (!found) continue;
      const misses = total(r, name),
        row = {kind, name: found[1], bits: total(r, `${group}.${found[1]}.storage_bits`)};
      for (const section of ['serial', 'parallel', 'total'])
        row[section] = instructions[section] ? (1000 * misses[section]) / instructions[section] : null;
      rows.push(row);
    }
  return rows;
}
function frontEndFacts(r) {
  const instructions = total(r, 'trace.instructions') || {},
    branches = total(r, 'trace.branches') || {};
  const best = FRONT_ENDS.map(([, kind]) => {
    const rows = frontEndRows(r).filter(x => x.kind === kind && x.total !== null);
    const row = rows.sort((a, b) => a.total - b.total)[0];
    if (!row) return null;
    return [`fewest ${kind} misses`, short(row.total), `per 1000 instructions: ${row.name}, of ${rows.length}`];
  });
  const share = instructions.parallel / instructions.total,
    density = (1000 * branches.total) / instructions.total;
  return [
    ['instructions', short(instructions.total), `${percent(share)} in parallel regions`],
    ['branches', short(branches.total), `${short(density)} per 1000 instructions`],
    ['threads', exact(total(r, 'trace.threads')), ''],
    ...best.filter(Boolean),
  ];
}
function frontEnds() {
  const runs = RUNS.filter(r => isModel(r, 'front-end'));
  if (!runs.length) return;
  const about = 'Misses per 1000 instructions of the section.';
  const s = section('structures', 'Structures', 'Misses of each structure', about);
  const number = (title, value, text) => ({title, kind: 'number', value, text: text || (x => short(value(x)))});
  const columns = [
    ...(runs.length > 1 ? [{title: 'run', kind: 'name', value: x => x.run}] : []),
    {title: 'kind', kind: 'name', value: x => x.kind},
    {title: 'name', kind: 'name', value: x => x.name},
    number(
      'KiB',
      x => x.bits / 8192,
      x => (x.bits / 8192).toFixed(2),
    ),
    number('serial', x => x.serial),
    number('parallel', x => x.parallel),
    number('total', x => x.total),
  ];
  const rows = runs.flatMap(r => frontEndRows(r).map(x => ({...x, run: r.label})));
  s.append(sortableTable('structures-table', columns, rows).element);
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
