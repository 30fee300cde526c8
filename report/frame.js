/* The frame of every page: header with navigation and theme, sections, footer. */

const main = el('main'),
  nav = el('nav', {'aria-label': 'sections'});

function section(id, short, title, about, ...controls) {
  const s = el(
    'section',
    {id},
    el('div', {class: 'head'}, el('h2', {}, title), el('div', {}, controls)),
    about ? el('p', {class: 'about'}, about) : null,
  );
  main.append(s);
  nav.append(el('a', {href: '#' + id}, short));
  return s;
}
function block(parent, title, id, build, about) {
  if (!build) return null;
  const box = el(
    'div',
    {class: 'keep'},
    el('h3', {}, title),
    about ? el('p', {class: 'about'}, about) : null,
  );
  parent.append(box);
  return addChart(box, id, build);
}

function header(...extra) {
  const order = [
    ['auto', 'auto'],
    ['light', 'light'],
    ['dark', 'dark'],
  ];
  document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
  document.body.append(
    el(
      'header',
      {},
      el(
        'div',
        {},
        el('span', {class: 'name'}, 'heddle'),
        nav,
        extra,
        switcher(order, t => {
          theme = t;
          applyTheme();
        }),
      ),
    ),
    main,
  );
}
function cards(list) {
  return el(
    'div',
    {class: 'cards'},
    list.map(([label, value, note]) =>
      el(
        'div',
        {class: 'card'},
        el('div', {class: 'label'}, label),
        el('div', {class: 'value'}, value),
        el('div', {class: 'note'}, note),
      ),
    ),
  );
}
/* The first section, under the page's title. */
function opening(title, short, ...contents) {
  const s = el('section', {id: 'summary', class: 'first'}, contents);
  main.append(el('h1', {}, title), s);
  nav.append(el('a', {href: '#summary'}, short));
  return s;
}
function footer(...lines) {
  main.append(
    el(
      'footer',
      {},
      lines.map(l => el('div', {}, l)),
      el(
        'div',
        {},
        `Page made by heddle ${DATA.heddle_version}; charts by Apache ECharts ${echarts.version} (Apache-2.0).`,
      ),
    ),
  );
  document.documentElement.dataset.ready = 'yes';
}
