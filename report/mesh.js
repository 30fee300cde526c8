/* A mesh: its routers as a grid, where requests spend their time, what F-VCP decided. */

const MESH_STEPS = {east: [1, 0], west: [-1, 0], north: [0, -1], south: [0, 1]};
const MESH_PARTS = [
  ['cache_ns', 'LLC banks'],
  ['memory_ns', 'DRAM'],
  ['queue_ns', 'injection queues'],
  ['trip_ns', 'routers'],
];
const SPLIT_NAMES = {0: 'none', 1: '1:N-1', 2: '2:N-2'};

function meshSetting(run, name) {
  const c = run.result.config || {};
  const found = c['network.' + name] || c[name];
  return found === undefined ? null : typeof found === 'object' ? found.value : found;
}
/* The letters of a placement by node, parts of a node in brackets as one. */
function meshLetters(run) {
  const drawn = meshSetting(run, 'placement') || '';
  return drawn.replace(/\//g, '').match(/\([^)]*\)|\[[^\]]*\]|./g) || [];
}
function hasMesh(run) {
  return 'mesh.router0' in (run.result.units || {}) && total(run, 'mesh.cycles') > 0;
}

/* What routers did: packets in their queues by type and flits on each link, per cycle of the mesh. At sample
   -1 in the whole run, else in one interval of --series, where those statistics were sampled. */
function meshState(run, sample) {
  const routers = [];
  const s = run.result.series;
  const before = i => (i ? s.cycle[i - 1] : s.cycle[0] - s.interval_cycles);
  const scale = s && total(run, 'mesh.cycles') / s.cycle[s.cycle.length - 1];
  for (let i = 0; `mesh.router${i}` in run.result.units; i++) {
    const unit = run.result.units[`mesh.router${i}`];
    const at = (stat, label) => {
      if (sample < 0) return unit[stat][label] / total(run, 'mesh.cycles');
      const column = s.columns[`mesh.router${i}.${stat}[${label}]`];
      return column ? column[sample] / ((s.cycle[sample] - before(sample)) * scale) : 0;
    };
    routers.push({
      cpu: at('queued_cycles', 'cpu'),
      gpu: at('queued_cycles', 'gpu'),
      links: Object.fromEntries(Object.keys(MESH_STEPS).map(d => [d, at('flits', d)])),
      local: at('flits', 'local'),
    });
  }
  return routers;
}
/* Shown in the grid instead of strips: a mesh has many. */
function isMeshColumn(name) {
  return /^mesh\.router\d/.test(name);
}
function isMeshSampled(run) {
  const s = run.result.series;
  return Boolean(s && s.cycle.length && 'mesh.router0.flits[east]' in s.columns);
}

function meshGrid(state) {
  return width => {
    const run = chosen,
      routers = meshState(run, state.sample);
    const columns = Number(meshSetting(run, 'mesh.width')) || Math.round(Math.sqrt(routers.length));
    const rows = Math.ceil(routers.length / columns),
      cell = Math.min(120, (width - 60) / columns);
    const letters = meshLetters(run);
    const all = sample => meshState(run, sample).map(r => r.cpu + r.gpu);
    const deepest = Math.max(1, ...all(-1), ...routers.map(r => r.cpu + r.gpu));
    const shade = part => mix(css('--heat-low'), css('--heat-high'), Math.min(1, part));
    const x = i => (i % columns) * cell,
      y = i => Math.floor(i / columns) * cell;
    const links = [];
    routers.forEach((r, i) => {
      for (const [way, [dx, dy]] of Object.entries(MESH_STEPS)) {
        const cx = (i % columns) + dx,
          cy = Math.floor(i / columns) + dy;
        if (cx < 0 || cx >= columns || cy < 0 || cy >= rows) continue;
        const use = r.links[way];
        links.push({
          source: String(i),
          target: String(cx + columns * cy),
          value: use,
          lineStyle: {
            width: 1.5 + 8 * Math.min(1, use),
            color: shade(0.15 + 0.85 * use),
            curveness: 0.18,
            opacity: 1,
          },
        });
      }
    });
    return {
      height: rows * cell + 40,
      label: `mesh of ${columns} x ${rows} routers: use of links and depth of injection queues`,
      option: {
        tooltip: {
          formatter: p =>
            p.dataType === 'edge'
              ? `${p.data.source} to ${p.data.target}: <b>${percent(p.data.value)}</b> of cycles with a flit`
              : `<b>node ${p.data.id}</b> ${escaped(letters[p.data.id] || '')}<br>packets in its injection queue: ` +
                `CPU ${short(routers[p.data.id].cpu)}, GPU ${short(routers[p.data.id].gpu)}<br>flits to it: ${percent(routers[p.data.id].local)} of cycles`,
        },
        series: [
          {
            type: 'graph',
            layout: 'none',
            left: cell / 2,
            top: cell / 2,
            width: (columns - 1) * cell,
            height: Math.max(1, (rows - 1) * cell),
            edgeSymbol: ['none', 'arrow'],
            edgeSymbolSize: 6,
            symbol: 'roundRect',
            symbolSize: cell * 0.46,
            data: routers.map((r, i) => ({
              id: String(i),
              x: x(i),
              y: y(i),
              itemStyle: {color: shade((r.cpu + r.gpu) / deepest), borderColor: css('--line'), borderWidth: 1},
              label: {
                show: true,
                formatter: `${letters[i] || i}\n${(r.cpu + r.gpu).toFixed(1)}`,
                fontSize: 11,
                lineHeight: 15,
                color: inkOn(shade((r.cpu + r.gpu) / deepest)),
              },
            })),
            links,
          },
        ],
      },
    };
  };
}

function meshLatency() {
  /* clusters of one result share its mesh */
  const runs = RUNS.filter((r, i) => hasMesh(r) && RUNS.findIndex(o => o.file === r.file) === i);
  const rows = runs.flatMap(r =>
    ['cpu', 'gpu'].filter(t => total(r, `mesh.split.${t}.requests`) > 0).map(t => [r, t]),
  );
  const nameOf = r => (runs.length > 1 ? r.label.replace(/^.*\/|: \w+$/g, '') + ' ' : '');
  return {
    height: rows.length * 30 + 74,
    label: 'time of a request by place',
    option: {
      grid: {left: runs.length > 1 ? 320 : 60, right: 24, top: 30, bottom: 34},
      legend: {top: 0, left: 0},
      tooltip: {trigger: 'axis', axisPointer: {type: 'shadow'}, valueFormatter: v => `${short(v)} ns`},
      xAxis: {type: 'value', axisLabel: {formatter: v => `${tick(v)} ns`}},
      yAxis: {type: 'category', inverse: true, data: rows.map(([r, t]) => nameOf(r) + t.toUpperCase())},
      series: MESH_PARTS.map(([stat, name], i) => ({
        type: 'bar',
        name,
        stack: 'time',
        itemStyle: {color: colour(COLOURS[i])},
        data: rows.map(([r, t]) => total(r, `mesh.split.${t}.${stat}`)),
      })),
    },
  };
}

/* Channels that the last plan kept for CPU packets, over time: the decisions of F-VCP between its trainings. */
function meshDecisions() {
  const s = chosen.result.series,
    values = s.columns['mesh.noc.cpu_vcs'];
  return {
    height: 170,
    label: 'channels kept for CPU packets over time',
    option: {
      grid: {left: 62, right: 20, top: 12, bottom: 42},
      tooltip: {
        trigger: 'axis',
        formatter: l =>
          `cycle ${whole(l[0].value[0])}: split ${SPLIT_NAMES[l[0].value[1]] || l[0].value[1]}`,
      },
      xAxis: {
        type: 'value',
        max: s.cycle[s.cycle.length - 1],
        name: 'cycle',
        nameLocation: 'middle',
        nameGap: 24,
        axisLabel: {formatter: tick},
      },
      yAxis: {type: 'value', min: 0, minInterval: 1, axisLabel: {formatter: v => SPLIT_NAMES[v] || v}},
      series: [
        {
          type: 'line',
          step: 'end',
          symbol: 'none',
          areaStyle: {opacity: 0.15},
          itemStyle: {color: colour(COLOURS[0])},
          data: s.cycle.map((c, i) => [c, values[i]]),
        },
      ],
    },
  };
}

function mesh() {
  if (!RUNS.some(hasMesh)) return;
  const parts = RUNS.some(r => meshLetters(r).length)
    ? ' (C: CPU core, G: SM, L: bank, M: memory controller)'
    : '';
  const s = section(
    'mesh',
    'Mesh',
    'Mesh',
    `Each router with its node${parts} and the mean number of packets waiting in its injection queue; the wider and darker a link, the more cycles it carried a flit.`,
  );
  const state = {sample: -1},
    grid = el('div');
  s.append(runName(), grid);
  const chart = addChart(grid, 'mesh-grid', width => (hasMesh(chosen) ? meshGrid(state)(width) : {height: 10, option: {}}));
  const when = el('span', {class: 'dim'}, 'the whole run'),
    slider = el('input', {type: 'range', min: '-1', value: '-1', 'aria-label': 'interval shown'}),
    strip = el('p', {}, slider, ' ', when);
  slider.addEventListener('input', () => {
    state.sample = Number(slider.value);
    when.textContent = state.sample < 0 ? 'the whole run' : `up to cycle ${whole(chosen.result.series.cycle[state.sample])}`;
    chart.draw();
  });
  grid.append(strip);
  if (RUNS.some(r => hasMesh(r) && total(r, 'mesh.split.cpu.requests') !== null))
    block(
      s,
      'Time of a request',
      'mesh-latency',
      meshLatency,
      'Mean time in LLC banks and their queues, memory controllers and DRAM, injection queues, and routers.',
    );
  const history = el('div');
  s.append(history);
  const shown = {chart: null};
  const update = () => {
    const decided = hasMesh(chosen) && chosen.result.series && 'mesh.noc.cpu_vcs' in chosen.result.series.columns;
    strip.hidden = !hasMesh(chosen) || !isMeshSampled(chosen);
    if (!strip.hidden) slider.max = String(chosen.result.series.cycle.length - 1);
    state.sample = -1;
    slider.value = '-1';
    chart.draw();
    history.hidden = !decided;
    if (decided && !shown.chart) {
      history.append(el('h3', {}, 'Split in force'));
      shown.chart = addChart(history, 'mesh-decisions', () =>
        chosen.result.series && 'mesh.noc.cpu_vcs' in chosen.result.series.columns ? meshDecisions() : {height: 10, option: {}},
      );
    } else if (decided) shown.chart.draw();
  };
  onChoice.push(update);
  update();
}
