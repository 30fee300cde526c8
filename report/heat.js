/* Heat maps: one cell per unit of the chip. */

/* Families of units, found by their names: "sm3.l1" has statistics of "sm.l1", number 3. Statistics that are 0 everywhere
 * have no map. */
function familiesOf(run) {
  const families = new Map(),
    totals = run.result.totals;
  const place = name => {
    for (let i = 1; i < name.length; i++) {
      const m = /^(\d+)((?:\..*)?)$/.exec(name.slice(i));
      const stat = Object.keys(run.result.units[name])[0];
      if (m && stat !== undefined && `${name.slice(0, i)}${m[2]}.${stat}` in totals)
        return {family: name.slice(0, i), index: Number(m[1]), rest: m[2] ? m[2].slice(1) + '.' : ''};
    }
    return null;
  };
  for (const [name, unit] of Object.entries(run.result.units)) {
    const p = place(name);
    if (!p) continue;
    const f = families.get(p.family) || {name: p.family, count: 0, stats: new Map()};
    families.set(p.family, f);
    f.count = Math.max(f.count, p.index + 1);
    const put = (stat, v) => {
      if (!f.stats.has(stat)) f.stats.set(stat, []);
      f.stats.get(stat)[p.index] = v;
    };
    for (const [stat, v] of Object.entries(unit)) {
      if (v !== null && typeof v === 'object') {
        const all = 'bins' in v ? 0 : sum(v);
        if (all) for (const [label, part] of Object.entries(v)) put(`${p.rest}${stat}: ${label}`, part / all);
      } else {
        put(p.rest + stat, v);
      }
    }
  }
  for (const f of families.values())
    for (const [stat, values] of f.stats) if (!values.some(v => v)) f.stats.delete(stat);
  const known = Object.keys(HEAT_NAMES),
    rank = f => (known.includes(f.name) ? known.indexOf(f.name) : known.length);
  return [...families.values()].filter(f => f.count > 1 && f.stats.size).sort((a, b) => rank(a) - rank(b));
}
const HEAT_NAMES = {
  sm: 'SMs',
  l2: `${CACHE} banks`,
  dram: 'DRAM channels',
  'request_network.output': 'outputs of the request network',
  'reply_network.output': 'outputs of the reply network',
};
const HEAT_FIRST = {
  sm: 'ipc',
  l2: 'accesses',
  dram: 'bus_bytes',
  'request_network.output': 'flits',
  'reply_network.output': 'flits',
};

function heatUnit(run, family, stat) {
  const [name, label] = stat.split(': ');
  const d = run.result.definitions[`${family}.${name}`];
  if (label !== undefined) return {unit: 'ratio', meaning: d ? `${d.meaning}: share of ${label}` : ''};
  return d || {unit: '', meaning: ''};
}
function heatChart(state) {
  return width => {
    const {family, stat} = state,
      values = family.stats.get(stat) || [];
    const known = values.filter(v => v !== null && v !== undefined);
    const columns = Math.min(family.count, width < 560 ? 8 : 16),
      rows = Math.ceil(family.count / columns);
    const {min, max} = heatRange(known),
      cell = (width - 46) / columns;
    const isShare = heatUnit(chosen, family.name, stat).unit === 'ratio';
    const text = v => (v === null || v === undefined ? '' : isShare ? percent(v) : short(v));
    const shade = v => mix(css('--heat-low'), css('--heat-high'), (v - min) / (max - min));
    return {
      height: rows * 34 + 30,
      label: `${stat} of each of ${family.count}`,
      rows: [['unit', stat], ...values.map((v, i) => [family.name + i, v])],
      option: {
        grid: {left: 36, right: 10, top: 22, bottom: 6},
        xAxis: {
          type: 'category',
          position: 'top',
          data: [...Array(columns).keys()].map(i => `+${i}`),
          splitLine: {show: false},
          axisLabel: {color: css('--dim'), fontSize: 11},
        },
        yAxis: {
          type: 'category',
          inverse: true,
          data: [...Array(rows).keys()].map(i => String(i * columns)),
          splitLine: {show: false},
          axisLabel: {color: css('--dim'), fontSize: 11},
        },
        tooltip: {
          formatter: p =>
            `<b>${escaped(family.name)}${p.value[3]}</b> ${text(p.value[2])}<br>${escaped(stat)}`,
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
            data: values
              .map((v, i) => ({
                value: [i % columns, Math.floor(i / columns), v === undefined ? null : v, i],
                label: {color: v === null || v === undefined ? css('--dim') : inkOn(shade(v))},
              }))
              .filter(d => d.value[2] !== null),
            label: {show: cell > 40, fontSize: 11, formatter: p => text(p.value[2])},
          },
        ],
      },
    };
  };
}
function heatSummary(state) {
  const known = (state.family.stats.get(state.stat) || []).filter(v => v !== null && v !== undefined);
  const {unit, meaning} = heatUnit(chosen, state.family.name, state.stat);
  if (!known.length) return 'no samples';
  const mean = known.reduce((a, b) => a + b, 0) / known.length,
    high = Math.max(...known);
  const text = v => (unit === 'ratio' ? percent(v) : short(v));
  return (
    `${meaning}${unit && unit !== 'ratio' ? ` (${unit})` : ''}. Minimum ${text(Math.min(...known))}, mean ${text(mean)}, maximum ${text(high)}` +
    (mean > 0 ? `: ${(high / mean).toFixed(2)} times the mean.` : '.')
  );
}
