/* Stacked bars: CPI stacks, stalls, latencies, queues; bars against peaks. */

function legendHeight(names, width) {
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
  return rows * 27 - 5;
}
/* Room for row names at the left; on a phone they stand above their bars. */
function nameRoom(rows, width) {
  const longest = Math.max(...rows.map(r => Math.max(...r.name.split('\n').map(l => l.length))));
  return Math.min(longest * 7 + 22, width < 560 ? width * 0.36 : 320);
}

/*
 * rows: [{name, values: {part: number}}], parts: [[key, colour, meaning]].
 * unit: 'share' draws each row as parts of `whole`, else absolute numbers.
 */
function stackedBars({rows, parts, width, axisName, asShare, labels, top}) {
  const shown = parts.filter(([key]) => rows.some(r => r.values[key] > 0));
  const names = shown.map(([key]) => (labels && labels[key]) || key);
  const rowHeight = rows.some(r => r.name.includes('\n')) ? 42 : 34;
  const head = legendHeight(names, width) + 8;
  const left = nameRoom(rows, width),
    room = width - left - 20;
  const value = (r, key) => (asShare ? (100 * (r.values[key] || 0)) / r.whole : r.values[key] || 0);
  const most =
    asShare && !top ? 100 : Math.max(1e-9, ...rows.map(r => shown.reduce((s, [k]) => s + value(r, k), 0)));
  const suffix = asShare ? ' %' : '';
  return {
    height: head + rows.length * rowHeight + 46,
    label: `${axisName}: ` + rows.map(r => r.name.replace('\n', ' ')).join(', '),
    option: {
      legend: {data: names, selectedMode: true},
      grid: {left, right: 20, top: head, bottom: 44},
      xAxis: {
        type: 'value',
        max: asShare && !top ? 100 : undefined,
        name: axisName,
        nameLocation: 'middle',
        nameGap: 26,
        axisLabel: {formatter: v => tick(v) + suffix},
      },
      yAxis: {
        type: 'category',
        inverse: true,
        data: rows.map(r => r.name),
        axisLabel: {width: left - 12, overflow: 'truncate', interval: 0, lineHeight: 15},
      },
      tooltip: {
        trigger: 'item',
        formatter: p => {
          const [key, , meaning] = shown[p.seriesIndex],
            r = rows[p.dataIndex];
          const raw = r.values[key] || 0;
          return (
            `<b>${escaped(names[p.seriesIndex])}</b> ${asShare ? percent(raw / r.whole) : short(raw)}` +
            `<br>${escaped(meaning)}<br><span style="opacity:.7">${escaped(r.name.replace('\n', ', '))}</span>`
          );
        },
      },
      series: shown.map(([key, c], s) => ({
        type: 'bar',
        stack: 'all',
        name: names[s],
        barWidth: rowHeight - 14,
        cursor: 'default',
        itemStyle: {color: colour(c), borderColor: css('--bg'), borderWidth: 1},
        emphasis: {focus: 'series'},
        label: {
          show: true,
          position: 'inside',
          color: inkOn(colour(c)),
          fontSize: 11.5,
          formatter: p =>
            (p.value / most) * room > 34
              ? asShare
                ? p.value.toFixed(p.value < 9.95 ? 1 : 0)
                : short(p.value)
              : '',
        },
        data: rows.map(r => value(r, key)),
      })),
    },
  };
}

function sum(values) {
  return Object.values(values).reduce((a, b) => a + b, 0);
}
/* Cycles of all lanes as cycles of the run: they add up to its cycles. */
function inCycles(slots, run) {
  return Object.fromEntries(Object.entries(slots).map(([k, v]) => [k, v / run.stack.lanes]));
}
function stackRow(name, slots, run, asShare) {
  const values = asShare ? slots : inCycles(slots, run);
  return {name, values, whole: sum(values) || 1};
}

/* What the cycles of all lanes are called on these chips. */
function stackWords() {
  const words = new Set(RUNS.filter(r => r.stack).map(r => r.stack.words));
  return words.size === 1 ? [...words][0] : 'cycles';
}

function cpiChart(runs, mode) {
  const rows = runs.filter(classesOf).map(r =>
    stackRow(`${r.label}\n${whole(r.cycles)} cycles`, classesOf(r), r, mode === 'share'),
  );
  return width =>
    stackedBars({
      rows,
      parts: CLASSES,
      width,
      asShare: mode === 'share',
      axisName: mode === 'share' ? `share of all ${stackWords()}` : 'core cycles',
    });
}

/* All launches of a kernel as one; the longest first. */
function kernelsByName(run) {
  const groups = new Map();
  for (const k of run.result.kernels || []) {
    const g = groups.get(k.name) || {name: k.name, launches: 0, cycles: 0, slots: {}};
    g.launches++;
    g.cycles += k.cycles;
    for (const [c, v] of Object.entries(kernelClasses(run, k))) g.slots[c] = (g.slots[c] || 0) + v;
    groups.set(k.name, g);
  }
  return [...groups.values()].sort((a, b) => b.cycles - a.cycles);
}
const MOST_KERNELS = 24;
function kernelRows(run, byLaunch, asShare) {
  if (!byLaunch)
    return kernelsByName(run)
      .slice(0, MOST_KERNELS)
      .map(g => stackRow(`${g.name} ×${g.launches}\n${whole(g.cycles)} cycles`, g.slots, run, asShare));
  const list = run.result.kernels.map((k, i) => ({k, i}));
  list.sort((a, b) => b.k.cycles - a.k.cycles);
  return list
    .slice(0, MOST_KERNELS)
    .sort((a, b) => a.k.started - b.k.started)
    .map(({k}) => stackRow(`${k.number + 1}. ${k.name}`, kernelClasses(run, k), run, asShare));
}
function kernelChart(state) {
  return width =>
    stackedBars({
      rows: kernelRows(chosen, state.rows === 'launch', state.mode === 'share'),
      parts: CLASSES,
      width,
      asShare: state.mode === 'share',
      axisName: state.mode === 'share' ? `share of ${stackWords()} while it ran` : 'core cycles',
    });
}

/* Energy of each run in mJ or as shares; the statistics are in pJ. */
function energyChart(runs, mode) {
  const labels = Object.fromEntries(ENERGY.map(([k, , , l]) => [k, l]));
  const rows = runs.map(r => {
    const pj = {static: total(r, 'energy.static_total_pj'), ...total(r, 'energy.dynamic_pj')};
    const values = Object.fromEntries(Object.entries(pj).map(([k, v]) => [k, v / 1e9]));
    const name = `${r.label}\n${short(sum(values))} mJ, ${short(total(r, 'energy.watts'))} W`;
    return {name, values, whole: sum(values)};
  });
  return width =>
    stackedBars({
      rows,
      parts: ENERGY,
      labels,
      width,
      asShare: mode === 'share',
      axisName: mode === 'share' ? 'share of all energy' : 'energy in mJ',
    });
}

/* Stalls of a cache, as parts of all its cycles. */
function stallChart(runs, array, cycles) {
  const rows = runs.filter(r => total(r, array) && cycles(r)).map(r => {
    const values = total(r, array);
    return {name: `${r.label}\n${percent(sum(values) / cycles(r))} stalled`, values, whole: cycles(r)};
  });
  return width =>
    stackedBars({rows, parts: STALLS, width, asShare: true, top: true, axisName: 'share of cycles'});
}
function l2Cycles(r) {
  return r.result.run.cycles.l2 * r.machine.l2_banks;
}

function latencyChart(runs) {
  const labels = Object.fromEntries(HOPS.map(([k, , l]) => [k, l]));
  const rows = runs.filter(r => measure(r, 'hop_l2').value !== null).map(r => {
    const values = Object.fromEntries(HOPS.map(([k]) => [k, measure(r, k).value]));
    return {
      name: `${r.label}\n${short(measure(r, 'miss_latency').value)} cycles`,
      values,
      whole: sum(values),
    };
  });
  return width =>
    stackedBars({
      rows,
      labels,
      width,
      axisName: 'core cycles from an L1 miss to its fill, mean',
      parts: HOPS.map(([k, c, l]) => [k, c, `${l}, waiting included`]),
    });
}

function queueChart(runs, array) {
  const labels = Object.fromEntries(LEVELS.map(([k, , l]) => [k, l]));
  const rows = runs.filter(r => total(r, array) && sum(total(r, array))).map(r => ({
    name: r.label,
    values: total(r, array),
    whole: sum(total(r, array)),
  }));
  const parts = () =>
    LEVELS.map(([k, part, l]) => [k, mix(css('--heat-low'), css('--heat-high'), part), `queue ${l} in use`]);
  return rows.length
    ? width =>
        stackedBars({
          rows,
          parts: parts(),
          labels,
          width,
          asShare: true,
          axisName: 'share of cycles with something in the queue',
        })
    : null;
}

/* Achieved rates as parts of the chip's peaks. */
function peakChart() {
  const has = m => m.peak > 0 && m.value !== null;
  const ids = [...new Set(RUNS.flatMap(r => r.measures.filter(has).map(m => m.id)))];
  const labelOf = id => RUNS.map(r => measure(r, id).label).find(l => l);
  const text = m =>
    m.unit === 'bytes/s'
      ? `${(m.value / 1e9).toFixed(1)} of ${short(m.peak / 1e9)} GB/s`
      : `${short(m.value)} of ${short(m.peak)} ${m.unit}`;
  const several = RUNS.length > 1;
  return width => {
    const rows = ids.map(id => ({name: labelOf(id)}));
    const left = nameRoom(rows, width),
      bar = several ? 13 : 18;
    const head = several
      ? legendHeight(
          RUNS.map(r => r.label),
          width,
        ) + 8
      : 8;
    const right = width < 560 ? 60 : 230;
    return {
      height: head + ids.length * (RUNS.length * bar + 16) + 46,
      label: 'achieved rates against peaks',
      option: {
        legend: several ? {data: RUNS.map(r => r.label)} : undefined,
        grid: {left, right, top: head, bottom: 44},
        xAxis: {
          type: 'value',
          min: 0,
          max: 100,
          name: 'share of the peak',
          nameLocation: 'middle',
          nameGap: 26,
          axisLabel: {formatter: '{value} %'},
        },
        yAxis: {
          type: 'category',
          inverse: true,
          data: rows.map(r => r.name),
          axisLabel: {width: left - 12, overflow: 'break', lineHeight: 14, interval: 0},
        },
        tooltip: {
          trigger: 'item',
          formatter: p =>
            `<b>${escaped(p.name)}</b> ${p.value.toFixed(1)} %<br>${escaped(text(measure(RUNS[p.seriesIndex], ids[p.dataIndex])))}<br>${escaped(p.seriesName)}`,
        },
        series: RUNS.map(r => ({
          type: 'bar',
          name: r.label,
          barWidth: bar - 3,
          barGap: '25%',
          cursor: 'default',
          itemStyle: {color: r.colour},
          label: {
            show: true,
            position: 'right',
            fontSize: 11.5,
            color: css('--dim'),
            formatter: p =>
              !isNumber(p.value)
                ? ''
                : width < 560
                ? p.value.toFixed(1) + ' %'
                : `${p.value.toFixed(1)} %   ${text(measure(r, ids[p.dataIndex]))}`,
          },
          data: ids.map(id => {
            const m = measure(r, id);
            return m.value === null || !m.peak ? null : (100 * m.value) / m.peak;
          }),
        })),
      },
    };
  };
}
