// page: the data of one file → its sections. Of two files → what differs, and both pages side by side.

const MARKS = { pass: "✓", accepted: "✓" };

function section(title, id, ...children) {
  return el("section", { "aria-labelledby": id }, el("h2", { id }, title), children);
}

class Page {
  constructor(data) {
    this.data = data;
    this.links = [];
    this.root = el("div");
    this.build();
  }

  add(title, ...children) {
    const id = newId();
    this.links.push(el("li", {}, el("a", { href: `#${id}` }, title)));
    return section(title, id, children);
  }

  build() {
    const data = this.data;
    const parts = [this.work(), this.source(), this.findings(), this.traffic(), this.branches(), this.ladder(), this.roofline(), this.details()];
    this.root.append(el("h1", {}, `${data.lab}: ${data.title}`), this.verdict(),
      el("nav", { "aria-label": _("Sections of {file}", { file: data.file }) }, el("ul", {}, this.links)), ...parts.filter(Boolean));
  }

  verdict() {
    const { verdict, words, check, cases, steps, next, printed } = this.data.verdict;
    const good = verdict === "accepted";
    return el("div", {},
      el("p", {}, el("span", { class: `badge ${good ? "good" : "bad"}` }, `${good ? "✓" : "✗"} ${words}${check ? ` · ${check}` : ""}`), ` ${this.data.file}${_(", ")}${cases}`),
      steps.map((step) => el("p", { class: "small" }, step)),
      printed ? scroller(_("What the compiler or the program printed"), el("pre", {}, printed)) : null,
      next ? el("p", {}, el("strong", {}, _("Next: ")), next) : null);
  }

  work() {
    const data = this.data;
    if (data.launches.length === 0) {
      return this.add(_("The kernel at work"), el("p", {}, _("There is no recording: {why}.", { why: data.says })));
    }
    const place = el("div"), tree = el("div");
    const id = newId();
    const choose = el("select", { id, onchange: () => this.open(place, tree, data.launches[Number(choose.value)]) },
      data.launches.map((launch, i) => el("option", { value: i }, `${launch.number}: ${launch.kernel}`)));
    const made = this.add(_("The kernel at work"),
      el("p", {}, _("{entry} on {elements}: {values}. lockstep recorded this run; every value below is from the recording.", { entry: data.entry, elements: plural(data.elements.length, later("{n} element"), later("{n} elements")), values: data.elements.join(", ") })),
      data.left_out.map((text) => el("p", { class: "quiet small" }, _("Left out: {what}.", { what: text }))),
      el("div", { class: "controls", hidden: data.launches.length < 2 }, el("label", { for: id }, _("Launch")), choose), place,
      el("p", { class: "quiet small" }, _("Keys: left and right arrow step, space plays, B goes to the next barrier, Home and End.")), tree);
    this.open(place, tree, data.launches[0]);
    return made;
  }

  open(place, tree, launch) {
    if (this.player && this.player.timer) this.player.toggle();
    let after = () => {};
    let drawn = null;
    this.player = new Player(this.data, launch, (event, at) => {
      if (drawn !== event.block) {
        drawn = event.block;
        after = this.showTree(tree, launch, event.block);
      }
      after(at);
      this.markLine(event.line);
    });
    place.replaceChildren(el("p", { class: "quiet small" }, `${launch.kernel}<<<(${launch.grid.join(", ")}), (${launch.block.join(", ")})>>>`), this.player.root);
  }

  showTree(place, launch, block) {
    const rows = launch.rows[block] || [];
    if (rows.length < 2) {
      place.replaceChildren();
      return () => {};
    }
    const title = _("Which element went into which, block {block}", { block });
    const { picture, showAfter } = drawTree(rows, plural(rows.length, later("{title}: {n} row, from the input above to the result below"), later("{title}: {n} rows, from the input above to the result below"), { title }));
    place.replaceChildren(el("h3", {}, title),
      el("p", { class: "quiet small" }, _("Each line is a recorded store: it leads from an element that the thread had read (or held in a register) to the element that it stored. Solid: added; dashed: handed on; dotted: another use. What is pale comes later in the run.")),
      scroller(title, picture));
    return showAfter;
  }

  source() {
    const data = this.data;
    const counters = data.heat, found = new Map();
    for (const finding of data.findings) {
      for (const site of finding.sites) {
        if (!site.is_own || !site.line) continue;
        if (!found.has(site.line)) found.set(site.line, new Set());
        found.get(site.line).add(`${finding.kind}: ${site.access || ""} ${finding.where || ""}`.trim());
      }
    }
    this.rows = data.source.map((text, i) => {
      const heat = el("td", { class: "number" }), bar = el("td");
      const row = el("tr", { class: found.has(i + 1) ? "found" : undefined },
        el("td", { class: "number" }, `${found.has(i + 1) ? "⚠ " : ""}${i + 1}`), heat, bar, el("td", {}, text || " "));
      const notes = found.has(i + 1) ? el("tr", {}, el("td"), el("td"), el("td"), el("td", { class: "note" }, `⚠ ${[...found.get(i + 1)].join("; ")}`)) : null;
      return { row, notes, heat, bar };
    });
    const id = newId();
    const select = el("select", { id, onchange: () => this.showHeat(counters[Number(select.value)]) },
      counters.map((counter, i) => el("option", { value: i }, counter.words || counter.name)));
    this.heatName = el("p", { class: "quiet small" });
    if (counters.length) this.showHeat(counters[0]);
    return this.add(_("The source"),
      counters.length ? [el("div", { class: "controls" }, el("label", { for: id }, _("Counter")), select), this.heatName] : el("p", {}, _("Nothing was counted: no kernel ran to its end on lockstep.")),
      el("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": _("The source, {file}", { file: data.file }) },
        el("table", { class: "source code" }, el("thead", {}, el("tr", {}, [_("line"), _("count"), _("share"), _("code")].map((text) => el("th", { scope: "col" }, text)))),
          el("tbody", {}, this.rows.map(({ row, notes }) => [row, notes])))));
  }

  showHeat(counter) {
    const most = Math.max(...Object.values(counter.lines));
    this.heatName.textContent = _("{counter}, {kind}, counted on {run}.", { counter: counter.name, kind: counter.kind, run: this.data.counted });
    this.rows.forEach(({ heat, bar }, i) => {
      const value = counter.lines[i + 1];
      heat.textContent = value === undefined ? "" : number(value);
      const mark = el("span", { class: "bar" });
      mark.style.width = value === undefined ? "0" : `${(6 * value) / most}rem`;
      bar.replaceChildren(...(value === undefined ? [] : [mark]));
    });
  }

  markLine(line) {
    if (!this.rows) return;
    this.rows.forEach(({ row }, i) => row.classList.toggle("now", i + 1 === line));
  }

  findings() {
    if (this.data.findings.length === 0) return null;
    return this.add(_("What lockstep found"), this.data.findings.map((finding) => this.finding(finding)));
  }

  finding({ kind, message, where, count, sites }) {
    const box = (site) => el("div", {}, _("block ({block}), thread ({thread})", { block: (site.block || []).join(", "), thread: (site.thread || []).join(", ") }), el("br"), el("strong", {}, site.access || _("access")), site.line ? _(" at line {line}", { line: site.line }) : "");
    const arrow = (text) => el("div", { class: "arrow", "aria-hidden": "true" }, text);
    const race = sites.length === 2 ? el("div", { class: "race", role: "group", "aria-label": _("Two accesses to {where}", { where }) },
      box(sites[1]), arrow("⟶"), el("div", { class: "place" }, where), arrow("⟵"), box(sites[0])) : null;
    return el("div", {}, el("h3", {}, `⚠ ${kind}${where ? `: ${where}` : ""}${count > 1 ? ` (${plural(count, later("{n} time"), later("{n} times"))})` : ""}`), race,
      message.split("\n").map((line) => el("p", { class: "small" }, line.trim())));
  }

  traffic() {
    const rows = this.data.traffic;
    if (rows.length === 0) return null;
    const share = ({ wanted, fetched }) => {
      const used = el("span", { class: "share" }), rest = el("span", { class: "share rest" });
      used.style.width = `${Math.min(1, wanted / fetched) * 8}rem`;
      rest.style.width = `${Math.max(0, 1 - wanted / fetched) * 8}rem`;
      return el("span", {}, used, rest);
    };
    const percent = (row) => `${Math.round((100 * row.wanted) / row.fetched)} %`;
    return this.add(_("Global memory: wanted and moved"),
      el("p", {}, _("Memory moves whole sectors of 32 bytes. Filled: bytes that the lanes want; hatched: bytes that come along for nothing. From the recorded call.")),
      scroller(_("Loads and stores by line"), table([`#${_("line")}`, _("access"), `#${_("requests")}`, `#${_("sectors")}`, `#${_("bytes wanted")}`, `#${_("bytes moved")}`, `#${_("used")}`, _("share"), _("code")],
        rows.map((row) => [row.line, _(ACCESSES[row.op]), number(row.requests), number(row.sectors), number(row.wanted), number(row.fetched), percent(row), share(row), el("code", {}, row.code)]))));
  }

  branches() {
    const rows = this.data.branches;
    if (rows.length === 0) return null;
    const shares = (row) => Object.entries(row.shares).map(([share, times]) => `${share}${times > 1 ? ` (${times} ×)` : ""}`).join(", ");
    return this.add(_("Branches: where lanes part"),
      el("p", {}, _("A warp whose lanes part runs both sides, one after the other. Counted in the PTX of the recorded call; the compiler of a card may turn a branch into predicates.")),
      scroller(_("Branches by line"), table([`#${_("line")}`, `#${_("warps came")}`, `#${_("parted")}`, _("lanes that went on + jumped"), _("code")],
        rows.map((row) => [row.line, row.came, row.parted ? `⚠ ${row.parted}` : "0", shares(row) || "–", el("code", {}, (this.data.source[row.line - 1] || "").trim())]))));
  }

  ladder() {
    const { rules, family, modelled_ms: ms } = this.data;
    const shownRules = rules.map((rule) => {
      const unit = rule.per ? _("{counter} per {per}", { counter: rule.counter, per: rule.per }) : rule.counter;
      const value = (x) => (x === null || x === undefined ? _("not measured") : number(x));
      return el("div", {}, el("h3", {}, `${MARKS[rule.verdict] || (rule.verdict ? "✗" : "·")} ${rule.name}: ${rule.words || rule.counter}`),
        scroller(_("{rule} on a line", { rule: rule.name }), drawRule(rule)),
        el("p", { class: "small" }, _("you: {you}; starter: {starter}; reference: {reference}; the rule wants {wants} {limit} ({unit})", { you: value(rule.you), starter: value(rule.starter), reference: value(rule.reference), wants: rule.wants, limit: number(rule.value), unit })),
        el("p", { class: "small quiet" }, rule.why));
    });
    const rungs = table([`#${_("rung")}`, _("title"), `#${_("elements")}`, `#${_("reference, measured on the H200")}`, _("you")], family.map((rung) => [
      rung.number, rung.here ? el("strong", {}, rung.title) : rung.title, number(rung.n),
      rung.ms === null ? (rung.is_opencl ? _("not in CUDA") : _("not measured yet")) : `${rung.ms.toFixed(3)} ms`,
      rung.here ? (ms ? _("◀ you are here: {ms} ms, modelled", { ms: number(ms) }) : _("◀ you are here")) : ""]));
    return this.add(_("The ladder, with you on it"), rules.length ? shownRules : el("p", {}, _("This lab has no rules that count.")),
      el("h3", {}, _("The rungs of this family")), scroller(_("The rungs of this family"), rungs),
      el("p", { class: "quiet small" }, _("The rungs have different sizes; compare times only where the elements are equal. Your time is modelled by lockstep, not measured.")));
  }

  roofline() {
    const roof = this.data.roofline;
    if (!roof) return null;
    const you = roof.points.find((point) => point.who === "you");
    return this.add(_("Roofline (modelled)"),
      el("p", {}, _("On {n} elements lockstep counts {instructions} warp instructions (of the PTX) and models {bytes} bytes of DRAM traffic and {ms} ms on an {card}. Its slowest kernel is limited by: {bound}. Speedups by this model are right within a factor of {error}. Nothing here was measured on your machine.",
        { ...roof, n: number(roof.n), instructions: number(you.instructions), bytes: number(you.bytes), ms: number(you.ms) })),
      scroller(_("Roofline"), drawRoofline(roof)),
      scroller(_("The points of the roofline"), table([_("point"), `#${_("warp instructions")}`, `#${_("bytes of DRAM")}`, `#${_("ms, modelled")}`],
        roof.points.map((point) => [_(point.who), number(point.instructions), number(point.bytes), number(point.ms)]))),
      el("p", { class: "quiet small" }, _("Each mark of an axis is ten times the mark before it. The rising line is the memory's limit, the flat one the limit of instruction issue. A point far below both waits for something else: a launch, a latency, a barrier, or atomics.")));
  }

  details() {
    const { details, notes, counted } = this.data;
    if (!details) return null;
    return this.add(_("Details, as Nsight Compute prints them"),
      el("p", {}, _("Counted on {run}. The same in a terminal: ./lab report {lab} --page details, or with --csv.", { run: counted, lab: this.data.lab.slice(0, 2) })),
      notes.map((note) => el("p", { class: "small quiet" }, _("Doubt: {note}.", { note }))),
      el("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": _("Details") }, el("pre", {}, details)));
  }
}

let pages = []; // for a curious reader's console, and for the tests

function start() {
  const read = JSON.parse(document.getElementById("data").textContent);
  const root = document.getElementById("page");
  const { files, differences } = read.length > 1 ? read.pop() : { files: null };
  document.title = files ? _("{one} and {other}", { one: files[0], other: files[1] }) : `${read[0].lab}: ${read[0].file}`;
  if (files) {
    root.className = "two";
    root.append(el("div", { class: "across" }, el("h1", {}, _("Two versions, side by side")),
      scroller(_("Counters that differ"), table([_("counter"), _("rule"), `#A: ${files[0]}`, `#B: ${files[1]}`, "#B − A"], differences))));
  }
  pages = read.map((data) => new Page(data));
  for (const page of pages) root.append(page.root);
}

start();
