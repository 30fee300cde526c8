/* The sockets of a machine that is one GPU: who sends how much to whom, what kernels ask of other sockets,
 * and the links and ways over time. A run of several sockets is shown as one run for each; what belongs to the
 * machine is in all of them. */

function socketOf(run) {
  const m = /: (socket\d+)$/.exec(run.result.run.chip);
  return m ? m[1] : null;
}
/* All that were one run with this. */
function socketsOf(run) {
  return RUNS.filter(r => r.file === run.file && socketOf(r));
}
function hasSockets(run) {
  return Boolean(socketOf(run) && (run.result.units || {})['link.socket0']);
}

/* ---- who sends to whom ---- */

function trafficOf(run) {
  const rows = [];
  for (let i = 0; run.result.units[`link.socket${i}`]; i++)
    rows.push(Object.values(run.result.units[`link.socket${i}`].bytes_to || {}));
  return rows;
}
function bytesText(v) {
  const text = short(v);
  return / [A-Z]$/.test(text) ? text + 'B' : text + ' B';
}
function trafficChart() {
  const rows = trafficOf(chosen),
    names = rows.map((_, i) => `socket ${i}`),
    all = sum(rows.flat());
  const cells = rows.flatMap((row, from) => row.map((v, to) => ({from, to, v})).filter(c => c.from !== c.to));
  const {min, max} = heatRange(cells.map(c => c.v));
  const shade = v => mix(css('--heat-low'), css('--heat-high'), (v - min) / (max - min));
  const axis = (name, more) => ({
    type: 'category',
    data: names,
    name,
    nameLocation: 'middle',
    splitLine: {show: false},
    ...more,
  });
  return {
    height: rows.length * 44 + 62,
    label: 'bytes that each socket sends to each',
    option: {
      grid: {left: 92, right: 12, top: 52, bottom: 6},
      xAxis: axis('to', {position: 'top', nameGap: 26}),
      yAxis: axis('from', {inverse: true, nameGap: 70}),
      tooltip: {
        formatter: p =>
          `socket ${p.value[1]} to socket ${p.value[0]}: <b>${bytesText(p.value[2])}</b>, ${percent(p.value[2] / all)} of all`,
      },
      visualMap: {show: false, min, max, dimension: 2, inRange: {color: [css('--heat-low'), css('--heat-high')]}},
      series: [
        {
          type: 'heatmap',
          itemStyle: {borderColor: css('--bg'), borderWidth: 2},
          data: cells.map(c => ({value: [c.to, c.from, c.v], label: {color: inkOn(shade(c.v))}})),
          label: {show: true, fontSize: 12, formatter: p => bytesText(p.value[2])},
        },
      ],
    },
  };
}
function socketTable() {
  const n = (title, unit, value, text) => ({title, kind: 'number', value, text: text || (r => short(value(r)))});
  const link = (r, s) => r.result.units[`link.${socketOf(r)}`][s],
    home = (r, s) => r.result.units[`home.${socketOf(r)}`][s];
  const share = (title, value) => n(title, '', value, r => percent(value(r)));
  return sortableTable(
    'socket-table',
    [
      {title: 'socket', kind: 'name', value: socketOf},
      n('pages', '', r => home(r, 'pages')),
      n('requests', '', r => home(r, 'local') + home(r, 'remote')),
      share('of them remote', r => home(r, 'remote_share')),
      n('bytes in', '', r => link(r, 'bytes_in')),
      n('bytes out', '', r => link(r, 'bytes_out')),
      share('link in', r => link(r, 'use_in')),
      share('link out', r => link(r, 'use_out')),
      n('lanes turned', '', r => link(r, 'turns')),
    ],
    socketsOf(chosen),
  ).element;
}

/* ---- kernels ---- */

/* By launch: requests of each socket. */
function socketKernels() {
  const launches = new Map();
  for (const r of socketsOf(chosen))
    for (const k of r.result.kernels || []) {
      const row = launches.get(k.launch) || {name: k.name, launch: k.launch, started: k.started, parts: []};
      launches.set(k.launch, row);
      row.started = Math.min(row.started, k.started);
      row.parts.push({socket: socketOf(r), local: k.local_requests || 0, remote: k.remote_requests || 0});
    }
  return [...launches.values()].sort((a, b) => a.launch - b.launch);
}
function remoteShare(parts) {
  const remote = sum(parts.map(p => p.remote)),
    all = remote + sum(parts.map(p => p.local));
  return all ? remote / all : null;
}
function remoteChart() {
  const rows = socketKernels(),
    sockets = socketsOf(chosen).map(socketOf);
  const of = socket => rows.map(r => {
    const v = remoteShare(r.parts.filter(p => p.socket === socket));
    return v === null ? null : 100 * v;
  });
  const few = rows.length * sockets.length <= 64;
  return {
    height: 280,
    label: 'remote share of the requests of each kernel',
    option: {
      grid: {left: 52, right: 16, top: 34, bottom: 46},
      legend: {top: 0, data: sockets},
      xAxis: {
        type: 'category',
        data: rows.map(r => String(r.launch)),
        name: 'launch',
        nameLocation: 'middle',
        nameGap: 26,
      },
      yAxis: {type: 'value', min: 0, max: 100, axisLabel: {formatter: '{value} %'}},
      tooltip: {
        trigger: 'axis',
        formatter: list => {
          const r = rows[list[0].dataIndex];
          return (
            `launch ${r.launch}, ${escaped(r.name)}: <b>${percent(remoteShare(r.parts))}</b> of all` +
            list.map(p => `<br>${p.marker} ${p.seriesName} ${p.value === undefined || p.value === null ? '–' : p.value.toFixed(1) + ' %'}`).join('')
          );
        },
      },
      series: sockets.map((s, i) => ({
        type: few ? 'bar' : 'line',
        name: s,
        step: few ? undefined : 'middle',
        symbol: 'none',
        data: of(s),
        itemStyle: {color: COLOURS[i % COLOURS.length]},
        lineStyle: {width: 1.5},
      })),
    },
  };
}

/* ---- over time ---- */

/* Strips of lines: what of each socket was sampled. */
function socketStrips() {
  const views = socketsOf(chosen),
    strips = [];
  const column = (run, name) => (name in run.result.series.columns ? seriesValues(run, name) : null);
  const add = (title, lines) => {
    const having = lines.filter(l => l.column);
    if (having.length) strips.push({title, unit: having[0].column.unit, lines: having});
  };
  const each = (title, name) =>
    add(
      title,
      views.map(v => ({name: socketOf(v), column: column(v, name(socketOf(v)))})),
    );
  for (const v of views)
    add(`link of ${socketOf(v)}`, [
      {name: 'in', column: column(v, `link.${socketOf(v)}.bytes_in`)},
      {name: 'out', column: column(v, `link.${socketOf(v)}.bytes_out`)},
    ]);
  each('lanes in', s => `link.${s}.lanes_in`);
  each('lanes out', s => `link.${s}.lanes_out`);
  each('ways of an L2 set for lines of other sockets', () => 'partition.l2_remote_ways');
  each('ways of an L1 set for lines of other sockets', () => 'partition.l1_remote_ways');
  return strips;
}
/* Names of lines have their colours. */
function socketStripTitle(s, i) {
  const names = s.lines.map((l, k) => `{line${k}|${l.name}}`).join('  '),
    title = stripTitle(`${s.title}   ${names}`, s.unit, i);
  s.lines.forEach((_, k) => {
    title.textStyle.rich[`line${k}`] = {color: SERIES_COLOURS[k % SERIES_COLOURS.length], fontWeight: 600};
  });
  return title;
}
function socketTimeChart(strips) {
  const cycle = chosen.result.series.cycle,
    kernels = (chosen.result.kernels || []).slice().sort((a, b) => a.started - b.started);
  const line = (l, i, k) => ({
    type: 'line',
    name: l.name,
    xAxisIndex: i,
    yAxisIndex: i,
    step: 'start',
    symbol: 'none',
    data: l.column.values,
    lineStyle: {width: 1.4},
    itemStyle: {color: SERIES_COLOURS[k % SERIES_COLOURS.length]},
    markArea: k ? undefined : {silent: true, itemStyle: {color: css('--band')}, data: kernelBands(kernels)},
  });
  return {
    height: strips.length * (STRIP.height + STRIP.gap) + 76,
    label: 'links and ways over time',
    option: {
      ...stripAxes(strips.length, cycle[cycle.length - 1]),
      title: strips.map(socketStripTitle),
      axisPointer: {link: [{xAxisIndex: 'all'}], lineStyle: {color: css('--dim')}, label: {show: false}},
      tooltip: {
        trigger: 'axis',
        formatter: list =>
          `cycle ${whole(list[0].value[0])}` +
          list.map(p => `<br>${p.marker} ${escaped(strips[p.axisIndex].title)}, ${p.seriesName} <b>${short(p.value[1])}</b>`).join(''),
      },
      series: strips.flatMap((s, i) => s.lines.map((l, k) => line(l, i, k))),
    },
  };
}

function sockets() {
  if (!RUNS.some(hasSockets)) return;
  const s = section(
    'sockets',
    'Sockets',
    'Sockets',
    'Traffic over the links between the sockets of this GPU, headers included.',
  );
  const box = el('div');
  s.append(runName(), box);
  const draw = () => {
    emptyBox(box);
    if (!hasSockets(chosen)) return;
    block(box, 'Traffic, from socket to socket', 'socket-traffic', trafficChart);
    box.append(socketTable());
    if (socketKernels().some(k => remoteShare(k.parts) !== null))
      block(
        box,
        'Remote requests of each kernel',
        'socket-kernels',
        remoteChart,
        'Share of the requests of each socket’s SMs for lines of other sockets.',
      );
    const strips = chosen.result.series ? socketStrips() : [];
    if (strips.length)
      block(box, 'Links and ways over time', 'socket-time', () => socketTimeChart(strips), 'Bands are kernels.');
  };
  onChoice.push(draw);
  draw();
}
