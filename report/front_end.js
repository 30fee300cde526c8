/* Front ends over a trace, without a core: a table of the structures, and their misses over their sizes. */

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
        row = {group, kind, name: found[1], bits: total(r, `${group}.${found[1]}.storage_bits`)};
      for (const section of ['serial', 'parallel', 'total'])
        row[section] = instructions[section] ? (1000 * misses[section]) / instructions[section] : null;
      rows.push(row);
    }
  return rows;
}
/* The structure of a kind with the fewest misses, or null. */
function fewestMisses(r, kind) {
  const rows = frontEndRows(r).filter(x => x.kind === kind && x.total !== null);
  return rows.length ? {...rows.sort((a, b) => a.total - b.total)[0], count: rows.length} : null;
}
function parallelShare(r) {
  const instructions = total(r, 'trace.instructions') || {};
  return instructions.parallel / instructions.total;
}
function frontEndFacts(r) {
  const instructions = total(r, 'trace.instructions') || {},
    branches = total(r, 'trace.branches') || {};
  const best = FRONT_ENDS.map(([, kind]) => {
    const row = fewestMisses(r, kind);
    if (!row) return null;
    return [`fewest ${kind} misses`, short(row.total), `per 1000 instructions: ${row.name}, of ${row.count}`];
  });
  const share = parallelShare(r),
    density = (1000 * branches.total) / instructions.total;
  return [
    ['instructions', short(instructions.total), `${percent(share)} in parallel regions`],
    ['branches', short(branches.total), `${short(density)} per 1000 instructions`],
    ['threads', exact(total(r, 'trace.threads')), ''],
    ...best.filter(Boolean),
  ];
}
/* Several runs: nothing takes time, so nothing is faster. */
function frontEndSummary() {
  const fewest = ([, kind]) => ({
    title: `fewest ${kind} misses`,
    kind: 'number',
    value: r => fewestMisses(r, kind)?.total ?? null,
    text: r => {
      const row = fewestMisses(r, kind);
      return row ? `${short(row.total)} (${row.name})` : '–';
    },
  });
  const instructions = r => total(r, 'trace.instructions').total;
  const columns = [
    {title: 'run', kind: 'name', value: r => r.label},
    {title: 'instructions', kind: 'number', value: instructions, text: r => short(instructions(r))},
    {title: 'parallel', kind: 'number', value: parallelShare, text: r => percent(parallelShare(r))},
    ...FRONT_ENDS.map(fewest),
  ];
  return [
    el('p', {class: 'about'}, 'Misses are per 1000 instructions of all code.'),
    sortableTable('summary-table', columns, RUNS).element,
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

/* ---- curves ---- */

const SECTION_WORDS = {total: 'all code', serial: 'serial code', parallel: 'parallel regions'};
/* A parameter as a number; sizes stand there as 64B or 16KiB. */
function configNumber(r, name) {
  const [, number, unit] = /^(\d+)([KM]i)?B?$/.exec(r.result.config[name].value) || [];
  return Number(number) * (unit === 'Mi' ? 1 << 20 : unit === 'Ki' ? 1024 : 1);
}
function bytesWord(n) {
  return n % 1024 ? `${n} B` : `${n / 1024} KiB`;
}

/* Misses over a size, one line for all structures that are alike in everything else. */
function sizeCurves(r, group, mode, sizeOf, textOf, lineOf, axisName) {
  const points = frontEndRows(r)
    .filter(x => x.group === group && x[mode] !== null)
    .map(x => ({size: sizeOf(x), line: lineOf(x), value: x[mode], name: x.name}));
  const sizes = [...new Set(points.map(p => p.size))].sort((a, b) => a - b),
    lines = [...new Set(points.map(p => p.line))];
  if (!points.length) return null;
  return width => {
    const head = legendHeight(lines, width) + 14;
    return {
      height: head + 260,
      label: `misses per 1000 instructions over ${axisName}, ${lines.join('; ')}`,
      option: {
        legend: {data: lines},
        grid: {left: 52, right: 20, top: head + 8, bottom: 44},
        tooltip: {formatter: p => `<b>${p.data.of}</b><br>${short(p.value)} misses per 1000 instructions`},
        xAxis: {type: 'category', data: sizes.map(textOf), name: axisName, nameLocation: 'middle', nameGap: 26},
        yAxis: {type: 'value', min: 0, axisLabel: {formatter: tick}},
        series: lines.map((name, i) => ({
          type: 'line',
          name,
          symbol: 'circle',
          symbolSize: 6,
          showAllSymbol: true,
          itemStyle: {color: colour(COLOURS[i % COLOURS.length])},
          data: sizes.map(size => {
            const p = points.find(q => q.size === size && q.line === name);
            return p ? {value: p.value, of: p.name} : null;
          }),
        })),
      },
    };
  };
}
function waysWord(n) {
  return n === 1 ? '1 way' : `${n} ways`;
}
function btbCurves(r, mode) {
  const of = (x, field) => configNumber(r, `btbs.${x.name}.${field}`);
  return sizeCurves(r, 'btbs', mode, x => of(x, 'entries'), String, x => waysWord(of(x, 'ways')), 'entries');
}
function icacheCurves(r, mode) {
  const of = (x, field) => configNumber(r, `icaches.${x.name}.${field}`);
  const line = x => `${waysWord(of(x, 'ways'))}, lines of ${of(x, 'line_bytes')} bytes`;
  return sizeCurves(r, 'icaches', mode, x => of(x, 'size_bytes'), bytesWord, line, 'capacity');
}

const OUTCOMES = [
  ['not_taken', '#0072b2', 'mispredicted branches that were not taken', 'not taken'],
  ['backward', '#eba722', 'mispredicted branches that were taken to a lower address', 'taken backward'],
  ['forward', '#6cbdee', 'mispredicted branches that were taken to a higher address', 'taken forward'],
];
function predictorBars(r, mode) {
  const n = total(r, 'trace.instructions')[mode];
  const rows = frontEndRows(r)
    .filter(x => x.group === 'predictors' && x[mode] !== null)
    .map(x => {
      const part = k => (1000 * total(r, `predictors.${x.name}.${k}_misses`)[mode]) / n;
      return {
        name: `${x.name}\n${(x.bits / 8192).toFixed(2)} KiB`,
        values: Object.fromEntries(OUTCOMES.map(([k]) => [k, part(k)])),
      };
    });
  if (!rows.length) return null;
  return width =>
    stackedBars({
      rows,
      parts: OUTCOMES,
      labels: Object.fromEntries(OUTCOMES.map(([k, , , l]) => [k, l])),
      width,
      axisName: 'misses per 1000 instructions',
    });
}

const hasStructures = group => r => isModel(r, 'front-end') && frontEndRows(r).some(x => x.group === group);
showFigures({
  id: 'front-end-curves',
  short: 'Curves',
  title: 'Misses by size',
  about: 'Misses per 1000 instructions of the section, of the chosen run.',
  has: r => isModel(r, 'front-end'),
  each: true,
  modes: Object.entries(SECTION_WORDS),
  words: r => (total(r, 'trace.instructions').parallel ? '' : 'The trace has no parallel regions.'),
  missing: 'This run is not one of front ends.',
  figures: [
    {id: 'predictor-bars', title: 'Branch predictors, by outcome', has: hasStructures('predictors'), chart: predictorBars},
    {id: 'btb-curves', title: 'Branch target buffers', has: hasStructures('btbs'), chart: btbCurves},
    {id: 'icache-curves', title: 'I-caches', has: hasStructures('icaches'), chart: icacheCurves},
  ],
});
