/* A page of a chip beside silicon: goals, scatter of cycles, outliers, all kernels. */

const HALVES = [
  ['test', COLOURS[0], 'never used for fitting'],
  ['tune', COLOURS[3], 'parameters may be fitted on it'],
];
const WORDS = Object.fromEntries(DATA.counters.map(c => [c.id, c.words]));
const UNITS = Object.fromEntries(DATA.counters.map(c => [c.id, c.unit]));

function isNumber(v) {
  return typeof v === 'number' && Number.isFinite(v);
}
function errorText(v, unit) {
  if (!isNumber(v)) return '–';
  return `${v > 0 ? '+' : ''}${v.toFixed(1)} ${unit === '%' ? '%' : 'pts'}`;
}
function plainError(v, unit) {
  return isNumber(v) ? `${v.toFixed(1)} ${unit === '%' ? '%' : 'pts'}` : '–';
}
function badge(verdict) {
  return el('span', {class: `tag ${{met: 'pass', missed: 'miss'}[verdict] || 'unmeasured'}`}, verdict);
}

function summary() {
  const s = DATA.scores.test.cycles,
    all = DATA.scores.both.cycles;
  const first = opening(document.title, 'Summary');
  first.append(
    el(
      'p',
      {class: 'lead'},
      `Chip ${DATA.chip}, programs of size ${DATA.size}, against ${DATA.silicon}. ` +
        `Only launches of more than ${whole(DATA.least_cycles)} cycles on silicon count.`,
    ),
    cards([
      [
        'cycle error',
        plainError(s.absolute, '%'),
        `mean over ${s.kernels} kernels of the half that is never fitted; both halves ${plainError(all.absolute, '%')}`,
      ],
      [
        'Pearson',
        isNumber(s.pearson) ? s.pearson.toFixed(3) : '–',
        `of logarithms ${isNumber(s.pearson_of_logarithms) ? s.pearson_of_logarithms.toFixed(3) : '–'}`,
      ],
      ['rank', isNumber(s.rank) ? s.rank.toFixed(3) : '–', 'Spearman, over kernels'],
      ['launches', whole(s.launches), `of ${s.programs} programs`],
    ]),
  );
}

function goals() {
  const s = section('goals', 'Goals', 'Goals', 'Judged on the half "test", mean over kernels.');
  const text = (g, v) => (isNumber(v) ? Number(v.toPrecision(4)) + g.unit : '–');
  s.append(
    sortableTable(
      'goal-table',
      [
        {title: 'verdict', kind: 'name', value: g => g.verdict, text: g => badge(g.verdict)},
        {title: 'what', kind: 'wide', value: g => g.what},
        {title: 'measured', kind: 'number', value: g => g.measured, text: g => text(g, g.measured)},
        {
          title: 'goal',
          kind: 'number',
          value: g => g.at_least ?? g.at_most,
          text: g => (isNumber(g.at_least) ? `≥ ${text(g, g.at_least)}` : `≤ ${text(g, g.at_most)}`),
        },
      ],
      DATA.goals,
    ).element,
  );
}

/* Simulated over measured cycles, both logarithmic: what is on the line agrees. */
function scatterChart(width, byLaunch) {
  const halfOf = Object.fromEntries(DATA.programs.map(p => [p.name, p.half]));
  const points = byLaunch
    ? DATA.launches.map(([program, kernel, n, x, y]) => ({
        half: halfOf[program],
        name: `${program} ${kernel}, launch ${n}`,
        x,
        y,
      }))
    : DATA.kernels.map(k => ({
        half: k.half,
        name: `${k.program} ${k.kernel}`,
        x: k.silicon.cycles,
        y: k.simulated.cycles,
      }));
  const shown = points.filter(p => p.x > 0 && p.y > 0);
  const values = shown.flatMap(p => [p.x, p.y]);
  const low = 10 ** Math.floor(Math.log10(Math.min(...values, 1e3))),
    high = 10 ** Math.ceil(Math.log10(Math.max(...values, 1e4)));
  const line = (factor, type) => ({
    type: 'line',
    symbol: 'none',
    silent: true,
    lineStyle: {color: css('--dim'), width: 1, type},
    data: [
      [low, low * factor],
      [high, high * factor],
    ],
  });
  const axis = {type: 'log', min: low, max: high, nameLocation: 'middle', axisLabel: {formatter: tick}};
  return {
    height: Math.min(620, Math.max(320, width * 0.62)),
    label: 'simulated against measured cycles',
    option: {
      legend: {data: HALVES.map(h => h[0])},
      grid: {left: 70, right: 24, top: 36, bottom: 48},
      xAxis: {...axis, name: 'cycles on silicon', nameGap: 28},
      yAxis: {...axis, name: 'simulated cycles', nameGap: 52},
      tooltip: {
        trigger: 'item',
        formatter: p =>
          `<b>${escaped(p.name)}</b><br>silicon ${whole(p.value[0])}, simulated ${whole(p.value[1])}` +
          `<br>${errorText((100 * (p.value[1] - p.value[0])) / p.value[0], '%')}`,
      },
      series: [
        line(1, 'solid'),
        line(1.15, [4, 4]),
        line(0.85, [4, 4]),
        ...HALVES.map(([half, c]) => ({
          type: 'scatter',
          name: half,
          symbolSize: byLaunch ? 6 : 9,
          itemStyle: {color: c, opacity: byLaunch ? 0.55 : 0.85},
          data: shown.filter(p => p.half === half).map(p => ({name: p.name, value: [p.x, p.y]})),
        })),
      ],
    },
  };
}
function scatter() {
  let byLaunch = false;
  const s = section(
    'scatter',
    'Scatter',
    'Cycles',
    'Solid: the same as silicon; dashed: 15 % more and less.',
    switcher(
      [
        ['kernels', 'kernels'],
        ['launches', 'launches'],
      ],
      v => {
        byLaunch = v === 'launches';
        chart.draw();
      },
    ),
  );
  const chart = addChart(s, 'cycle-scatter', width => scatterChart(width, byLaunch));
}

function scores() {
  const s = section(
    'counters',
    'Counters',
    'Counters',
    'Mean errors over kernels: every kernel weighs the same, however often it was launched.',
  );
  const rows = DATA.counters.flatMap(c =>
    HALVES.map(([half]) => ({...DATA.scores[half][c.id], id: c.id, half})).filter(r => r.kernels),
  );
  const n = (title, key, text) => ({title, kind: 'number', value: r => r[key], text});
  s.append(
    sortableTable(
      'score-table',
      [
        {title: 'counter', kind: 'name', value: r => WORDS[r.id]},
        {title: 'half', kind: 'name', value: r => r.half},
        n('kernels', 'kernels'),
        n('absolute', 'absolute', r => plainError(r.absolute, UNITS[r.id])),
        n('signed', 'signed', r => errorText(r.signed, UNITS[r.id])),
        n('absolute, by launch', 'absolute_by_launch', r => plainError(r.absolute_by_launch, UNITS[r.id])),
        n('Pearson', 'pearson', r => (isNumber(r.pearson) ? r.pearson.toFixed(3) : '–')),
        n('rank', 'rank', r => (isNumber(r.rank) ? r.rank.toFixed(3) : '–')),
      ],
      rows,
    ).element,
  );
}

function outliers() {
  const s = section(
    'outliers',
    'Outliers',
    'Furthest off',
    'Where the simulated cycles go, and the counters whose difference points the same way.',
  );
  s.append(
    sortableTable(
      'outlier-table',
      [
        {title: 'kernel', kind: 'name', value: k => `${k.program} ${k.kernel}`},
        {
          title: 'silicon',
          kind: 'number',
          value: k => k.silicon.cycles,
          text: k => whole(k.silicon.cycles),
        },
        {
          title: 'simulated',
          kind: 'number',
          value: k => k.simulated.cycles,
          text: k => whole(k.simulated.cycles),
        },
        {
          title: 'error',
          kind: 'number',
          value: k => k.signed.cycles,
          text: k => errorText(k.signed.cycles, '%'),
        },
        {title: 'diagnosis', kind: 'wide', value: k => k.diagnosis},
      ],
      DATA.kernels.slice(0, 10),
    ).element,
  );
}

function kernels() {
  const s = section('kernels', 'Kernels', 'All kernels', 'Signed errors, mean over the launches that count.');
  const columns = [
    {title: 'program', kind: 'name', value: k => k.program},
    {title: 'kernel', kind: 'name', value: k => k.kernel},
    {title: 'half', kind: 'name', value: k => k.half},
    {title: 'launches', kind: 'number', value: k => k.launches},
    ...DATA.counters
      .filter(c => DATA.kernels.some(k => isNumber(k.signed[c.id])))
      .map(c => ({
        title: c.words,
        kind: 'number',
        value: k => k.signed[c.id],
        text: k => errorText(k.signed[c.id], c.unit),
      })),
  ];
  const table = sortableTable('kernel-table', columns, DATA.kernels);
  const search = searchBox('filter kernels', t =>
    table.filter(wordTest(t, k => [k.program, k.kernel, k.half, k.diagnosis].join(' '))),
  );
  s.append(el('div', {class: 'controls'}, search, table.count), table.element);
}

function halves() {
  const s = section(
    'halves',
    'Halves',
    'Programs',
    'The half of a program follows from its name: the first digit of its SHA-256, 0 to 7 tune, 8 to f test.',
  );
  s.append(
    sortableTable(
      'program-table',
      [
        {title: 'program', kind: 'name', value: p => p.name},
        {title: 'half', kind: 'name', value: p => p.half},
        {title: 'kernels', kind: 'number', value: p => p.kernels},
        {title: 'launches', kind: 'number', value: p => p.launches},
        {
          title: 'cycle error',
          kind: 'number',
          value: p => p.absolute.cycles,
          text: p => plainError(p.absolute.cycles, '%'),
        },
        {
          title: 'signed',
          kind: 'number',
          value: p => p.signed.cycles,
          text: p => errorText(p.signed.cycles, '%'),
        },
        {title: 'not compared', kind: 'wide', value: p => p.failure || ''},
      ],
      DATA.programs,
    ).element,
  );
}

function fit() {
  if (!DATA.fit.length) return;
  const s = section(
    'fit',
    'Fit',
    'Fit',
    'Tried on the half "tune" alone; the rest of the page is with the chosen one.',
  );
  s.append(
    sortableTable(
      'fit-table',
      [
        {title: 'settings', kind: 'name', value: t => t.settings.join(' ')},
        {
          title: 'cycle error',
          kind: 'number',
          value: t => t.absolute,
          text: t => plainError(t.absolute, '%'),
        },
        {title: 'kernels', kind: 'number', value: t => t.kernels},
        {title: '', kind: 'name', value: t => (t.chosen ? 'chosen' : '')},
      ],
      DATA.fit,
    ).element,
  );
}

header();
summary();
goals();
fit();
scatter();
outliers();
scores();
kernels();
halves();
footer(`Comparison of ${DATA.chip} with ${DATA.silicon}, heddle ${DATA.heddle_version}`);
