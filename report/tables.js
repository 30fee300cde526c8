/* Tables that sort and filter. */

const MOST_ROWS = 150; /* drawn at first; a button shows the rest */

/* Long names of statistics may break behind a mark. */
function breakable(text) {
  return String(text)
    .split(/(?<=[_.:/])/)
    .flatMap((part, i) => (i ? [el('wbr'), part] : [part]));
}

/*
 * columns: [{title, key | value(row), text(row), kind: 'number' | 'name' | 'long'}], rows: any.
 * Returns {element, filter(test), refresh(rows)}.
 */
function sortableTable(id, columns, rows) {
  let sortBy = -1,
    down = false,
    test = () => true,
    all = false;
  const body = el('tbody'),
    more = el('button', {
      type: 'button',
      class: 'more',
      onclick: () => {
        all = true;
        draw();
      },
    });
  const count = el('span', {class: 'dim'});
  const head = el(
    'tr',
    {},
    columns.map((c, i) =>
      el(
        'th',
        {class: c.kind === 'number' ? 'number' : '', 'aria-sort': 'none'},
        el(
          'button',
          {
            type: 'button',
            onclick: () => {
              down = sortBy === i ? !down : c.kind === 'number';
              sortBy = i;
              draw();
            },
          },
          breakable(c.title),
        ),
      ),
    ),
  );
  const compare = (a, b) => {
    const x = columns[sortBy].value(a),
      y = columns[sortBy].value(b);
    if (x === y) return 0;
    if (x === null || x === undefined) return 1;
    if (y === null || y === undefined) return -1;
    const order =
      typeof x === 'number' && typeof y === 'number'
        ? x - y
        : String(x).localeCompare(String(y), 'en', {numeric: true});
    return down ? -order : order;
  };
  function draw() {
    let list = rows.filter(test);
    if (sortBy >= 0) list = list.slice().sort(compare);
    const shown = all || printing ? list : list.slice(0, MOST_ROWS);
    body.replaceChildren(
      ...shown.map(r =>
        el(
          'tr',
          {class: r.strong ? 'strong' : ''},
          columns.map(c => el('td', {class: c.kind || ''}, c.text ? c.text(r) : String(c.value(r) ?? '–'))),
        ),
      ),
    );
    more.hidden = shown.length === list.length;
    more.textContent = `show all ${list.length} rows`;
    count.textContent = `${list.length} of ${rows.length}`;
    [...head.children].forEach((th, i) =>
      th.setAttribute('aria-sort', i !== sortBy ? 'none' : down ? 'descending' : 'ascending'),
    );
  }
  draw();
  return {
    element: el(
      'div',
      {},
      el('div', {class: 'scroll'}, el('table', {id}, el('thead', {}, head), body)),
      more,
    ),
    count,
    filter(t) {
      test = t;
      draw();
    },
    refresh(r) {
      rows = r;
      all = false;
      draw();
    },
  };
}
/* Words that must all occur in a row's text. */
function wordTest(text, of) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return row => {
    const t = of(row).toLowerCase();
    return words.every(w => t.includes(w));
  };
}
function searchBox(label, oninput) {
  const box = el('input', {
    type: 'search',
    placeholder: label,
    'aria-label': label,
    oninput: () => oninput(box.value),
  });
  return box;
}
