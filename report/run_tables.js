/* Tables of a page of runs: statistics, kernels, configuration. */

/* Every statistic of any run, arrays by element; one value column per run. */
function statisticRows() {
  const names = new Map();
  for (const r of RUNS) {
    for (const [name, d] of Object.entries(r.result.definitions)) {
      const v = r.result.totals[name];
      const put = (n, value) => {
        if (!names.has(n))
          names.set(n, {
            name: n,
            unit: d.unit,
            meaning: d.meaning + (d.formula ? ` (${d.formula})` : ''),
            values: [],
          });
        names.get(n).values[RUNS.indexOf(r)] = value;
      };
      if (v !== null && typeof v === 'object' && 'bins' in v) {
        put(`${name} (samples)`, v.samples);
        put(`${name} (mean)`, v.samples ? v.sum / v.samples : null);
        put(`${name} (max)`, v.max);
      } else if (v !== null && typeof v === 'object') {
        for (const [label, part] of Object.entries(v)) put(`${name}[${label}]`, part);
      } else {
        put(name, v);
      }
    }
  }
  return [...names.values()];
}
function statisticsTable() {
  const columns = [
    {title: 'statistic', kind: 'name', value: r => r.name},
    ...RUNS.map((run, i) => ({
      title: RUNS.length > 1 ? run.label : 'value',
      kind: 'number',
      value: r => r.values[i],
      text: r => exact(r.values[i]),
    })),
    {title: 'unit', value: r => r.unit},
    {title: 'meaning', kind: 'long', value: r => r.meaning},
  ];
  const table = sortableTable('statistics-table', columns, statisticRows());
  return [
    el(
      'div',
      {class: 'controls'},
      searchBox('filter statistics', t => table.filter(wordTest(t, r => `${r.name} ${r.unit} ${r.meaning}`))),
      table.count,
    ),
    table.element,
  ];
}

function worstClass(k) {
  const slots = kernelClasses(chosen, k);
  const waits = Object.entries(slots)
    .filter(([c]) => !['issued', 'retired', 'issue', 'compute', 'scratchpad'].includes(c))
    .sort((a, b) => b[1] - a[1]);
  return waits.length ? `${waits[0][0]} ${percent(waits[0][1] / sum(slots), 0)}` : '';
}
// Features of a kernel that the comparison of its chip with silicon leaves in doubt.
const featureError = f =>
  f.kernels_measured ? `${f.error_percent.toFixed(0)} % off over ${f.kernels_measured} kernels` : 'not measured';
const NOT_VALIDATED = {
  title: 'not validated',
  kind: 'name',
  value: r => (r.not_validated || []).map(f => f.words).join(', '),
  text: r =>
    el(
      'span',
      {title: (r.not_validated || []).map(f => `${f.words}: ${featureError(f)}`).join('; ')},
      (r.not_validated || []).map(f => f.feature.replace(/_/g, ' ')).join(', '),
    ),
};
// Kernels of a GPU, programs of CPU cores or phases of a fabric.
function kernelColumns(kind) {
  const isCpu = kind === 'program',
    isPhase = kind === 'phase';
  const n = (title, value, text) => ({title, kind: 'number', value, text: text || (r => exact(value(r)))});
  const part = (a, b) => (b > 0 ? a / b : null),
    share = f => r => (f(r) === null ? '–' : percent(f(r)));
  const l1 = r => part(r.l1_hits, r.l1_loads),
    l2 = r => part(r.l2_hits, r.l2_accesses);
  const latency = r => part(r.miss_latency_cycles, r.misses_answered);
  const kernels = [
    n('blocks', r => r.blocks),
    n('threads', r => r.threads_per_block),
    n('registers', r => r.registers),
    n('L1 hits', l1, share(l1)),
    n(`${CACHE} hits`, l2, share(l2)),
    n('miss latency', latency, r => short(latency(r))),
    n('DRAM bytes', r => r.dram_read_bytes + r.dram_written_bytes),
  ];
  const perThousand = f => r => part(1000 * f(r), r.instructions);
  const rate = (title, f) => n(title, perThousand(f), r => short(perThousand(f)(r)));
  const answer = r => part(r.latency_cycles, r.answered),
    llc = r => part(r.llc_hits, r.answered);
  const programs = [
    n('cores', r => r.cores),
    n('instructions', r => r.instructions),
    rate('mispred. /1000', r => r.mispredicted),
    rate('L1I MPKI', r => r.l1i_misses),
    rate('L1D MPKI', r => r.l1d_misses),
    rate('L2 MPKI', r => r.l2_misses),
    n('LLC hits', llc, share(llc)),
    n('miss latency', answer, r => short(answer(r))),
  ];
  const rl1 = r => part(r.rl1_hits, r.rl1_accesses),
    rl2 = r => part(r.rl2_hits, r.rl2_accesses);
  const phases = [
    {title: 'mode', kind: 'name', value: r => ['shared', 'private', 'map', 'bypass'][r.mode]},
    {title: 'second level', kind: 'name', value: r => ['cache', 'scratchpad', 'bypass'][r.rl2_mode]},
    n('items', r => r.items),
    n('write-back', r => r.flush_cycles),
    n('mode change', r => r.switch_cycles),
    n('first-level hits', rl1, share(rl1)),
    n('second-level hits', rl2, share(rl2)),
    n('DRAM bytes', r => r.dram_read_bytes + r.dram_written_bytes),
  ];
  const work = r => part(isPhase ? r.operations : isCpu ? r.instructions : r.warp_instructions, r.cycles);
  return [
    n('#', r => r.number + 1),
    {title: kind, kind: 'name', value: r => r.name},
    n('cycles', r => r.cycles),
    n('starts', r => r.started),
    n(isPhase ? 'operations/cycle' : 'IPC', work, r => short(work(r))),
    ...(isPhase ? phases : isCpu ? programs : kernels),
    {title: 'most lost to', kind: 'name', value: worstClass},
    ...(isPhase
      ? []
      : [
          {
            title: 'bound by',
            kind: 'brief',
            value: r => r.bound_by || '',
            text: r => el('span', {title: r.bound_by || ''}, (r.bound_by || '').replace(/:.*/, '')),
          },
        ]),
    ...(RUNS.some(r => (r.result.kernels || []).some(k => k.not_validated)) ? [NOT_VALIDATED] : []),
  ];
}

function kernelTable() {
  const rows = () => chosen.result.kernels || [];
  const kind = () =>
    isModel(chosen, 'fabric') ? 'phase' : rows().some(r => r.first_core !== undefined) ? 'program' : 'kernel';
  const holder = el('div', {});
  let shown = null,
    table;
  const show = () => {
    if (shown === kind()) {
      table.refresh(rows());
      return;
    }
    shown = kind();
    table = sortableTable('kernel-table', kernelColumns(shown), rows());
    const box = searchBox(`filter ${shown}s`, t => table.filter(wordTest(t, r => r.name)));
    holder.replaceChildren(el('div', {class: 'controls'}, box, table.count), table.element);
  };
  show();
  onChoice.push(show);
  return [holder];
}

/* Every number of a launch, arrays by element, as the result file defines them. */
function launchRows(k) {
  const rows = [];
  for (const [name, d] of Object.entries(chosen.result.kernel_definitions || {})) {
    const v = name.split('.').reduce((part, key) => (part ? part[key] : undefined), k);
    const meaning = d.meaning + (d.statistic ? ` (${d.statistic})` : '');
    const put = (n, value) => rows.push({name: n, value, unit: d.unit, meaning});
    if (v !== null && typeof v === 'object')
      for (const [label, part] of Object.entries(v)) put(`${name}[${label}]`, part);
    else if (v !== undefined) put(name, v);
  }
  return rows;
}
function launchTable(words) {
  const launches = () => (chosen.result.kernels || []).slice().sort((a, b) => a.number - b.number);
  const table = sortableTable(
    'launch-table',
    [
      {title: 'number', kind: 'name', value: r => r.name},
      {title: 'value', kind: 'number', value: r => r.value, text: r => exact(r.value)},
      {title: 'unit', value: r => r.unit},
      {title: 'meaning', kind: 'long', value: r => r.meaning},
    ],
    [],
  );
  const pick = el('span');
  const show = () => {
    const list = launches();
    pick.replaceChildren(
      chooser(
        words.one,
        list.map((k, i) => [String(i), `${k.number + 1}. ${k.name}`]),
        i => table.refresh(launchRows(list[Number(i)])),
      ),
    );
    table.refresh(list.length ? launchRows(list[0]) : []);
  };
  onChoice.push(show);
  show();
  return [
    el(
      'div',
      {class: 'controls'},
      pick,
      searchBox('filter numbers', t => table.filter(wordTest(t, r => `${r.name} ${r.unit} ${r.meaning}`))),
      table.count,
    ),
    table.element,
  ];
}

function isAssumed(run, path) {
  const c = run.result.config[path],
    p = run.parameters[path];
  return Boolean(c && p && c.from === 'default' && p.source.startsWith('assumed'));
}
function configRows() {
  const paths = new Map();
  RUNS.forEach((r, i) =>
    Object.entries(r.result.config).forEach(([path, c]) => {
      if (!paths.has(path))
        paths.set(path, {
          path,
          values: [],
          from: [],
          about: r.parameters[path] || {unit: '', meaning: '', source: ''},
          assumed: false,
        });
      const row = paths.get(path);
      row.values[i] = c.value;
      row.from[i] = c.from;
      row.assumed = row.assumed || isAssumed(r, path);
    }),
  );
  for (const row of paths.values()) row.strong = RUNS.some((_, i) => row.values[i] !== row.values[0]);
  return [...paths.values()];
}
function originText(row) {
  const short = [...new Set(row.from.filter(Boolean).map(f => f.replace(/^.*\/(?=[^/]*:\d+$)/, '')))];
  const text = short.map(f => (f === 'default' ? `default: ${row.about.source}` : f)).join(', ');
  return row.assumed ? el('span', {class: 'mark'}, text) : text;
}
function configTable() {
  const rows = configRows(),
    several = RUNS.length > 1;
  const columns = [
    {title: 'parameter', kind: 'name', value: r => r.path},
    ...RUNS.map((run, i) => ({title: several ? run.label : 'value', kind: 'name', value: r => r.values[i]})),
    {title: 'from', value: r => r.from.join(), text: originText},
    {title: 'meaning', kind: 'long', value: r => r.about.meaning},
  ];
  const table = sortableTable('config-table', columns, rows),
    state = {words: '', assumed: false, differing: false};
  const apply = () => {
    const words = wordTest(
      state.words,
      r => `${r.path} ${r.values.join(' ')} ${r.from.join(' ')} ${r.about.source} ${r.about.meaning}`,
    );
    table.filter(r => words(r) && (!state.assumed || r.assumed) && (!state.differing || r.strong));
  };
  const box = (key, text) =>
    el(
      'label',
      {},
      el('input', {
        type: 'checkbox',
        id: `only-${key}`,
        onchange: e => {
          state[key] = e.target.checked;
          apply();
        },
      }),
      ' ' + text,
    );
  const assumed = rows.filter(r => r.assumed).length;
  return [
    el(
      'p',
      {class: 'about'},
      `${rows.length} parameters`,
      several ? `, ${rows.filter(r => r.strong).length} of which differ between the runs (bold)` : '',
      '; ',
      el('span', {class: 'mark'}, `${assumed} are assumed`),
      ': defaults for which there is no source.',
    ),
    el(
      'div',
      {class: 'controls'},
      searchBox('filter parameters', t => {
        state.words = t;
        apply();
      }),
      box('assumed', 'assumed only'),
      several ? box('differing', 'differing only') : null,
      table.count,
    ),
    table.element,
  ];
}
