/* Shared by all parts of the page: data, elements, numbers, colours, charts. */
'use strict';

const DATA = JSON.parse(document.getElementById('data').textContent);

const COLOURS = ['#4477aa', '#ee6677', '#228833', '#ccbb44', '#66ccee', '#aa3377', '#999999'];

/* An element; strings become text, never markup. */
function el(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith('on')) e.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false) e.setAttribute(key, value === true ? '' : value);
  }
  e.append(...children.flat().filter(c => c !== null && c !== undefined));
  return e;
}

function escaped(s) {
  return String(s).replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`);
}

/* Numbers as people read them. */
function whole(v) {
  return Math.round(v).toLocaleString('en-US');
}
function short(v) {
  if (v === null || v === undefined || !Number.isFinite(v)) return '–';
  const size = Math.abs(v);
  for (const [limit, suffix] of [
    [1e12, ' T'],
    [1e9, ' G'],
    [1e6, ' M'],
  ])
    if (size >= limit) return (v / limit).toFixed(size / limit < 10 ? 2 : 1) + suffix;
  if (size >= 1000 || v === Math.round(v)) return whole(v);
  return v.toFixed(size < 1 ? 3 : size < 10 ? 2 : 1);
}
/* For axes: no zeros behind the point. */
function tick(v) {
  return v && Math.abs(v) < 1
    ? String(Number(v.toPrecision(3)))
    : short(v)
        .replace(/\.0+(?= |$)/, '')
        .replace(/(\.\d*?)0+(?= |$)/, '$1');
}
function exact(v) {
  if (v === null || v === undefined) return '–';
  return Number.isInteger(v)
    ? v.toLocaleString('en-US')
    : Number(v.toPrecision(6)).toLocaleString('en-US', {maximumFractionDigits: 6});
}
/* For tables to be read: four digits. */
function rounded(v) {
  if (!isNumber(v)) return '–';
  return Math.abs(v) >= 1000 ? whole(v) : String(Number(v.toPrecision(4)));
}
function list(v) {
  return Array.isArray(v) ? v : [];
}
function isNumber(v) {
  return typeof v === 'number' && Number.isFinite(v);
}
function percent(share, digits = 1) {
  return Number.isFinite(share) ? (100 * share).toFixed(digits) + ' %' : '–';
}
function timeText(seconds) {
  for (const [limit, unit] of [
    [1, 's'],
    [1e-3, 'ms'],
    [1e-6, 'µs'],
  ])
    if (seconds >= limit) return (seconds / limit).toFixed(2) + ' ' + unit;
  return (seconds * 1e9).toFixed(1) + ' ns';
}

/* Of people's clocks: minutes and hours too. */
function hostTime(seconds) {
  if (seconds < 120) return timeText(seconds);
  return seconds < 7200 ? `${(seconds / 60).toFixed(1)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

/* Theme: the system's, until the reader says otherwise. */
const systemDark = window.matchMedia('(prefers-color-scheme: dark)');
let theme = 'auto',
  printing = false;
function isDark() {
  return !printing && (theme === 'auto' ? systemDark.matches : theme === 'dark');
}
function applyTheme() {
  document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
  for (const c of charts) c.draw();
}
function css(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
function colour(c) {
  return c.startsWith('var(') ? css(c.slice(4, -1)) : c;
}
function mix(from, to, part) {
  const parse = c => [1, 3, 5].map(i => parseInt(c.slice(i, i + 2), 16));
  const a = parse(from),
    b = parse(to);
  return (
    '#' +
    a
      .map((x, i) =>
        Math.round(x + (b[i] - x) * part)
          .toString(16)
          .padStart(2, '0'),
      )
      .join('')
  );
}
/* Values so near each other that nothing would be seen on an axis from zero. */
function isNarrow(values) {
  const low = Math.min(...values),
    high = Math.max(...values);
  return values.length > 1 && (low > 0 || high < 0) && high - low < 0.3 * Math.max(Math.abs(low), Math.abs(high));
}
/* The scale of a map: at least a fifth of its largest value, so that values within some percent of each
 * other look alike; they stand in its middle. */
function heatRange(values) {
  const low = Math.min(...values),
    high = Math.max(...values),
    least = 0.2 * Math.max(Math.abs(low), Math.abs(high)) || 1,
    spare = Math.max(0, least - (high - low)) / 2;
  return {min: low - spare, max: high + spare};
}
/* Black or white, whichever reads better on a colour. */
function inkOn(c) {
  const [r, g, b] = [1, 3, 5].map(i => parseInt(c.slice(i, i + 2), 16));
  return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? '#111418' : '#ffffff';
}

/* Charts redraw from their build function when width or theme change. */
const charts = [];
function addChart(parent, id, build) {
  const box = el('div', {class: 'chart keep', id, role: 'img'});
  parent.append(box);
  const chart = {box, instance: null, width: 0, made: null};
  chart.draw = function () {
    chart.width = box.clientWidth || 1000;
    chart.made = build(chart.width);
    const {height, option, label} = chart.made;
    box.style.height = height + 'px';
    box.setAttribute('aria-label', label || id);
    if (!chart.instance) chart.instance = echarts.init(box, null, {renderer: 'svg'});
    chart.instance.resize({width: chart.width, height});
    chart.instance.setOption(dress(option), true);
  };
  charts.push(chart);
  chart.draw();
  parent.append(exportButtons(chart));
  return chart;
}
/* A box whose charts are drawn anew. */
function emptyBox(box) {
  for (const c of charts.filter(x => box.contains(x.box))) {
    c.instance.dispose();
    charts.splice(charts.indexOf(c), 1);
  }
  box.replaceChildren();
}
/* What all charts share: no animation, our type and ink. */
function dress(option) {
  const ink = css('--ink'),
    dim = css('--dim'),
    line = css('--line');
  const axis = a =>
    a &&
    Object.assign({}, a, {
      axisLine: Object.assign({show: false, lineStyle: {color: line}}, a.axisLine),
      axisTick: {show: false},
      axisLabel: Object.assign(
        {color: a.type === 'category' ? ink : dim, fontSize: 12, hideOverlap: true},
        a.axisLabel,
      ),
      splitLine: Object.assign({lineStyle: {color: line, width: 1}}, a.splitLine),
      nameTextStyle: Object.assign({color: dim, fontSize: 12}, a.nameTextStyle),
    });
  const each = a => (Array.isArray(a) ? a.map(axis) : axis(a));
  return Object.assign({}, option, {
    animation: false,
    backgroundColor: 'transparent',
    textStyle: {
      color: ink,
      fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif',
    },
    xAxis: each(option.xAxis),
    yAxis: each(option.yAxis),
    legend:
      option.legend &&
      Object.assign(
        {
          left: 0,
          top: 0,
          icon: 'rect',
          itemWidth: 11,
          itemHeight: 11,
          itemGap: 14,
          textStyle: {color: ink, fontSize: 12},
        },
        option.legend,
      ),
    tooltip:
      option.tooltip &&
      Object.assign(
        {
          confine: true,
          backgroundColor: css('--panel'),
          borderColor: line,
          textStyle: {color: ink, fontSize: 12.5},
        },
        option.tooltip,
      ),
  });
}
let resizing = 0;
window.addEventListener('resize', () => {
  clearTimeout(resizing);
  resizing = setTimeout(() => charts.forEach(c => c.box.clientWidth !== c.width && c.draw()), 120);
});
systemDark.addEventListener('change', applyTheme);
window.addEventListener('beforeprint', () => {
  printing = true;
  applyTheme();
});
window.addEventListener('afterprint', () => {
  printing = false;
  applyTheme();
});

/* A row of buttons of which one is down. */
function switcher(choices, onchange) {
  const box = el('span', {class: 'switch', role: 'group'});
  choices.forEach(([value, text], i) =>
    box.append(
      el(
        'button',
        {
          type: 'button',
          'aria-pressed': String(i === 0),
          onclick: e => {
            for (const b of box.children) b.setAttribute('aria-pressed', String(b === e.target));
            onchange(value);
          },
        },
        text,
      ),
    ),
  );
  return box;
}
function chooser(label, names, onchange) {
  const list = el(
    'select',
    {onchange: () => onchange(list.value)},
    names.map(([v, t]) => el('option', {value: v}, t)),
  );
  return el('label', {}, el('span', {}, label + ' '), list);
}
