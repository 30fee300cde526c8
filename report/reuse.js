/* Reuse between L1 caches: how many of SM x's load misses SM y could have answered. */

/* Shares by row, null on the diagonal and where an SM missed nothing; null: the run did not look. */
function reuseOf(run) {
  const map = run.result.reuse_heat_map || {},
    misses = list(map.misses),
    rows = list(map.had_by),
    n = misses.length;
  if (n < 2 || rows.length !== n || !rows.every(r => list(r).length === n && r.every(isNumber))) return null;
  const shares = rows.map((row, x) => row.map((v, y) => (x === y || !misses[x] ? null : v / misses[x])));
  return {n, shares, misses: misses.reduce((a, b) => a + b, 0)};
}

/* Mean share at each distance: from x to x + d, round the end. */
function reuseByDistance({n, shares}) {
  return [...Array(n - 1).keys()].map(i => {
    const known = shares.map((row, x) => row[(x + i + 1) % n]).filter(v => v !== null);
    return known.length ? known.reduce((a, b) => a + b, 0) / known.length : 0;
  });
}

function reuseWords(run) {
  const map = reuseOf(run),
    coefficient = run.result.totals['sm.reuse.coefficient'];
  if (!map.misses || !isNumber(coefficient)) return 'No load missed.';
  const mean = reuseByDistance(map),
    most = Math.max(...mean),
    least = Math.min(...mean);
  const head = `Of ${short(map.misses)} load misses, ${percent(coefficient)} asked for a line that another L1 had (the reuse coefficient).`;
  if (!most) return head;
  if (least > 0.75 * most) return `${head} SMs at every distance had about as many.`;
  const far = mean.flatMap((v, i) => (v > 0.75 * most ? [i + 1] : []));
  const places = far.slice(0, 4).join(', ') + (far.length > 4 ? ' and more' : '');
  return (
    `${head} SMs ${places} places further on had the most (up to ${percent(most)} of the misses), ` +
    `those ${mean.indexOf(least) + 1} places further on the least (${percent(least)}); SM 0 comes after the last.`
  );
}

function reuseChart(run) {
  return width => {
    const {n, shares} = reuseOf(run),
      names = [...Array(n).keys()].map(String),
      cells = shares.flatMap((row, y) => row.flatMap((v, x) => (v === null ? [] : [[x, y, v]]))),
      max = Math.max(...cells.map(c => c[2])) || 1,
      shade = v => mix(css('--heat-low'), css('--heat-high'), v / max),
      axis = (name, nameGap) => ({
        type: 'category',
        data: names,
        name,
        nameLocation: 'middle',
        nameGap,
        splitLine: {show: false},
        axisLabel: {color: css('--dim'), fontSize: 11},
        nameTextStyle: {color: css('--dim')},
      });
    return {
      height: n * Math.max(14, Math.min(30, 480 / n)) + 62,
      label: `load misses of each of ${n} SMs that each other SM could have answered`,
      option: {
        grid: {left: 52, right: 10, top: 8, bottom: 48},
        xAxis: axis('SM whose L1 had the line', 26),
        yAxis: Object.assign(axis('SM that missed', 32), {inverse: true}),
        tooltip: {
          formatter: p =>
            `<b>SM ${p.value[1]}, SM ${p.value[0]}</b><br>SM ${p.value[0]} had ${percent(p.value[2])} of the lines that SM ${p.value[1]} missed`,
        },
        visualMap: {
          show: false,
          min: 0,
          max,
          dimension: 2,
          inRange: {color: [css('--heat-low'), css('--heat-high')]},
        },
        series: [
          {
            type: 'heatmap',
            itemStyle: {borderColor: css('--bg'), borderWidth: 1},
            label: {show: (width - 62) / n > 44, fontSize: 11, formatter: p => percent(p.value[2])},
            data: cells.map(value => ({value, label: {color: inkOn(shade(value[2]))}})),
          },
        ],
      },
    };
  };
}

showFigures({
  id: 'reuse',
  short: 'Reuse',
  title: 'Reuse between SMs',
  about:
    'Part of each SM’s load misses that each other SM could have answered; several may have the same line. An SM that missed nothing has no row.',
  has: reuseOf,
  each: true,
  words: reuseWords,
  missing: 'This run was made without sm.l1.reuse_oracle.',
  figures: [{id: 'reuse-map', chart: reuseChart}],
});
