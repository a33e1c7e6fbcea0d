// draw: elements of the document, and the pictures that are made of lines. All text goes in as text.

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) element.setAttribute(name, value);
  }
  for (const child of children.flat(9)) if (child !== null && child !== undefined && child !== "") element.append(child);
  return element;
}

function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

let lastId = 0;
const newId = () => `id${++lastId}`;

// As wide as the page allows, within these bounds; what is wider scrolls.
const fitting = (least, most) => Math.max(least, Math.min(most, document.documentElement.clientWidth - 40));

const number = (value) => Number(value).toLocaleString("en-US", { maximumFractionDigits: 3 });

// A value in a cell: short, and "?" where nobody knows.
function shown(value) {
  if (value === undefined || value === null) return "?";
  if (typeof value !== "number" || Number.isInteger(value)) return String(value);
  return String(Number(value.toPrecision(4)));
}

// [0, 1, 2, 5] → "0–2, 5"
function ranges(numbers) {
  const parts = [];
  for (const n of numbers) {
    const last = parts[parts.length - 1];
    if (last && n === last[1] + 1) last[1] = n;
    else parts.push([n, n]);
  }
  return parts.map(([a, b]) => (a === b ? `${a}` : `${a}–${b}`)).join(", ");
}

function scroller(label, ...children) {
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, children);
}

function table(head, rows, attributes) {
  const cells = (tag, row) => row.map((cell, i) => {
    const is = head[i] && head[i].startsWith("#") ? "number" : undefined;
    return el(tag, { class: is, scope: tag === "th" ? "col" : undefined }, cell === null ? "–" : cell);
  });
  return el("table", attributes,
    el("thead", {}, el("tr", {}, cells("th", head.map((text) => text)).map((th, i) => {
      th.textContent = head[i].replace(/^#/, "");
      return th;
    }))),
    el("tbody", {}, rows.map((row) => el("tr", {}, cells("td", row)))));
}

// The rows of flows.py as a tree. Returns the picture, and a function that shows it as it stands after an event.
function drawTree(rows, label) {
  const wide = 46, high = 24, gap = 74, left = 190;
  const most = Math.max(...rows.flatMap((row) => row.cells.map((cell) => cell.x))) + 1;
  const picture = svg("svg", { width: left + most * wide + 20, height: rows.length * gap, role: "img", "aria-label": label });
  const centre = (x) => left + x * wide + wide / 2;
  const top = (row) => 18 + row * gap;
  const lines = [];
  rows.forEach((row, r) => {
    for (const flow of row.flows) {
      for (const [above, x] of flow.from) {
        const line = svg("line", {
          class: `flow ${flow.kind}`, x1: centre(x), y1: top(above) + high, x2: centre(flow.to), y2: top(r),
        });
        lines.push({ line, event: flow.e });
        picture.append(line);
      }
    }
  });
  rows.forEach((row, r) => {
    const step = row.step === undefined ? "" : _(row.step === "1" ? later("after {n} barrier") : later("after {n} barriers"), { n: row.step });
    const begins = row.flows.length ? Math.min(...row.flows.map((flow) => flow.e)) : -1;
    picture.append(svg("text", { x: 4, y: top(r) + 10, "font-size": 13 }, row.group));
    picture.append(svg("text", { x: 4, y: top(r) + 26, "font-size": 12, class: "quiet" }, [row.title, step].filter(Boolean).join(_(", "))));
    for (const cell of row.cells) {
      const box = svg("rect", {
        class: cell.changed ? "box changed" : "box", x: left + cell.x * wide + 2, y: top(r), width: wide - 4, height: high, rx: 3,
      });
      const flows = row.flows.filter((flow) => flow.to === cell.x);
      const event = cell.changed && flows.length ? Math.max(...flows.map((flow) => flow.e)) : begins;
      const words = flows.map((flow) => flowWords(rows, flow)).join("\n");
      const text = svg("text", { x: centre(cell.x), y: top(r) + 17, "font-size": 13, "text-anchor": "middle" }, shown(cell.v));
      box.append(svg("title", {}, `${row.group.split("[")[0]}[${cell.i}] = ${shown(cell.v)}\n${words}`));
      lines.push({ line: box, event }, { line: text, event });
      picture.append(box, text);
    }
  });
  const showAfter = (at) => {
    for (const { line, event } of lines) line.classList.toggle("later", event > at);
  };
  return { picture, showAfter };
}

const FLOWS = {
  sum: later("thread {thread} adds {sources}"),
  copy: later("thread {thread} copies {sources}"),
  count: later("thread {thread} counts, after it has read {sources}"),
  use: later("thread {thread} computes from {sources}"),
};

function flowWords(rows, flow) {
  const names = flow.from.map(([r, x]) => {
    const cell = rows[r].cells.find((one) => one.x === x);
    return `${rows[r].group.split("[")[0]}[${cell.i}]`;
  });
  const sources = [...names, ...flow.hidden].join(", ");
  const values = { thread: flow.t, sources };
  return sources ? _(FLOWS[flow.kind] || later("thread {thread} stores, after it has read {sources}"), values) : _("thread {thread} stores it out of a register", values);
}

// The roofline: warp instructions a byte against warp instructions a second, both logarithmic.
function drawRoofline(roof) {
  const width = fitting(320, 640), height = 360, left = 64, bottom = 50, right = 16, top = 36;
  const ridge = roof.gips / roof.gb_s;
  const span = (values) => [Math.floor(Math.log10(Math.min(...values)) - 0.3), Math.ceil(Math.log10(Math.max(...values)) + 0.3)];
  const [x0, x1] = span([...roof.points.map((point) => point.x), ridge / 10, ridge * 10]);
  const [y0, y1] = span([...roof.points.map((point) => point.y), roof.gips]);
  const px = (x) => left + ((Math.log10(x) - x0) / (x1 - x0)) * (width - left - right);
  const py = (y) => height - bottom - ((Math.log10(y) - y0) / (y1 - y0)) * (height - top - bottom);
  const said = roof.points.map((point) => _("{who}: {y} thousand million warp instructions a second, at {x} a byte", { who: _(point.who), y: number(point.y), x: number(point.x) }));
  const picture = svg("svg", { width, height, role: "img", "aria-label": _("Roofline of the {card}, modelled. {points}.", { card: roof.card, points: said.join(_("; ")) }) });
  const text = (x, y, words, attributes) => picture.append(svg("text", { x, y, "font-size": 12, ...attributes }, words));
  for (let e = x0; e <= x1; ++e) {
    picture.append(svg("line", { class: "axis", x1: px(10 ** e), x2: px(10 ** e), y1: height - bottom, y2: height - bottom + 5 }));
    text(px(10 ** e), height - bottom + 19, number(10 ** e), { "text-anchor": "middle" });
  }
  for (let e = y0; e <= y1; ++e) {
    picture.append(svg("line", { class: "axis", x1: left - 5, x2: left, y1: py(10 ** e), y2: py(10 ** e) }));
    text(left - 9, py(10 ** e) + 4, number(10 ** e), { "text-anchor": "end" });
  }
  const low = Math.max(10 ** x0, 10 ** y0 / roof.gb_s);
  picture.append(
    svg("path", { class: "axis", fill: "none", d: `M${left} ${top}V${height - bottom}H${width - right}` }),
    svg("path", { class: "roof", d: `M${px(low)} ${py(low * roof.gb_s)}L${px(ridge)} ${py(roof.gips)}H${width - right}` }));
  // No point lies above the roof, so there is room for its names.
  text(left + 8, py(roof.gips) - 24, _("memory: {rate} GB/s", { rate: number(Math.round(roof.gb_s)) }));
  text(width - right, py(roof.gips) - 8, _("issue: {rate} G/s", { rate: number(Math.round(roof.gips)) }), { "text-anchor": "end" });
  drawPoints(picture, roof.points.map((point) => ({ ...point, x: px(point.x), y: py(point.y) })), width);
  text((left + width) / 2, height - 8, _("warp instructions for each byte of DRAM"), { "text-anchor": "middle", class: "quiet" });
  text(4, 16, _("thousand million warp instructions a second"), { class: "quiet" });
  return picture;
}

// The marks of the ladder. Names stand below each other where points lie close together.
const SHAPES = { starter: "▽", reference: "△" };

function drawPoints(picture, points, width) {
  const taken = [];
  for (const { who, x, y } of points) {
    if (SHAPES[who]) picture.append(svg("text", { x, y: y + 9, "font-size": 26, "text-anchor": "middle" }, SHAPES[who]));
    else picture.append(svg("circle", { class: "you", cx: x, cy: y, r: 5 })); // inside of a mark at the same place
    let line = y + 5;
    while (taken.some((other) => Math.abs(other.x - x) < 130 && Math.abs(other.line - line) < 16)) line += 16;
    taken.push({ x, line });
    const left = x > width - 90;
    picture.append(svg("text", {
      x: left ? x - 14 : x + 14, y: line, "font-size": 13, "font-weight": SHAPES[who] ? 400 : 700, "text-anchor": left ? "end" : "start",
    }, _(who)));
  }
}

// Starter, reference, limit and you on one line.
function drawRule(rule) {
  const width = fitting(300, 640), left = 12, right = 40, y = 46;
  const values = [rule.starter, rule.reference, rule.you, rule.value].filter((value) => value !== null && value !== undefined);
  const most = Math.max(...values, 1e-9) * 1.02;
  const px = (value) => left + (value / most) * (width - left - right);
  const picture = svg("svg", { width, height: 100, "aria-hidden": "true" });
  picture.append(svg("line", { class: "axis", x1: left, x2: width - right, y1: y, y2: y }));
  const mark = (value, shape, shapeY, word, wordY) => {
    if (value === null || value === undefined) return;
    picture.append(svg("text", { x: px(value), y: shapeY, "font-size": 16, "text-anchor": "middle" }, shape));
    const x = Math.max(px(value), 34); // a word at the left end stands inside
    picture.append(svg("text", { x, y: wordY, "font-size": 12, "text-anchor": "middle" }, word));
  };
  mark(rule.value, "|", y + 5, _("limit"), y + 48);
  mark(rule.starter, SHAPES.starter, y - 2, _("starter"), y - 18); // points down to the line, the other one up
  mark(rule.reference, SHAPES.reference, y + 17, _("reference"), y + 32);
  if (rule.you !== null && rule.you !== undefined) {
    const close = rule.starter !== null && Math.abs(px(rule.you) - px(rule.starter)) < 50;
    picture.append(svg("circle", { class: "you", cx: px(rule.you), cy: y, r: 6 }));
    picture.append(svg("text", { x: Math.max(px(rule.you), 14), y: close ? 12 : y - 12, "font-size": 13, "font-weight": 700, "text-anchor": "middle" }, _("you")));
  }
  return picture;
}
