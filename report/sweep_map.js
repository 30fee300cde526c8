/* A metric over two axes. Cells that no point asked for stay empty: {N,p} maps are triangles. */

function mapCells(state) {
  const m = metric(state.metric),
    baseline = mapBaseline(state),
    points = pointsAt(state.fixed),
    cells = [];
  axis(state.columns).values.forEach((c, x) =>
    axis(state.rows).values.forEach((r, y) => {
      const here = points.filter(p => p.labels[state.columns] === c && p.labels[state.rows] === r);
      if (!here.length) return;
      const v = meanOf(
        here.map(p => relative(m, p, baseline, state.upside)),
        Boolean(baseline),
      );
      cells.push({x, y, v, points: here, failed: here.filter(p => !p.isDone).map(p => p.status)});
    }),
  );
  return cells;
}
/* The cell that all are divided by, with everything else as in each point. */
function mapBaseline(state) {
  if (state.baseline === 'none') return null;
  const [c, r] = JSON.parse(state.baseline);
  return {change: {[state.columns]: c, [state.rows]: r}};
}
function bestCell(cells, state) {
  const lower = state.best === 'lowest';
  return cells
    .filter(c => c.v !== null)
    .reduce((best, c) => (!best || (lower ? c.v < best.v : c.v > best.v) ? c : best), null);
}
/* Around 1 where values are ratios, else from the least to the most; strong is good. */
function mapShade(cells, state) {
  const {min, max} = heatRange(cells.map(c => c.v).filter(v => v !== null));
  const bg = [css('--heat-low'), css('--heat-high')],
    lower = state.best === 'lowest';
  if (state.baseline !== 'none') {
    const far = Math.max(max - 1, 1 - min, 1e-9),
      colours = [css('--bad'), css('--neutral'), css('--heat-high')];
    if (lower) colours.reverse();
    const of = v => {
      const t = Math.max(-1, Math.min(1, (v - 1) / far));
      return mix(colours[1], t < 0 ? colours[0] : colours[2], Math.abs(t));
    };
    return {min: 1 - far, max: 1 + far, colours, of};
  }
  if (lower) bg.reverse();
  return {min, max, colours: bg, of: v => mix(bg[0], bg[1], (v - min) / (max - min))};
}
function sweepMap(state) {
  return width => {
    const m = metric(state.metric),
      cells = mapCells(state),
      best = bestCell(cells, state),
      shade = mapShade(cells, state),
      columns = axis(state.columns).values,
      rows = axis(state.rows).values;
    const left = Math.min(160, Math.max(...rows.map(r => r.length)) * 7.5 + 46);
    const side = Math.max(26, Math.min(86, (width - left - 20) / columns.length, 560 / rows.length));
    const text = v => (state.baseline === 'none' ? metricText(m, v) : v === null ? '–' : `${v.toFixed(3)}×`);
    const brief = v =>
      state.baseline === 'none' ? (m.unit === 'ratio' ? percent(v, 0) : short(v)) : v.toFixed(2);
    /* the best comes last: its frame lies over its neighbours */
    const data = cells
      .filter(c => c.v !== null)
      .sort((p, q) => (p === best) - (q === best))
      .map(c => ({
        value: [c.x, c.y, c.v],
        name: 'cell',
        label: {color: inkOn(shade.of(c.v)), fontWeight: c === best ? 700 : 400},
        itemStyle: c === best ? {borderColor: css('--mark'), borderWidth: 4} : undefined,
      }));
    const lost = cells.filter(c => c.v === null);
    const grid = {left, top: 62, width: side * columns.length, height: Math.min(side, 44) * rows.length};
    return {
      height: grid.height + 122,
      label: `${m.id} over ${state.columns} and ${state.rows}`,
      option: {
        grid,
        xAxis: {
          type: 'category',
          data: columns,
          name: state.columns,
          nameLocation: 'middle',
          nameGap: 30,
          splitLine: {show: false},
          axisLabel: {interval: side < 34 ? 'auto' : 0},
        },
        yAxis: {
          type: 'category',
          data: rows,
          name: state.rows,
          nameLocation: 'end',
          nameGap: 14,
          nameTextStyle: {align: 'left', padding: [0, 0, 0, -left + 6]},
          splitLine: {show: false},
          axisLabel: {interval: 0},
        },
        tooltip: {
          formatter: p => {
            const c = cells.find(k => k.x === p.value[0] && k.y === p.value[1]);
            return (
              `<b>${escaped(state.columns)} ${escaped(columns[c.x])}, ${escaped(state.rows)} ${escaped(rows[c.y])}</b><br>` +
              (c.v === null
                ? escaped(c.failed.join(', ') || 'no value')
                : `${escaped(m.id)} <b>${escaped(text(c.v))}</b>`) +
              (c === best ? '<br>the best' : '')
            );
          },
        },
        visualMap: {
          min: shade.min,
          max: shade.max,
          dimension: 2,
          seriesIndex: 0,
          calculable: false,
          orient: 'horizontal',
          left: Math.max(0, left + grid.width - 250),
          top: 0,
          itemWidth: 12,
          itemHeight: 120,
          text: [brief(shade.max), brief(shade.min)],
          textStyle: {color: css('--dim'), fontSize: 11},
          inRange: {color: shade.colours},
        },
        series: [
          {
            type: 'heatmap',
            name: 'values',
            itemStyle: {borderColor: css('--bg'), borderWidth: 2},
            label: {show: side >= 38, fontSize: 11, formatter: p => brief(p.value[2])},
            data,
          },
          {
            type: 'scatter',
            name: 'without a result',
            symbol: 'path://M0 0 L10 10 M10 0 L0 10',
            symbolSize: 11,
            itemStyle: {color: 'transparent', borderColor: css('--dim'), borderWidth: 2},
            data: lost.map(c => [c.x, c.y]),
          },
        ],
      },
    };
  };
}
function bestText(state) {
  const cells = mapCells(state),
    m = metric(state.metric),
    best = bestCell(cells, state);
  if (!best) return 'No point has a value here.';
  const lost = cells.filter(c => c.v === null).length,
    equal = cells.filter(c => c.v === best.v).length - 1;
  const where = `${state.columns} ${axis(state.columns).values[best.x]}, ${state.rows} ${axis(state.rows).values[best.y]}`;
  const way = state.upside ? 'baseline / value' : 'value / baseline';
  const value = state.baseline === 'none' ? metricText(m, best.v) : `${best.v.toFixed(3)}× (${way})`;
  return (
    `Best (framed): ${where}, ${m.id} ${value}.` +
    (equal ? ` ${equal} more ${equal === 1 ? 'cell is' : 'cells are'} as good.` : '') +
    (lost ? ` ${lost} ${lost === 1 ? 'cell has' : 'cells have'} no result (crosses).` : '')
  );
}
/* Of two parameters the one that bounds the other goes across: the number of warps in {N,p} maps. */
function mapAxes(swept) {
  const [a, b] = swept,
    n = (x, p) => x.numbers.get(p.labels[x.id]);
  const bounds = (x, y) => x.isNumeric && y.isNumeric && SHOWN.every(p => n(x, p) >= n(y, p));
  return !bounds(a, b) && bounds(b, a) ? [b, a] : [a, b];
}
function mapBuilder(s) {
  const swept = AXES.filter(a => a.isParameter).concat(AXES.filter(a => !a.isParameter && a.id !== 'seed'));
  const [columns, rows] = mapAxes(swept);
  const state = {
    metric: firstMetric().id,
    columns: columns.id,
    rows: rows.id,
    fixed: {},
    baseline: 'none',
    upside: false,
    best: lowerIsBetter(firstMetric()) ? 'lowest' : 'highest',
  };
  const controls = el('div', {class: 'controls', id: 'map-controls'}),
    note = el('p', {class: 'about', id: 'map-note'});
  let chart;
  const redraw = () => {
    note.textContent = bestText(state);
    if (chart) chart.draw();
  };
  const better = () => {
    state.upside = state.baseline !== 'none' && lowerIsBetter(metric(state.metric));
    state.best = state.baseline === 'none' && lowerIsBetter(metric(state.metric)) ? 'lowest' : 'highest';
  };
  const set = (key, after) => v => {
    state[key] = v;
    if (after) after(v);
    fill();
    redraw();
  };
  const other = (key, v) => {
    if (state[key] === v) state[key] = swept.find(a => a.id !== v).id;
    state.baseline = 'none';
    better();
  };
  const names = swept.map(a => [a.id, a.id]);
  const fill = () => {
    const fix = fixers(state, [state.columns, state.rows], redraw);
    const cells = mapCells(Object.assign({}, state, {baseline: 'none'})).filter(c => c.v !== null);
    const place = c => [axis(state.columns).values[c.x], axis(state.rows).values[c.y]];
    controls.replaceChildren(
      pick('metric', metricChoices(), state.metric, set('metric', better)),
      pick(
        'across',
        names,
        state.columns,
        set('columns', v => other('rows', v)),
      ),
      pick(
        'up',
        names,
        state.rows,
        set('rows', v => other('columns', v)),
      ),
      ...fix,
      pick(
        'relative to',
        [['none', 'nothing'], ...cells.map(c => [JSON.stringify(place(c)), place(c).join(', ')])],
        state.baseline,
        set('baseline', better),
      ),
      pick(
        'best is',
        [
          ['lowest', 'lowest'],
          ['highest', 'highest'],
        ],
        state.best,
        set('best'),
      ),
    );
  };
  fill();
  s.append(controls, note);
  redraw();
  chart = addChart(s, 'sweep-map', sweepMap(state));
}
