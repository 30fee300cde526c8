/* Figures of a study: measured filled, published hollow or hatched, in the same colour. */

const HATCH = {symbol: 'rect', dashArrayX: [1, 0], dashArrayY: [2, 5], rotation: -Math.PI / 4};

/* A value with its unit, as it stands in tables and tips. */
function valueText(v, unit) {
  if (!isNumber(v)) return '–';
  if (unit === 'x') return v.toFixed(2) + '×';
  if (unit === '%') return v.toFixed(1) + ' %';
  return short(v) + (unit ? ' ' + unit : '');
}
/* Where its axis leaves zero out, the axis says so. */
function axisValue(figure, values = []) {
  const narrow = isNarrow(values.filter(isNumber)),
    unit = ['x', '%'].includes(figure.unit) ? '' : figure.unit || '';
  return {
    type: 'value',
    scale: narrow,
    name: narrow && figure.unit !== 'x' ? `${unit} (axis without zero)`.trim() : unit,
    nameLocation: 'end',
    nameTextStyle: {align: 'left', padding: [0, 0, 0, -40]},
    axisLabel: {formatter: v => tick(v) + (figure.unit === 'x' ? '×' : figure.unit === '%' ? ' %' : '')},
  };
}
/* A mix is known by its file's name. */
function placeName(name) {
  return String(name).replace(/^.*\/(.*)\.ya?ml$/, '$1');
}
function categoryAxis(names, title, width) {
  const longest = Math.max(1, ...names.map(n => placeName(n).length)),
    room = (width - 70) / Math.max(1, names.length);
  const rotate = longest * 7 > room ? (longest > 4 ? 40 : 0) : 0;
  return {
    type: 'category',
    data: names.map(placeName),
    name: title || '',
    nameLocation: 'middle',
    nameGap: rotate ? 14 + Math.min(longest, 16) * 4.6 : 30,
    axisLabel: {
      rotate,
      interval: 0,
      hideOverlap: false,
      width: rotate ? 110 : undefined,
      overflow: 'truncate',
    },
    axisLine: {show: true},
    splitLine: {show: false},
  };
}
function frameOf(figure, width, height, left) {
  const names = list(figure.series).map(s => s.name || ''),
    legend = names.length > 1 || (names[0] && names[0] !== figure.title);
  const head = legend ? legendRows(names, width) * 24 + 14 : 14;
  return {
    grid: {left: left || 58, right: 18, top: head + 12, bottom: 16, containLabel: false},
    legend: legend ? {data: [...new Set(names)]} : undefined,
    head,
    height,
  };
}
function legendRows(names, width) {
  let rows = 1,
    used = 0;
  for (const n of names) {
    const w = n.length * 7 + 33;
    if (used + w > width && used) {
      rows++;
      used = 0;
    }
    used += w;
  }
  return rows;
}
/* A speedup of 1 is where nothing changes. */
function oneLine(figure) {
  if (figure.unit !== 'x') return undefined;
  return {
    silent: true,
    symbol: 'none',
    label: {show: false},
    lineStyle: {color: css('--dim'), type: 'solid', width: 1},
    data: [{yAxis: 1}],
  };
}
function hollow(c) {
  return {color: 'transparent', borderColor: c, borderWidth: 1.4, decal: Object.assign({color: c}, HATCH)};
}
function publishedWords(figure) {
  const sparse = figure.type === 'bars' && list(figure.series).some(s => isSparse(s, list(figure.categories)));
  return sparse ? 'Filled: measured; a line or hollow: published.' : 'Filled: measured; hollow: published.';
}
function hasPublished(figure) {
  return list(figure.series).some(s => list(s.published).some(v => v !== null && v !== undefined));
}

function allValues(figure) {
  return list(figure.series).flatMap(s => [
    ...[...list(s.values), ...list(s.published)].filter(isNumber),
    ...[...list(s.points), ...publishedPoints(s)].map(p => p && p[1]).filter(isNumber),
  ]);
}
/* Bars of a ratio start at 1: what they show is the gain or the loss. */
function barAxis(figure, stacked) {
  if (stacked) return axisValue(figure);
  const axis = axisValue(figure, allValues(figure));
  return figure.unit === 'x' ? Object.assign(axis, {startValue: 1, scale: true}) : axis;
}

/* Published for few categories only: a line across the measured bar, so that no bar makes room for what is not there. */
function isSparse(s, categories) {
  const known = list(s.published).filter(isNumber).length;
  return known > 0 && 2 * known < categories.length;
}
const BAR_GAPS = {barMaxWidth: 46, barGap: '6%', barCategoryGap: '24%'};
/* bar i of count in each category */
function publishedLines(s, i, count) {
  const values = list(s.published);
  return {
    type: 'custom',
    name: s.name || '',
    published: true,
    z: 3,
    renderItem: (_, api) => {
      const bar = api.barLayout(Object.assign({count}, BAR_GAPS))[i],
        [x, y] = api.coord([api.value(0), api.value(1)]),
        half = bar.width / 2 + 2;
      return {
        type: 'line',
        shape: {x1: x + bar.offsetCenter - half, x2: x + bar.offsetCenter + half, y1: y, y2: y},
        style: {stroke: css('--ink'), lineWidth: 2},
      };
    },
    encode: {x: 0, y: 1},
    data: values.flatMap((v, k) => (isNumber(v) ? [[k, v]] : [])),
  };
}

/* bars and stack: a category has one bar per series, or one of all; published ones stand right beside. */
function barFigure(figure) {
  return width => {
    const all = list(figure.series),
      stacked = figure.type === 'stack',
      categories = list(figure.categories);
    const f = frameOf(figure, width, 330);
    const xAxis = categoryAxis(categories, figure.x_title, width);
    f.grid.bottom = (xAxis.axisLabel.rotate ? xAxis.nameGap + 4 : 28) + (figure.x_title ? 18 : 0);
    const beside = s => list(s.published).length > 0 && (stacked || !isSparse(s, categories));
    const bars = all.reduce((n, s) => n + 1 + (beside(s) ? 1 : 0), 0);
    const room = (width - 80) / Math.max(1, categories.length * (stacked ? 2 : bars) * 1.25);
    const series = [];
    all.forEach((s, i) => {
      const c = COLOURS[i % COLOURS.length];
      const one = (values, published) => ({
        type: 'bar',
        name: s.name || '',
        published,
        stack: stacked ? (published ? 'published' : 'measured') : undefined,
        ...BAR_GAPS,
        itemStyle: published ? hollow(c) : {color: c},
        emphasis: {focus: 'series'},
        label: {
          show: !stacked && room > 27,
          position: 'top',
          fontSize: 11,
          distance: 3,
          color: published ? css('--dim') : css('--ink'),
          formatter: p => (isNumber(p.value) ? tick(Number(p.value.toPrecision(3))) : ''),
        },
        markLine: i || published || stacked ? undefined : oneLine(figure),
        data: categories.map((_, k) => (isNumber(values[k]) ? values[k] : null)),
      });
      series.push(one(list(s.values), false));
      if (beside(s)) series.push(one(list(s.published), true));
    });
    all.forEach((s, i) => {
      const before = all.slice(0, i).reduce((n, t) => n + 1 + (beside(t) ? 1 : 0), 0);
      if (!stacked && isSparse(s, categories)) series.push(publishedLines(s, before, bars));
    });
    return {
      height: f.height + f.head + f.grid.bottom - 28,
      label: figure.title,
      option: {
        legend: f.legend,
        grid: f.grid,
        xAxis,
        yAxis: barAxis(figure, stacked),
        tooltip: {
          trigger: 'axis',
          axisPointer: {type: 'shadow', shadowStyle: {color: css('--band'), opacity: 0.6}},
          formatter: points => categoryTip(figure, points[0].dataIndex),
        },
        series,
      },
    };
  };
}
function categoryTip(figure, k) {
  const rows = list(figure.series).map((s, i) => {
    const p = list(s.published)[k];
    return (
      `<br><span style="color:${COLOURS[i % COLOURS.length]}">■</span> ${escaped(s.name || '')} ` +
      `<b>${escaped(valueText(list(s.values)[k], figure.unit))}</b>` +
      (isNumber(p) ? ` <span style="opacity:.75">published ${escaped(valueText(p, figure.unit))}</span>` : '')
    );
  });
  return `<b>${escaped(placeName(list(figure.categories)[k] ?? ''))}</b>${rows.join('')}`;
}

/* Published points of a series: pairs, or only the heights of the measured ones. */
function publishedPoints(s) {
  return list(s.published)
    .map((p, i) => (Array.isArray(p) ? p : isNumber(p) && list(s.points)[i] ? [s.points[i][0], p] : null))
    .filter(Boolean);
}
function pointFigure(figure) {
  return width => {
    const isLine = figure.type === 'lines',
      f = frameOf(figure, width, 360);
    f.grid.bottom = figure.x_title ? 48 : 30;
    const series = [];
    list(figure.series).forEach((s, i) => {
      const c = COLOURS[i % COLOURS.length];
      const one = (points, published) => ({
        type: isLine ? 'line' : 'scatter',
        name: s.name || '',
        symbol: 'circle',
        symbolSize: isLine ? 6 : 9,
        showAllSymbol: true,
        lineStyle: {color: c, width: published ? 1.4 : 2.2, type: published ? 'dashed' : 'solid'},
        itemStyle: published
          ? {color: css('--bg'), borderColor: c, borderWidth: 1.6}
          : {color: c, opacity: 0.9},
        emphasis: {focus: 'series'},
        label: {
          show: !isLine && points.length <= 40 && points.some(p => p[2] !== undefined),
          position: 'right',
          fontSize: 11,
          color: css('--dim'),
          formatter: p => (p.value[2] === undefined ? '' : String(p.value[2])),
        },
        labelLayout: {hideOverlap: true},
        markLine: i || published ? undefined : oneLine(figure),
        data: points.filter(p => Array.isArray(p)),
        published,
      });
      series.push(one(list(s.points), false));
      const published = publishedPoints(s);
      if (published.length) series.push(one(published, true));
    });
    return {
      height: f.height + f.head,
      label: figure.title,
      option: {
        legend: f.legend,
        grid: f.grid,
        xAxis: {
          type: 'value',
          scale: true,
          boundaryGap: isLine ? false : ['3%', '6%'],
          name: figure.x_title || '',
          nameLocation: 'middle',
          nameGap: 28,
          splitLine: {show: !isLine},
          axisLine: {show: true},
          axisLabel: {formatter: tick},
        },
        yAxis: Object.assign(
          axisValue(figure, allValues(figure)),
          isLine ? {} : {scale: true, boundaryGap: ['4%', '8%']},
        ),
        tooltip: {
          trigger: 'item',
          formatter: p =>
            `<b>${escaped(p.value[2] ?? p.seriesName)}</b>${p.value[2] === undefined ? '' : ', ' + escaped(p.seriesName)}` +
            `${series[p.seriesIndex].published ? ' (published)' : ''}<br>` +
            `${escaped(figure.x_title || 'x')} ${tick(p.value[0])}: <b>${escaped(valueText(p.value[1], figure.unit))}</b>`,
        },
        series,
      },
    };
  };
}

/* heat: columns are categories; a series is a row, in the order of `rows`. */
function heatFigure(figure) {
  return width => {
    const rows = list(figure.rows),
      columns = list(figure.categories),
      cells = [];
    list(figure.series).forEach((s, r) =>
      list(s.values).forEach((v, c) => isNumber(v) && cells.push([c, r, v, list(s.published)[c]])),
    );
    const {min, max} = heatRange(cells.map(c => c[2]));
    const names = rows.length ? rows.map(String) : list(figure.series).map(s => s.name || '');
    const left = Math.min(width * 0.3, Math.max(...names.map(n => n.length)) * 7 + 20);
    const xAxis = Object.assign(categoryAxis(columns, figure.x_title, width - left + 50), {
      position: 'bottom',
      axisLine: {show: false},
    });
    const bottom = (xAxis.axisLabel.rotate ? xAxis.nameGap + 4 : 28) + (figure.x_title ? 18 : 0);
    const shade = v => mix(css('--heat-low'), css('--heat-high'), (v - min) / (max - min));
    return {
      height: names.length * Math.max(24, Math.min(36, 420 / names.length)) + bottom + 16,
      label: figure.title,
      option: {
        grid: {left, right: 14, top: 10, bottom},
        xAxis,
        yAxis: {
          type: 'category',
          inverse: true,
          data: names,
          splitLine: {show: false},
          axisLabel: {interval: 0, width: left - 10, overflow: 'truncate'},
        },
        tooltip: {
          formatter: p =>
            `<b>${escaped(names[p.value[1]])}, ${escaped(placeName(columns[p.value[0]]))}</b><br>${escaped(valueText(p.value[2], figure.unit))}` +
            (isNumber(p.value[3]) ? `<br>published ${escaped(valueText(p.value[3], figure.unit))}` : ''),
        },
        visualMap: {
          show: false,
          min,
          max,
          dimension: 2,
          inRange: {color: [css('--heat-low'), css('--heat-high')]},
        },
        series: [
          {
            type: 'heatmap',
            itemStyle: {borderColor: css('--bg'), borderWidth: 2},
            label: {
              show: (width - left) / Math.max(1, columns.length) > 40,
              fontSize: 11,
              formatter: p => tick(Number(p.value[2].toPrecision(3))),
            },
            data: cells.map(value => ({value, label: {color: inkOn(shade(value[2]))}})),
          },
        ],
      },
    };
  };
}

/* sorted: each series on its own from its lowest value to its highest, as a curve over programs. */
function sortedFigure(figure) {
  const series = list(figure.series).map(s => ({
    name: s.name,
    points: list(s.values)
      .map((v, i) => [v, placeName(list(figure.categories)[i])])
      .filter(([v]) => isNumber(v))
      .sort((a, b) => a[0] - b[0])
      .map(([v, name], i) => [i + 1, v, name]),
  }));
  return pointFigure({...figure, type: 'lines', x_title: figure.x_title || 'each curve sorted by itself', series});
}

const FIGURES = {
  bars: barFigure,
  stack: barFigure,
  lines: pointFigure,
  scatter: pointFigure,
  heat: heatFigure,
  sorted: sortedFigure,
};
function figureChart(figure) {
  const make = FIGURES[figure.type];
  const full = list(figure.series).some(s => list(s.values).some(isNumber) || list(s.points).length);
  if (!make || !full) return null;
  if (list(figure.series).length > COLOURS.length)
    return ({lines: panelFigure, bars: heatFigure}[figure.type] || make)(figure);
  return make(figure);
}
