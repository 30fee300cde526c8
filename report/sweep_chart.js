/* The chart that a reader puts together: a metric over an axis, one line or group of bars per series. */

/* choices: [[value, text]] or [[group, [[value, text]]]]. */
function pick(label, choices, value, onchange) {
  const option = ([v, t]) => el('option', {value: v, selected: v === value}, t);
  const box = el(
    'select',
    {'aria-label': label, onchange: () => onchange(box.value)},
    choices.map(c => (Array.isArray(c[1]) ? el('optgroup', {label: c[0]}, c[1].map(option)) : option(c))),
  );
  box.value = value;
  return el('label', {}, el('span', {class: 'dim'}, label + ' '), box);
}
function metricChoices() {
  const groups = new Map();
  for (const m of METRICS) {
    const g = m.isConstant ? 'the same at every point' : m.group;
    if (!groups.has(g)) groups.set(g, []);
    groups.get(g).push([m.id, m.id]);
  }
  return [...groups].sort(
    ([a], [b]) => (a === 'the same at every point') - (b === 'the same at every point'),
  );
}
/* One chooser per axis that the chart does not show. */
function fixers(state, shownAxes, redraw) {
  for (const id of Object.keys(state.fixed)) if (shownAxes.includes(id)) delete state.fixed[id];
  return AXES.filter(a => !shownAxes.includes(a.id)).map(a => {
    if (!(a.id in state.fixed)) state.fixed[a.id] = a.id === 'seed' ? '*' : a.values[0];
    return pick(a.id, [['*', 'mean of all'], ...a.values.map(v => [v, v])], state.fixed[a.id], v => {
      state.fixed[a.id] = v;
      redraw();
    });
  });
}

/* 'none', 'x:LABEL', 'series:LABEL' or 'point:INDEX', as the chooser has it. */
function baselineOf(state) {
  const at = state.baseline.indexOf(':'),
    kind = state.baseline.slice(0, at),
    value = state.baseline.slice(at + 1);
  if (kind === 'point') return {point: Number(value)};
  const id = kind === 'x' ? state.x : kind === 'series' ? state.series : null;
  return id ? {change: {[id]: value}} : null;
}
function baselineChoices(state) {
  const of = (kind, id) =>
    id ? [[`the same, but ${id}`, axis(id).values.map(v => [`${kind}:${v}`, v])]] : [];
  const points = SHOWN.filter(p => p.isDone).slice(0, 400);
  return [
    ['none', 'nothing'],
    ...of('x', state.x),
    ...of('series', state.series),
    ['one point for all', points.map(p => [`point:${p.index}`, pointName(p)])],
  ];
}
function resultName(m, baseline, upside) {
  if (!baseline) return m.id + (m.unit && m.unit !== 'ratio' && m.unit !== m.id ? ` (${m.unit})` : '');
  return upside ? `${m.id}: baseline / value` : `${m.id}: value / baseline`;
}

/* Steps of a number go along a ramp; more names than colours have panels of their own (sweepPanels). */
const RAMP = ['#eba722', '#cc5a7a', '#5b62c9'];
function seriesColour(a, i) {
  if (!a || !a.isNumeric || a.values.length < 4) return COLOURS[i % COLOURS.length];
  const at = (i / (a.values.length - 1)) * 2;
  return at <= 1 ? mix(RAMP[0], RAMP[1], at) : mix(RAMP[1], RAMP[2], at - 1);
}
function chartSeries(state) {
  const m = metric(state.metric),
    baseline = baselineOf(state),
    xs = axis(state.x).values,
    names = state.series ? axis(state.series).values : [''];
  const points = pointsAt(state.fixed);
  return names.map((name, i) => ({
    name: name || m.id,
    colour: seriesColour(axis(state.series), i),
    values: xs.map(x =>
      meanOf(
        points
          .filter(p => p.labels[state.x] === x && (!state.series || p.labels[state.series] === name))
          .map(p => relative(m, p, baseline, state.upside)),
        Boolean(baseline),
      ),
    ),
  }));
}
function needsPanels(state, rows) {
  const a = axis(state.series);
  return Boolean(a) && rows.length > COLOURS.length && !(a.isNumeric && a.values.length > 3);
}
/* The same chart as one panel for each series. */
function sweepPanels({option, label}, state, rows, width) {
  const places = panelPlaces(
      rows.map(s => s.name),
      width,
    ),
    scale = state.cut
      ? {}
      : panelScale(
          rows.map(s => s.values.filter(isNumber)),
          '',
        );
  const each = (of, i, more) => Object.assign({}, of, {gridIndex: i, name: ''}, more);
  return {
    height: places.height + 36,
    label,
    option: Object.assign({}, option, {
      legend: undefined,
      title: [
        option.title,
        ...places.title.map(t => Object.assign({}, t, {top: t.top + 30})),
      ].map((t, i) => (i ? t : Object.assign({}, t, {top: 0}))),
      grid: places.grid.map(g => Object.assign({}, g, {top: g.top + 30})),
      xAxis: rows.map((_, i) =>
        each(option.xAxis, i, {
          name: places.isLast(i) ? state.x : '',
          nameGap: 22,
          axisLabel: {fontSize: 11, hideOverlap: true},
        }),
      ),
      yAxis: rows.map((_, i) => each(option.yAxis, i, {...scale, splitNumber: 2})),
      series: option.series.map((s, i) =>
        Object.assign({}, s, {
          xAxisIndex: i,
          yAxisIndex: i,
          symbolSize: 4,
          itemStyle: {color: COLOURS[0]},
          label: {show: false},
        }),
      ),
    }),
  };
}
function sweepChart(state) {
  return width => {
    const rows = chartSeries(state).filter(s => s.values.some(v => v !== null)),
      chart = plainChart(state, rows, width);
    return needsPanels(state, rows) ? sweepPanels(chart, state, rows, width) : chart;
  };
}
function plainChart(state, rows, width) {
  const m = metric(state.metric),
    baseline = baselineOf(state),
    a = axis(state.x);
  const text = v =>
    v === null || v === undefined ? '–' : baseline ? `${v.toFixed(3)}×` : metricText(m, v);
  const isLine = state.form === 'lines',
    legend = state.series
      ? Math.ceil(rows.reduce((n, s) => n + s.name.length * 7 + 33, 0) / width) * 24 + 10
      : 0;
  const room = (width - 90) / (a.values.length * Math.max(1, rows.length) * 1.25);
  const long = Math.max(...a.values.map(v => v.length)) * 7 > (width - 90) / a.values.length;
  return {
    height: 400 + legend,
    label: `${resultName(m, baseline, state.upside)} over ${state.x}`,
    option: {
      legend: state.series ? {data: rows.map(s => s.name)} : undefined,
      title: {
        text: resultName(m, baseline, state.upside),
        left: 0,
        top: legend,
        textStyle: {fontSize: 12.5, fontWeight: 600, color: css('--ink')},
      },
      grid: {left: 64, right: 24, top: legend + 32, bottom: long ? 84 : 52},
      xAxis: {
        type: 'category',
        data: a.values,
        name: state.x + (a.about && a.about.unit ? ` (${a.about.unit})` : ''),
        nameLocation: 'middle',
        nameGap: long ? 62 : 32,
        boundaryGap: !isLine || a.values.length < 3,
        axisLine: {show: true},
        axisLabel: {interval: 0, hideOverlap: false, rotate: long ? 35 : 0},
        splitLine: {show: false},
      },
      yAxis: {
        type: 'value',
        scale: Boolean(isLine && state.cut),
        axisLabel: {
          formatter: v =>
            baseline
              ? tick(v) + '×'
              : m.unit === 'ratio'
                ? percent(v, 0)
                : m.unit === 's'
                  ? timeText(v)
                  : tick(v),
        },
      },
      tooltip: {
        trigger: 'axis',
        axisPointer: {type: isLine ? 'line' : 'shadow'},
        formatter: list =>
          `<b>${escaped(state.x)} ${escaped(a.values[list[0].dataIndex])}</b>` +
          list.map(p => `<br>${p.marker} ${escaped(p.seriesName)} <b>${text(p.value)}</b>`).join(''),
      },
      series: rows.map((s, i) => ({
        type: isLine ? 'line' : 'bar',
        name: s.name,
        data: s.values,
        symbol: 'circle',
        symbolSize: 7,
        barMaxWidth: 46,
        barGap: '6%',
        barCategoryGap: '24%',
        lineStyle: {width: 2.2},
        itemStyle: {color: s.colour},
        emphasis: {focus: 'series'},
        label: {
          show: !isLine && room > 40,
          position: 'top',
          fontSize: 11,
          color: css('--ink'),
          formatter: p => (baseline ? p.value.toFixed(2) : metricText(m, p.value)),
        },
        markLine:
          i || !baseline
            ? undefined
            : {
                silent: true,
                symbol: 'none',
                label: {show: false},
                lineStyle: {color: css('--dim'), type: 'solid', width: 1},
                data: [{yAxis: 1}],
              },
      })),
    },
  };
}

/* What a chart starts with: the axis with most steps, workloads as series. */
function firstChart() {
  const numeric = AXES.filter(a => a.isParameter).sort(
    (a, b) => b.isNumeric - a.isNumeric || b.values.length - a.values.length,
  );
  const x = (numeric[0] || AXES[0]).id;
  const rest = ['workload', 'chip', ...AXES.map(a => a.id)].filter(
    id => id !== x && id !== 'seed' && axis(id),
  );
  return {
    metric: firstMetric().id,
    x,
    series: rest[0] || '',
    fixed: {},
    baseline: 'none',
    upside: false,
    form: axis(x).isNumeric ? 'lines' : 'bars',
    cut: false,
  };
}
function chartBuilder(s, onMetric) {
  const state = firstChart(),
    controls = el('div', {class: 'controls', id: 'chart-controls'}),
    note = el('p', {class: 'about'});
  let chart;
  const redraw = () => {
    const m = metric(state.metric),
      points = pointsAt(state.fixed),
      missing = points.filter(p => valueOf(m, p) === null).length;
    note.textContent =
      `${m.id}${m.meaning ? `: ${m.meaning}` : ''}.` +
      (missing ? ` ${missing} of ${points.length} points have no value here.` : '') +
      (Object.values(state.fixed).includes('*')
        ? ` Means are ${state.baseline === 'none' ? 'arithmetic' : 'geometric, of ratios'}.`
        : '');
    if (chart) chart.draw();
  };
  const set = (key, after) => v => {
    state[key] = v;
    if (after) after(v);
    fill();
    redraw();
  };
  const axisNames = AXES.map(a => [a.id, a.id]);
  const fill = () =>
    controls.replaceChildren(
      pick('metric', metricChoices(), state.metric, set('metric', onMetric)),
      pick(
        'over',
        axisNames,
        state.x,
        set('x', v => {
          if (state.series === v) state.series = '';
          state.baseline = 'none';
        }),
      ),
      pick(
        'series',
        [['', 'none'], ...axisNames.filter(([v]) => v !== state.x)],
        state.series,
        set('series', () => (state.baseline = 'none')),
      ),
      ...fixers(state, [state.x, state.series], redraw),
      pick(
        'relative to',
        baselineChoices(state),
        state.baseline,
        set('baseline', () => (state.upside = lowerIsBetter(metric(state.metric)))),
      ),
      state.baseline === 'none'
        ? ''
        : pick(
            'as',
            [
              ['', 'value / baseline'],
              ['up', 'baseline / value'],
            ],
            state.upside ? 'up' : '',
            v => set('upside')(Boolean(v)),
          ),
      pick(
        'drawn as',
        [
          ['lines', 'lines'],
          ['bars', 'bars'],
        ],
        state.form,
        set('form'),
      ),
      state.form === 'lines'
        ? pick(
            'axis',
            [
              ['', 'from zero'],
              ['cut', 'cut to the data'],
            ],
            state.cut ? 'cut' : '',
            v => set('cut')(Boolean(v)),
          )
        : '',
    );
  fill();
  s.append(controls, note);
  redraw();
  chart = addChart(s, 'sweep-chart', sweepChart(state));
  return state;
}
