/* What --series sampled, over time: one strip per statistic, all with one zoom. */

const SERIES_COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#eba722', '#6cbdee'];
const STRIP = {height: 120, gap: 40, left: 62, right: 20};

/* The statistic that a column samples: without its element and the number of its unit. */
function definitionOf(run, column) {
  const all = run.result.definitions,
    name = column.replace(/\[.*$/, ''),
    parts = name.split('.');
  if (all[name]) return all[name];
  const fits = (part, own) => part === own || (part.startsWith(own) && /^\d+$/.test(part.slice(own.length)));
  const known = Object.keys(all).find(k => {
    const own = k.split('.');
    return own.length === parts.length && own.every((o, i) => fits(parts[i], o));
  });
  return all[known];
}
/* Shares of programs, and the network that they share, are in the section of the programs. */
function seriesNames(run) {
  const names = Object.keys(run.result.series.columns);
  if (!list(run.result.applications).length) return names;
  return names.filter(n => !/^(application\d+\.(l2|dram)|mesh\.[cg]pu\.flits$|(request|reply)_network\.bytes$)/.test(n));
}
/* The growth of counts as a rate per cycle; ratios and levels as they are. */
function seriesValues(run, name) {
  const s = run.result.series;
  const d = definitionOf(run, name);
  const isCount = d && (d.kind === 'count' || d.kind === 'array');
  const before = i => (i ? s.cycle[i - 1] : s.cycle[0] - s.interval_cycles);
  const values = s.columns[name].map((v, i) => {
    const span = s.cycle[i] - before(i);
    return [s.cycle[i], v === null ? null : isCount && span > 0 ? v / span : v];
  });
  if (values.length) values.unshift([before(0), values[0][1]]); /* a sample stands for the time before it */
  return {values, unit: !d ? '' : isCount ? `${d.unit}/cycle` : d.unit};
}

function stripTitle(name, unit, i) {
  return {
    text: `${name}  {unit|${unit}}`,
    left: 0,
    top: i * (STRIP.height + STRIP.gap),
    padding: [4, 0],
    textStyle: {
      fontSize: 12.5,
      fontWeight: 600,
      color: css('--ink'),
      rich: {unit: {color: css('--dim'), fontSize: 12}},
    },
  };
}

function stripAxes(count, max) {
  const last = count - 1;
  const strips = [...Array(count).keys()];
  return {
    grid: strips.map(i => ({
      left: STRIP.left,
      right: STRIP.right,
      top: 26 + i * (STRIP.height + STRIP.gap),
      height: STRIP.height,
    })),
    xAxis: strips.map(i => ({
      type: 'value',
      gridIndex: i,
      min: 0,
      max,
      splitLine: {show: false},
      axisLine: {show: true},
      axisLabel: {show: i === last, formatter: tick},
      name: i === last ? 'core cycle' : '',
      nameLocation: 'middle',
      nameGap: 24,
    })),
    yAxis: strips.map(i => ({
      type: 'value',
      gridIndex: i,
      min: 0,
      splitNumber: 3,
      axisLabel: {formatter: tick},
    })),
    dataZoom: [
      {type: 'inside', xAxisIndex: strips, zoomOnMouseWheel: 'ctrl', moveOnMouseWheel: false},
      {
        type: 'slider',
        xAxisIndex: strips,
        height: 18,
        bottom: 4,
        left: STRIP.left,
        right: STRIP.right,
        labelFormatter: v => short(v),
        borderColor: css('--line'),
        textStyle: {color: css('--dim')},
        fillerColor: css('--accent') + '22',
        showDataShadow: false,
      },
    ],
  };
}

/* Every other kernel, so that neighbours can be told apart. */
function kernelBands(kernels) {
  if (kernels.length < 2 || kernels.length > 200) return [];
  return kernels.filter((_, i) => i % 2).map(k => [{xAxis: k.started}, {xAxis: k.ended}]);
}

function seriesChart(run) {
  const s = run.result.series;
  const strips = seriesNames(run).filter(n => !isMeshColumn(n));
  const names = strips.length ? strips : seriesNames(run);
  const columns = names.map(n => seriesValues(run, n));
  const kernels = (run.result.kernels || []).slice().sort((a, b) => a.started - b.started);
  const strip = (name, i) => ({
    type: 'line',
    name,
    xAxisIndex: i,
    yAxisIndex: i,
    step: 'start',
    symbol: 'none',
    data: columns[i].values,
    lineStyle: {width: 1.5},
    areaStyle: {opacity: 0.12},
    itemStyle: {color: SERIES_COLOURS[i % SERIES_COLOURS.length]},
    markArea: {silent: true, itemStyle: {color: css('--band')}, data: kernelBands(kernels)},
  });
  const tip = list => {
    const at = list[0].value[0];
    const kernel = kernels.find(k => k.started < at && at <= k.ended);
    const rows = list.map(p => `<br>${p.marker} ${escaped(p.seriesName)} <b>${short(p.value[1])}</b>`);
    return `cycle ${whole(at)}${kernel ? `, ${escaped(kernel.name)}` : ''}${rows.join('')}`;
  };
  return {
    height: names.length * (STRIP.height + STRIP.gap) + 76,
    label: 'time series: ' + names.join(', '),
    option: {
      ...stripAxes(names.length, s.cycle[s.cycle.length - 1]),
      title: names.map((n, i) => stripTitle(n, columns[i].unit, i)),
      axisPointer: {link: [{xAxisIndex: 'all'}], lineStyle: {color: css('--dim')}, label: {show: false}},
      tooltip: {trigger: 'axis', formatter: tip},
      series: names.map(strip),
    },
  };
}

showFigures({
  id: 'series',
  short: 'Time',
  title: 'Over time',
  about: 'Drag the bar below to zoom, or hold Ctrl and turn the wheel. Bands are ' + recordWords().many + '.',
  has: r => r.result.series && r.result.series.cycle.length > 0 && seriesNames(r).length > 0,
  each: true,
  missing: 'This run was made without --series.',
  figures: [{id: 'series-chart', chart: run => () => seriesChart(run)}],
});
