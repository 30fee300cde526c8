/* The programs of a mix: what each does alone and together, and what it takes of what is shared. */

/* A file's programs once, whichever of its clusters they ran on; [{file, runs, programs}]. */
const MIXES = (() => {
  const mixes = new Map();
  for (const r of RUNS) {
    const programs = list(r.result.applications);
    if (!programs.length) continue;
    if (!mixes.has(r.file)) mixes.set(r.file, {file: r.file, run: r, runs: [], programs: []});
    const m = mixes.get(r.file);
    m.runs.push(r);
    programs.forEach((p, i) => m.programs.push({...p, run: r, number: p.place ?? i}));
  }
  for (const m of mixes.values()) {
    m.programs.sort((a, b) => a.number - b.number);
    m.label = m.file.replace(/^.*\//, '').replace(/\.json$/, '');
  }
  return [...mixes.values()];
})();
/* Programs keep their colour in all mixes of a page. */
const PROGRAM_NAMES = [...new Set(MIXES.flatMap(m => m.programs.map(p => p.name)))];
const programColour = name => SERIES_COLOURS[PROGRAM_NAMES.indexOf(name) % SERIES_COLOURS.length];

function placeOf(p) {
  const [kind, first, last] =
    p.first_core !== undefined ? ['core', p.first_core, p.last_core] : ['SM', p.first_sm, p.last_sm];
  const where = first === last ? `${kind} ${first}` : `${kind}s ${first} to ${last}`;
  return p.cluster ? `${p.cluster}, ${where}` : where;
}
/* What a program took of shared resources during the whole run. */
function shareOf(p, name) {
  const unit = (p.run.result.units || {})[`application${p.number}`] || {};
  return isNumber(unit[name]) ? unit[name] : p[name] || 0;
}
function shares(m) {
  return [
    [`${CACHE} accesses`, p => shareOf(p, 'l2_accesses')],
    [`${CACHE} hits`, p => shareOf(p, 'l2_hits')],
    [`${CACHE} lines, at the end`, p => shareOf(p, 'l2_lines')],
    ['DRAM bytes', p => shareOf(p, 'dram_read_bytes') + shareOf(p, 'dram_written_bytes')],
  ]
    .map(([name, of]) => ({name, values: m.programs.map(of)}))
    .filter(s => sum(s.values) > 0);
}

function programColumns(m) {
  const n = (title, value, text) => ({title, kind: 'number', value, text: text || (r => short(value(r)))});
  const hits = p => (p.l2_accesses > 0 ? p.l2_hits / p.l2_accesses : null);
  const columns = [
    {
      title: 'program',
      kind: 'name',
      value: p => p.name,
      text: p => el('span', {}, el('span', {style: `color:${programColour(p.name)}`}, '■ '), p.name),
    },
    {title: 'runs on', kind: 'name', value: placeOf},
  ];
  if (m.programs.some(p => isNumber(p.alone_ipc)))
    columns.push(
      n('IPC alone', p => p.alone_ipc),
      n('IPC together', p => p.ipc),
      n('slowdown', p => p.slowdown, p => (isNumber(p.slowdown) ? p.slowdown.toFixed(2) : '–')),
    );
  else columns.push(n('IPC', p => p.ipc));
  columns.push(
    n('instructions', p => p.instructions ?? p.warp_instructions),
    n('time', p => p.fs, p => (isNumber(p.fs) ? timeText(p.fs / 1e15) : 'not ended')),
    n('complete runs', p => p.complete_runs),
    n(`${CACHE} hits`, hits, p => (hits(p) === null ? '–' : percent(hits(p)))),
  );
  return columns;
}

/* Speed beside the run alone, which is 1. */
function slowdownChart(m) {
  const rows = m.programs.filter(p => isNumber(p.slowdown));
  return width => {
    const left = nameRoom(rows, width) + 10;
    return {
      height: rows.length * 34 + 56,
      label: 'speed beside the run alone',
      option: {
        grid: {left, right: 50, top: 8, bottom: 44},
        xAxis: {
          type: 'value',
          min: 0,
          max: v => Math.max(1, v.max),
          name: 'speed, run alone = 1',
          nameLocation: 'middle',
          nameGap: 26,
          axisLabel: {formatter: tick},
        },
        yAxis: {
          type: 'category',
          inverse: true,
          data: rows.map(p => p.name),
          axisLabel: {width: left - 12, overflow: 'truncate', interval: 0},
        },
        series: [
          {
            type: 'bar',
            barWidth: 20,
            cursor: 'default',
            data: rows.map(p => ({value: p.slowdown, itemStyle: {color: programColour(p.name)}})),
            label: {show: true, position: 'right', color: css('--ink'), formatter: p => p.value.toFixed(2)},
            markLine: {
              silent: true,
              symbol: 'none',
              label: {show: false},
              lineStyle: {color: css('--dim'), type: 'solid', width: 1},
              data: [{xAxis: 1}],
            },
          },
        ],
      },
    };
  };
}
function sharesChart(m) {
  const rows = shares(m).map(s => ({
    name: s.name,
    whole: sum(s.values),
    values: Object.fromEntries(m.programs.map((p, i) => [p.name, s.values[i]])),
  }));
  const parts = m.programs.map(p => [p.name, programColour(p.name), placeOf(p)]);
  return width => stackedBars({rows, parts, width, axisName: 'share of all programs', asShare: true});
}

/* What --series sampled of each program: [title, unit, one column of the series for each program]. */
function sampledShares(m) {
  const columns = list(Object.keys((m.run.result.series || {}).columns || {}));
  return [
    ['l2_lines', `${CACHE} lines`],
    ['l2_accesses', `${CACHE} accesses per cycle`],
    ['dram_read_bytes', 'DRAM bytes read per cycle'],
    ['dram_written_bytes', 'DRAM bytes written per cycle'],
  ]
    .map(([stat, title]) => ({
      title,
      rows: m.programs
        .map(p => ({name: p.name, column: `application${p.number}.${stat}`, colour: programColour(p.name)}))
        .filter(r => columns.includes(r.column)),
    }))
    .filter(s => s.rows.some(r => sampledValues(m, r.column).some(v => v > 0)));
}
const sampledValues = (m, column) => list(((m.run.result.series || {}).columns || {})[column]);
/* The network that the programs share: on a mesh by type of core, else requests and replies as a whole. */
function sampledNetwork(m) {
  const types = [
      {name: 'CPU', column: 'mesh.cpu.flits', colour: COLOURS[0]},
      {name: 'GPU', column: 'mesh.gpu.flits', colour: COLOURS[2]},
    ],
    ways = [
      {name: 'requests', column: 'request_network.bytes', colour: COLOURS[0]},
      {name: 'replies', column: 'reply_network.bytes', colour: COLOURS[4]},
    ];
  const used = r => sampledValues(m, r.column).some(v => v > 0);
  if (types.some(used))
    return {title: 'Network flits per cycle', about: 'Packets for CPU cores and for the GPU.', rows: types};
  if (ways.some(used))
    return {
      title: 'Network bytes per cycle',
      about: 'All programs together: this network does not count them separately.',
      rows: ways,
    };
  return null;
}
function overTimeChart(m, sampled) {
  const all = sampled.rows.map(r => ({...r, points: seriesValues(m.run, r.column).values}));
  return width => ({
    height: 216 + legendHeight(all.map(r => r.name), width),
    label: sampled.title,
    option: {
      legend: {data: all.map(r => r.name)},
      grid: {left: 62, right: 20, top: legendHeight(all.map(r => r.name), width) + 10, bottom: 44},
      xAxis: {
        type: 'value',
        max: 'dataMax',
        name: 'core cycle',
        nameLocation: 'middle',
        nameGap: 26,
        splitLine: {show: false},
        axisLabel: {formatter: tick},
      },
      yAxis: {type: 'value', axisLabel: {formatter: tick}},
      tooltip: {trigger: 'axis'},
      series: all.map(r => ({
        type: 'line',
        name: r.name,
        stack: 'all',
        step: 'end',
        symbol: 'none',
        lineStyle: {width: 0},
        itemStyle: {color: colour(r.colour)},
        areaStyle: {opacity: 0.85},
        data: r.points,
      })),
    },
  });
}

/* Who slows whom: of mixes of two programs, the speed of each beside the other. */
function pairedPrograms() {
  const pairs = MIXES.filter(m => m.programs.length === 2 && m.programs.some(p => isNumber(p.slowdown)));
  if (pairs.length < 2) return null;
  const names = PROGRAM_NAMES.filter(n => pairs.some(m => m.programs.some(p => p.name === n)));
  const beside = (name, other) =>
    pairs
      .filter(m => m.programs.some(p => p.name === name) && m.programs.some(p => p.name === other))
      .map(m => m.programs.find(p => p.name === name).slowdown)
      .find(isNumber);
  const columns = [
    {title: 'slowdown of', kind: 'name', value: r => r.name},
    ...names.map((other, i) => ({
      title: `beside ${other}`,
      kind: 'number',
      value: r => r.values[i],
      text: r => (isNumber(r.values[i]) ? r.values[i].toFixed(2) : '–'),
    })),
  ];
  const rows = names.map(name => ({name, values: names.map(o => (o === name ? undefined : beside(name, o)))}));
  return el(
    'div',
    {class: 'keep'},
    el('h3', {}, 'Which program slows which'),
    el('p', {class: 'about'}, 'From the mixes of two programs: IPC beside the other program divided by IPC alone.'),
    sortableTable('pairs-table', columns, rows).element,
  );
}
/* Several mixes side by side: the speed of each program in each of them. */
function comparedMixes() {
  const rows = PROGRAM_NAMES.map(name => ({
    name,
    values: MIXES.map(m => m.programs.find(p => p.name === name)?.slowdown),
  })).filter(r => r.values.some(isNumber));
  if (MIXES.length < 2 || !rows.length) return null;
  const columns = [
    {title: 'program', kind: 'name', value: r => r.name},
    ...MIXES.map((m, i) => ({
      title: m.label,
      kind: 'number',
      value: r => r.values[i],
      text: r => (isNumber(r.values[i]) ? r.values[i].toFixed(2) : '–'),
    })),
  ];
  return el(
    'div',
    {class: 'keep'},
    el('h3', {}, 'Slowdown in each mix'),
    el(
      'p',
      {class: 'about'},
      'Each column is a mix.' + (pairedPrograms() ? '' : ' To see which program slows which, add mixes of two programs.'),
    ),
    sortableTable('mixes-table', columns, rows).element,
  );
}

function programsOf(s, m) {
  const several = MIXES.length > 1;
  if (several) s.append(el('h3', {}, m.label));
  s.append(sortableTable('programs-' + m.label, programColumns(m), m.programs).element);
  const box = el('div', {class: 'pair'});
  s.append(box);
  if (m.programs.some(p => isNumber(p.slowdown)))
    block(box, 'Speed in the mix', 'slowdown-' + m.label, slowdownChart(m), 'IPC together divided by IPC alone.');
  if (shares(m).length)
    block(box, 'Shares of what is shared', 'shares-' + m.label, sharesChart(m), 'Over the whole run.');
  for (const sampled of [...sampledShares(m), sampledNetwork(m)].filter(Boolean))
    block(
      s,
      `${sampled.title} over time`,
      `${sampled.title}-${m.label}`.replace(/\W+/g, '-'),
      overTimeChart(m, sampled),
      sampled.about,
    );
}
/* The first section of a page of mixes; false: there is none. */
function programs() {
  if (!MIXES.length) return false;
  const s = opening(document.title, 'Programs');
  const sampled = MIXES.some(m => sampledShares(m).length);
  s.append(
    el(
      'p',
      {class: 'about'},
      'Numbers of a program are those of its first run or its window. Slowdown is IPC together divided by IPC alone: 0.5 is half as fast.' +
        (sampled ? '' : ' For shares over time, run the mix with --series programs.'),
    ),
  );
  for (const table of [pairedPrograms(), comparedMixes()]) if (table) s.append(table);
  MIXES.forEach(m => programsOf(s, m));
  return true;
}
