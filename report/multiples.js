/* More series than there are colours: one small panel each. */

const PANEL = {height: 96, gap: 46, left: 46};

/* Panels have one scale, unless most of them would be flat on it. */
function panelScale(heights, unit) {
  const all = heights.flat(),
    tops = heights.map(h => Math.max(0, ...h)).sort((a, b) => a - b),
    top = tops[tops.length - 1],
    low = unit === 'x' ? Math.min(1, ...all) : isNarrow(all) ? Math.min(...all) : Math.min(0, ...all);
  if (!all.length || top > 4 * tops[Math.floor(tops.length / 2)]) return {};
  const step = 10 ** Math.floor(Math.log10((top - low) / 2 || 1));
  return {min: Math.floor(low / step) * step, max: Math.ceil(top / step) * step};
}
/* Where panels with these names are: as many in a row as fit. */
function panelPlaces(names, width) {
  const columns = Math.max(1, Math.floor(width / 260)),
    room = width / columns,
    step = PANEL.height + PANEL.gap,
    at = i => ({left: (i % columns) * room, top: Math.floor(i / columns) * step});
  return {
    height: Math.ceil(names.length / columns) * step + 30,
    isLast: i => i + columns >= names.length,
    title: names.map((text, i) => ({
      text,
      ...at(i),
      padding: [2, 0],
      textStyle: {fontSize: 12.5, fontWeight: 600, color: css('--ink'), width: room - 10, overflow: 'truncate'},
    })),
    grid: names.map((_, i) => ({
      left: at(i).left + PANEL.left,
      width: room - PANEL.left - 20,
      top: at(i).top + 22,
      height: PANEL.height,
    })),
  };
}
function panelFigure(figure) {
  return width => {
    const all = list(figure.series),
      places = panelPlaces(
        all.map(s => s.name || ''),
        width,
      );
    const heights = all.map(s => [...list(s.points), ...publishedPoints(s)].map(p => p[1]).filter(isNumber));
    const scale = panelScale(heights, figure.unit);
    const xs = all.flatMap(s => list(s.points).map(p => p[0]));
    const value = axisValue(figure, heights.flat());
    const line = (points, i, published) => ({
      type: 'line',
      name: all[i].name || '',
      published,
      xAxisIndex: i,
      yAxisIndex: i,
      symbol: 'circle',
      symbolSize: 4,
      showAllSymbol: true,
      lineStyle: {color: COLOURS[0], width: published ? 1.2 : 1.8, type: published ? 'dashed' : 'solid'},
      itemStyle: published ? {color: css('--bg'), borderColor: COLOURS[0]} : {color: COLOURS[0]},
      markLine: published ? undefined : oneLine(figure),
      data: points,
    });
    return {
      height: places.height,
      label: figure.title,
      option: {
        title: places.title,
        grid: places.grid,
        xAxis: all.map((_, i) => ({
          type: 'value',
          gridIndex: i,
          min: Math.min(...xs),
          max: Math.max(...xs),
          name: places.isLast(i) ? figure.x_title || '' : '',
          nameLocation: 'middle',
          nameGap: 22,
          splitNumber: 3,
          splitLine: {show: false},
          axisLine: {show: true},
          axisLabel: {formatter: tick, fontSize: 11},
        })),
        yAxis: all.map((_, i) =>
          Object.assign({}, value, {
            gridIndex: i,
            name: '',
            ...scale,
            splitNumber: 2,
            axisLabel: Object.assign({}, value.axisLabel, {fontSize: 11}),
          }),
        ),
        tooltip: {
          trigger: 'item',
          formatter: p =>
            `<b>${escaped(p.seriesName)}</b><br>${escaped(figure.x_title || 'x')} ${tick(p.value[0])}: <b>${escaped(valueText(p.value[1], figure.unit))}</b>`,
        },
        series: all.flatMap((s, i) => {
          const published = publishedPoints(s),
            measured = line(
              list(s.points).filter(p => Array.isArray(p)),
              i,
              false,
            );
          return published.length ? [measured, line(published, i, true)] : [measured];
        }),
      },
    };
  };
}
