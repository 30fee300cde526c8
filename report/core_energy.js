/* Energy of CPU cores by part: of core.cost, or of lean cores with back ends by rate. */

const CORE_ENERGY = [
  ['static', 'var(--none)', 'static power times time, of all parts', 'static'],
  ['rest', '#009e73', 'the rest of the core, by retired instructions', 'rest of the core'],
  ['icache', '#f0e442', 'I-cache, by fetched lines', 'I-cache'],
  ['predictor', '#cc79a7', 'branch predictor, by conditional branches', 'predictor'],
  ['btb', '#d55e00', 'branch target buffer, by lookups', 'BTB'],
  ['l2', '#0072b2', 'private L2, by accesses', 'L2'],
];
const LEAN_ENERGY = [
  ['core', '#009e73', 'lean cores without I-caches', 'cores'],
  ['icache', '#f0e442', 'their I-caches', 'I-caches'],
  ['bus', '#cc79a7', 'instruction buses', 'buses'],
  ['buffer', '#0072b2', 'line buffers beyond four of a core', 'line buffers'],
];

/* Both in mJ. */
function coreEnergy(run) {
  const pj = {static: total(run, 'cost.all_static_pj'), ...total(run, 'cost.dynamic_pj')};
  return Object.fromEntries(Object.entries(pj).map(([k, v]) => [k, v / 1e9]));
}
function leanEnergy(run) {
  return Object.fromEntries(LEAN_ENERGY.map(([k]) => [k, total(run, `lean.${k}_nj`) / 1e6]));
}

/* area: statistic in square micrometres. */
function coreEnergyChart(runs, mode, parts, valuesOf, area) {
  const rows = runs.map(r => {
    const values = valuesOf(r),
      mm2 = (total(r, area) / 1e6).toFixed(2);
    return {name: `${r.label}\n${short(sum(values))} mJ, ${mm2} mm²`, values, whole: sum(values)};
  });
  return width =>
    stackedBars({
      rows,
      parts,
      labels: Object.fromEntries(parts.map(([k, , , l]) => [k, l])),
      width,
      asShare: mode === 'share',
      axisName: mode === 'share' ? 'share of all energy' : 'energy in mJ',
    });
}

const hasCost = r => total(r, 'cost.pj_with_l2') > 0;
const hasLean = r => total(r, 'lean.energy_nj') > 0;
showFigures({
  id: 'core-energy',
  short: 'Energy of cores',
  title: 'Energy and area of CPU cores',
  about: 'Published areas and powers of core parts (Milic 2017, 40 nm): half of each power is static, half by activity.',
  has: r => hasCost(r) || hasLean(r),
  modes: [
    ['share', 'shares'],
    ['energy', 'mJ'],
  ],
  figures: [
    {
      id: 'core-cost',
      title: 'Cores and their L2s, by part',
      has: hasCost,
      chart: (runs, mode) => coreEnergyChart(runs.filter(hasCost), mode, CORE_ENERGY, coreEnergy, 'cost.um2_with_l2'),
    },
    {
      id: 'lean-cost',
      title: 'Lean cores with I-caches, instruction buses and line buffers',
      has: hasLean,
      chart: (runs, mode) => coreEnergyChart(runs.filter(hasLean), mode, LEAN_ENERGY, leanEnergy, 'lean.area_um2'),
    },
  ],
});
