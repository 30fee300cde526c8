/* Roofline: work per byte against work per second, under the chip's ceilings. */

/* Runs by DRAM and by L2 traffic, and the chosen run's kernels by DRAM traffic. */
function rooflinePoints() {
  const points = [];
  const add = (run, level, name, work, bytes, seconds) => {
    if (work > 0 && bytes > 0) points.push({run, level, name, x: work / bytes, y: work / seconds});
  };
  for (const r of RUNS.filter(run => run.machine)) {
    const work = total(r, 'sm.thread_instructions');
    add(r, 'DRAM', `${r.label}, DRAM`, work, measure(r, 'dram_bytes').value * r.seconds, r.seconds);
    add(r, 'L2', `${r.label}, ${CACHE}`, work, measure(r, 'l2_bytes').value * r.seconds, r.seconds);
  }
  for (const k of (chosen.machine && chosen.result.kernels) || []) {
    const bytes = k.dram_read_bytes + k.dram_written_bytes;
    const seconds = k.cycles / chosen.machine.clock_hz;
    add(chosen, 'kernel', `${k.number + 1}. ${k.name}`, k.thread_instructions, bytes, seconds);
  }
  return points;
}

/* Chips with other ceilings; runs on the same chip share them. */
function rooflineChips() {
  const chips = new Map();
  for (const r of RUNS.filter(run => run.machine)) {
    const m = r.machine;
    chips.set([m.peak_threads, m.peak_l2, m.peak_dram].join(), {name: r.result.run.chip.replace(/: socket\d+$/, ''), m});
  }
  return [...chips.values()];
}

/* Whole decades around points and ridges. */
function rooflineRange(points, chips) {
  const ridges = chips.flatMap(({m}) => [m.peak_threads / m.peak_dram, m.peak_threads / m.peak_l2]);
  const xs = points.map(p => p.x).concat(ridges);
  const ys = points.map(p => p.y).concat(chips.map(c => c.m.peak_threads));
  const below = v => 10 ** Math.floor(Math.log10(v / 1.5));
  const above = v => 10 ** Math.ceil(Math.log10(v * 1.2));
  return {
    left: below(Math.min(...xs)),
    right: above(Math.max(...xs)),
    bottom: below(Math.min(...ys)),
    top: above(Math.max(...ys)),
  };
}

/* A line with a text at one of its places. */
function ceiling(name, from, to, style, at, label) {
  return {
    type: 'line',
    name,
    symbol: 'none',
    silent: true,
    lineStyle: style,
    data: [from, to],
    markPoint: label && {
      symbol: 'rect',
      symbolSize: 1,
      silent: true,
      itemStyle: {color: 'transparent'},
      data: [{coord: at}],
      label: Object.assign({show: true, color: css('--dim'), fontSize: 11.5}, label),
    },
  };
}

function ceilingsOf({name, m}, style, range, angle, narrow) {
  const slope = (peak, level, verticalAlign) => {
    const ridge = m.peak_threads / peak;
    const start = Math.max(range.left, range.bottom / peak);
    const at = start * (ridge / start) ** 0.35;
    const text = `${name} ${level} ${short(peak / 1e9)} GB/s`;
    const label = {position: 'inside', rotate: angle, verticalAlign, padding: 6, formatter: () => text};
    const from = [start, start * peak];
    return ceiling(text, from, [ridge, m.peak_threads], style, [at, peak * at], narrow ? null : label);
  };
  const flat = `${name}: ${short(m.peak_threads)} thread instructions/s`;
  const ridge = m.peak_threads / Math.max(m.peak_l2, m.peak_dram);
  const end = [range.right, m.peak_threads];
  const label = {position: [-6, -18], align: 'right', formatter: () => flat};
  return [
    slope(m.peak_dram, 'DRAM', 'top'),
    slope(m.peak_l2, CACHE, 'bottom'),
    ceiling(flat, [ridge, m.peak_threads], end, style, end, label),
  ];
}

function dotsOf(run, points) {
  const dot = p => ({
    value: [p.x, p.y],
    name: p.name,
    symbol: p.level === 'L2' ? 'diamond' : 'circle',
    symbolSize: p.level === 'kernel' ? 6 : 15,
    itemStyle: {
      color: p.level === 'L2' ? css('--bg') : run.colour,
      borderColor: run.colour,
      borderWidth: p.level === 'L2' ? 2.5 : 0,
      opacity: p.level === 'kernel' ? 0.75 : 1,
    },
    label: {
      show: p.level !== 'kernel' && RUNS.length === 1,
      position: 'bottom',
      color: css('--ink'),
      fontSize: 11.5,
      formatter: () => (p.level === 'L2' ? CACHE : p.level),
    },
  });
  return {
    type: 'scatter',
    name: run.label,
    itemStyle: {color: run.colour, opacity: 1},
    data: points.filter(p => p.run === run).map(dot),
  };
}

function rooflineChart(width) {
  const points = rooflinePoints();
  const chips = rooflineChips();
  const range = rooflineRange(points, chips);
  const names = RUNS.map(r => r.label);
  const narrow = width < 560;
  const head = names.length > 1 ? legendHeight(names, width) + 10 : 12;
  const height = head + (narrow ? 330 : 430);
  const grid = {left: 62, right: 24, top: head, bottom: 48};
  /* of lines of constant bandwidth, for the text along them */
  const up = (height - grid.top - grid.bottom) / Math.log10(range.top / range.bottom);
  const along = (width - grid.left - grid.right) / Math.log10(range.right / range.left);
  const angle = (Math.atan2(up, along) * 180) / Math.PI;
  const style = i => ({color: css('--dim'), width: 1.4, type: i ? [6, 4] : 'solid'});
  const axis = {type: 'log', nameLocation: 'middle', axisLabel: {formatter: tick}};
  return {
    height,
    label: 'roofline',
    option: {
      legend: names.length > 1 ? {data: names} : undefined,
      grid,
      xAxis: {...axis, min: range.left, max: range.right, name: 'thread instructions per byte', nameGap: 28},
      yAxis: {...axis, min: range.bottom, max: range.top, name: 'thread instructions/s', nameGap: 44},
      tooltip: {
        trigger: 'item',
        formatter: p =>
          `<b>${escaped(p.name)}</b><br>${short(p.value[0])} thread instructions per byte` +
          `<br>${short(p.value[1])} thread instructions/s`,
      },
      series: [
        ...chips.flatMap((c, i) => ceilingsOf(c, style(i), range, angle, narrow)),
        ...RUNS.map(r => dotsOf(r, points)),
      ],
    },
  };
}
