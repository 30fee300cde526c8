/* Each figure as a file: SVG as it is drawn, CSV with the numbers it was drawn from. */

function download(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], {type})),
    link = el('a', {href: url, download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
function fileName(id, ending) {
  const slug = s => s.replace(/[^\w.+-]+/g, '-').replace(/^-+|-+$/g, '');
  return `${slug(document.title).toLowerCase()}-${slug(id)}.${ending}`;
}

/* Rows as RFC 4180 has them. */
function csvText(rows) {
  const cell = v => {
    const s = v === null || v === undefined ? '' : String(v);
    return /[",\r\n]/.test(s) ? `"${s.replace(/"/g, '""')}"` : s;
  };
  return rows.map(r => r.map(cell).join(',') + '\r\n').join('');
}

const oneOf = a => (Array.isArray(a) ? a[0] : a) || {};
const datumValue = d => (d !== null && typeof d === 'object' && !Array.isArray(d) ? d.value : d);
const seriesName = s => `${s.name || 'value'}${s.published ? ', published' : ''}`;
const oneLineOf = s => String(s).replace(/\s*\n\s*/g, ', ');

/* Bars or lines over named places: a row for each place, a column for each series. */
function barRows(places, series) {
  return [
    ['', ...series.map(seriesName)],
    ...places.map((p, i) => [oneLineOf(p), ...series.map(s => datumValue(list(s.data)[i]))]),
  ];
}
/* Anything else: a row for each point, numbers of named places as names. */
function pointRows(option, series) {
  const x = oneOf(option.xAxis),
    y = oneOf(option.yAxis),
    name = (axis, v) => (axis.type === 'category' && Number.isInteger(v) ? oneLineOf(list(axis.data)[v]) : v);
  const rows = series.flatMap(s =>
    list(s.data).map(d => {
      const v = list(datumValue(d));
      return [seriesName(s), name(x, v[0]), name(y, v[1]), ...v.slice(2)];
    }),
  );
  const most = Math.max(3, ...rows.map(r => r.length));
  const more = ['value', 'more', 'and more'];
  return [['series', x.name || 'x', y.name || 'y', ...more.slice(0, most - 3)], ...rows];
}
/* Points [place, value] as one value for each place. */
function spread(s, count) {
  const data = Array(count).fill(null);
  for (const [place, value] of s.data) data[place] = value;
  return Object.assign({}, s, {data});
}
/* What a chart shows: what its figure says, or else what its series hold. */
function chartRows({option, rows}) {
  if (rows) return rows;
  const series = list(option.series).filter(s => list(s.data).length && !s.silent),
    places = [oneOf(option.xAxis), oneOf(option.yAxis)].find(a => a.type === 'category');
  const isPlain = s => !list(s.data).some(d => Array.isArray(datumValue(d))),
    points = series.filter(s => !isPlain(s));
  if (places && points.every(s => s.published && s.type === 'custom'))
    return barRows(
      list(places.data),
      series.map(s => (isPlain(s) ? s : spread(s, list(places.data).length))),
    );
  return pointRows(option, series);
}
function chartSvg(chart) {
  const size = `width="${chart.width}" height="${chart.box.clientHeight}"`;
  return chart.instance
    .renderToSVGString()
    .replace(/>/, `><rect ${size} fill="${css('--bg')}"/>`);
}

/* The two buttons of a chart. */
function exportButtons(chart) {
  const id = chart.box.id,
    button = (text, onclick) =>
      el('button', {type: 'button', title: `save this figure as ${text}`, onclick}, text);
  return el(
    'div',
    {class: 'export'},
    button('SVG', () => download(fileName(id, 'svg'), 'image/svg+xml', chartSvg(chart))),
    button('CSV', () => download(fileName(id, 'csv'), 'text/csv', csvText(chartRows(chart.made)))),
  );
}
