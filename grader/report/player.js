// player: one launch, step by step. It shows what replay.js knows; buttons, slider and keys choose the event.

// What a warp does, by one lane and by several.
const SENTENCES = {
  load: [later("Warp {warp}: lane {lanes} loads {places} in {memory}."), later("Warp {warp}: lanes {lanes} load {places} in {memory}.")],
  store: [later("Warp {warp}: lane {lanes} stores {places} in {memory}."), later("Warp {warp}: lanes {lanes} store {places} in {memory}.")],
  atomic: [
    later("Warp {warp}: lane {lanes} updates (atomic {atomic}) {places} in {memory}."),
    later("Warp {warp}: lanes {lanes} update (atomic {atomic}) {places} in {memory}."),
  ],
  shuffle: [
    later("Warp {warp}: lane {lanes} exchanges values by a shuffle; no memory is used."),
    later("Warp {warp}: lanes {lanes} exchange values by a shuffle; no memory is used."),
  ],
  barrier: [later("Warp {warp}: lane {lanes} comes to a barrier of the block. {then}"), later("Warp {warp}: lanes {lanes} come to a barrier of the block. {then}")],
  syncwarp: [later("Warp {warp}: lane {lanes} passes a barrier of the warp."), later("Warp {warp}: lanes {lanes} pass a barrier of the warp.")],
};
const ACCESSES = { load: later("load"), store: later("store"), atomic: later("atomic") };
const MEMORIES = { global: later("global memory"), shared: later("shared memory"), local: later("local memory") };
const WARP_STATES = {
  acts: later("warp {warp} acts"), barrier: later("warp {warp} waits at the barrier"), ready: later("warp {warp} has its turn later"),
  ended: later("warp {warp} has no further recorded work"), none: later("warp {warp} has no recorded work"),
};
const LANE_STATES = {
  acts: later("lane {lane} acts"), waits: later("lane {lane} waits"), ended: later("lane {lane} has no further recorded work"),
};
const STATE_MARKS = { acts: "▶", barrier: "▮▮", ready: "…", ended: "■", none: "–" };
const MOST_CELLS = 256; // of an array at a time: all bins of a histogram

class Player {
  // onEvent(event, at): called after each step with the present event.
  constructor(data, launch, onEvent) {
    this.data = data;
    this.launch = launch;
    this.replay = new Replay(launch);
    this.onEvent = onEvent;
    this.timer = null;
    this.block = launch.blocks[0];
    this.warp = "0";
    this.build();
    this.choose();
  }

  build() {
    const button = (text, action, title) => el("button", { type: "button", title, onclick: action }, text);
    this.back = button(_("◀ Back"), () => this.step(-1), _("Left arrow"));
    this.play = button(_("▶ Play"), () => this.toggle(), _("Space"));
    this.forward = button(_("Forward ▶"), () => this.step(1), _("Right arrow"));
    this.barrier = button(_("To the next barrier"), () => this.nextBarrier(), "B");
    const warps = this.replay.warps(this.block).filter((one) => one.events.length || one.warp === 0);
    this.warpSelect = this.select(_("Warp"), [["all", _("all warps")], ...warps.map((one) => [`${one.warp}`, _("warp {warp}", { warp: one.warp })])],
      (value) => { this.warp = value; this.choose(); });
    this.blockSelect = this.select(_("Block"), this.launch.blocks.map((block) => [`${block}`, _("block {block}", { block })]),
      (value) => { this.block = Number(value); this.choose(); });
    this.warpSelect.input.value = "0";
    this.slider = el("input", { type: "range", min: 0, value: 0, "aria-label": _("Step"), oninput: () => this.show(Number(this.slider.value)) });
    this.place = el("output", { class: "quiet small" });
    this.says = el("p", { class: "says", "aria-live": "polite" });
    this.code = el("pre", { class: "line" });
    this.lanes = el("div", { class: "cells by32", role: "img" });
    this.warps = el("div", { class: "cells", role: "img" });
    this.traffic = el("div", { class: "traffic" });
    this.memory = el("div");
    this.root = el("div", { class: "player", role: "group", "aria-label": _("Step through the recording"), onkeydown: (event) => this.key(event) },
      el("div", { class: "controls" }, this.blockSelect.label, this.warpSelect.label, this.back, this.play, this.forward, this.barrier),
      this.slider, this.place, scroller(_("The line that runs"), this.code), this.says,
      el("div", { class: "panels" },
        el("div", {}, el("h3", {}, _("The 32 lanes of this warp")), this.lanes,
          el("p", { class: "quiet small" }, _("▶ acts; ↷ jumps; hatched: waits, because its warp goes another way now; ■ dotted: has no further recorded work."))),
        this.traffic,
        el("div", {}, el("h3", {}, _("The warps of this block")), this.warps),
        this.memory));
  }

  select(text, options, change) {
    const id = newId();
    const input = el("select", { id, onchange: () => change(input.value) },
      options.map(([value, words]) => el("option", { value }, words)));
    return { input, label: el("div", { class: "field", hidden: options.length < 2 }, el("label", { for: id }, text), input) };
  }

  // The events of the chosen block and warp. The place in the run stays as near as it can.
  choose() {
    const before = this.at === undefined ? 0 : this.at;
    this.places = [];
    this.replay.events.forEach((event, at) => {
      if (event.block === this.block && (this.warp === "all" || event.warp === Number(this.warp))) this.places.push(at);
    });
    if (this.places.length === 0) {
      this.warp = this.warpSelect.input.value = "all";
      if (this.replay.events.some((event) => event.block === this.block)) return this.choose();
    }
    this.slider.max = Math.max(this.places.length - 1, 0);
    const near = this.places.findIndex((at) => at >= before);
    this.show(near < 0 ? this.places.length - 1 : near);
  }

  show(position) {
    this.position = Math.max(0, Math.min(position, this.places.length - 1));
    this.at = this.places[this.position];
    const event = this.replay.events[this.at];
    if (event === undefined) return;
    this.replay.goTo(this.at);
    this.slider.value = this.position;
    const words = this.sentence(event);
    this.slider.setAttribute("aria-valuetext", _("step {step} of {steps}", { step: this.position + 1, steps: this.places.length }));
    const barriers = plural(event.step, later("after {n} barrier"), later("after {n} barriers"));
    this.place.textContent = _("Step {step} of {steps}, {barriers}, line {line}", { step: this.position + 1, steps: this.places.length, barriers, line: event.line });
    const atEnd = this.position === this.places.length - 1;
    // Not `disabled`: a button that is disabled while it has the focus would lose it.
    this.back.setAttribute("aria-disabled", this.position === 0);
    for (const button of [this.forward, this.barrier]) button.setAttribute("aria-disabled", atEnd);
    if (this.timer && atEnd) this.toggle();
    this.code.textContent = `${event.line}  ${(this.data.source[event.line - 1] || "").trim()}`;
    this.says.replaceChildren(words);
    this.showLanes(event);
    this.showWarps(event);
    this.showTraffic(event);
    this.showMemory(event);
    this.onEvent(event, this.at);
  }

  step(by) { this.show(this.position + by); }

  nextBarrier() {
    const next = this.places.findIndex((at, i) => i > this.position && this.replay.events[at].op === "barrier");
    this.show(next < 0 ? this.places.length - 1 : next);
  }

  toggle() {
    if (this.timer) {
      clearInterval(this.timer);
      this.timer = null;
    } else {
      if (this.position === this.places.length - 1) this.show(0);
      this.timer = setInterval(() => this.step(1), 700);
    }
    this.play.textContent = this.timer ? _("❚❚ Pause") : _("▶ Play");
  }

  // Keys, where the focused element does not use them itself.
  key(event) {
    const tag = event.target.tagName, onSlider = tag === "INPUT";
    if (event.ctrlKey || event.altKey || event.metaKey || tag === "SELECT") return;
    const actions = { " ": tag === "BUTTON" ? null : () => this.toggle(), b: () => this.nextBarrier(), B: () => this.nextBarrier() };
    if (!onSlider) {
      Object.assign(actions, {
        ArrowRight: () => this.step(1), ArrowLeft: () => this.step(-1), Home: () => this.show(0), End: () => this.show(this.places.length),
      });
    }
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

  sentence(event) {
    const values = { warp: event.warp, lanes: ranges(event.lanes), atomic: event.atomic };
    if (event.op === "branch") {
      const stay = event.lanes.filter((lane) => !event.taken.includes(lane));
      return _("Warp {warp}: lanes {lanes} part at line {line}: lanes {taken} jump, lanes {stay} go on. The warp now runs the two sides one after the other.",
        { ...values, line: event.line, taken: ranges(event.taken), stay: ranges(stay) });
    }
    const form = SENTENCES[event.op][event.lanes.length === 1 ? 0 : 1];
    if (event.op === "barrier") {
      const last = this.replay.opens.get(`${event.block}/${event.step}`) === this.at;
      return _(form, { ...values, then: last ? _("They are the last ones: the barrier opens.") : _("They wait for the other warps.") });
    }
    if (event.op === "syncwarp" || event.op === "shuffle") return _(form, values);
    const names = [...new Set(event.elements.map(({ array }) => array.name))];
    const places = names.map((name) => {
      const indices = [...new Set(event.elements.filter(({ array }) => array.name === name).map(({ index }) => index))].sort((a, b) => a - b);
      const text = ranges(indices);
      return `${name}[${text.length > 60 ? `${indices[0]} … ${indices[indices.length - 1]}${_(", ")}${plural(indices.length, later("{n} element"), later("{n} elements"))}` : text}]`;
    });
    const cost = event.wavefronts ? plural(event.wavefronts, later("Shared memory needs {n} wavefront."), later("Shared memory needs {n} wavefronts."))
      : event.sectors ? plural(event.sectors, later("That takes {n} sector of 32 bytes."), later("That takes {n} sectors of 32 bytes.")) : "";
    const what = _(form, { ...values, places: places.join(_(" and ")), memory: _(MEMORIES[event.elements[0].array.space]) });
    return cost ? _("{what} {cost}", { what, cost }) : what;
  }

  cell(kind, head, text, title) {
    return el("div", { class: `cell ${kind}`, title }, el("i", {}, head), el("b", {}, text));
  }

  showLanes(event) {
    const values = new Map();
    for (const { lane, value } of event.elements) if (!values.has(lane)) values.set(lane, value);
    for (const { lane, value } of event.moves) values.set(lane, value);
    const cells = [];
    for (let lane = 0; lane < WARP; ++lane) {
      const state = this.replay.laneState(this.at, lane);
      const jumps = event.taken.includes(lane) ? "↷" : "▶";
      const text = state === "acts" ? (values.has(lane) ? shown(values.get(lane)) : jumps) : state === "ended" ? "■" : "";
      cells.push(this.cell(state === "ended" ? "gone" : state, lane, text, _(LANE_STATES[state], { lane })));
    }
    this.lanes.replaceChildren(...cells);
    this.lanes.setAttribute("aria-label", _("{count} of 32 lanes act", { count: event.lanes.length }));
  }

  showWarps(event) {
    const states = this.replay.warps(event.block).map(({ warp }) => ({ warp, state: this.replay.state(event.block, warp, this.at) }));
    const waiting = states.filter(({ state }) => state === "barrier").length;
    this.warps.setAttribute("aria-label", _("{waiting} of {warps} wait at a barrier", { waiting, warps: plural(states.length, later("{n} warp"), later("{n} warps")) }));
    this.warps.replaceChildren(...states.map(({ warp, state }) =>
      this.cell({ acts: "acts", barrier: "waits" }[state] || (state === "ready" ? "" : "gone"), `w ${warp}`, STATE_MARKS[state], _(WARP_STATES[state], { warp }))));
  }

  showTraffic(event) {
    const space = event.elements.length ? event.elements[0].array.space : "";
    this.traffic.replaceChildren(...(space === "shared" ? this.bankCells(event) : space === "global" ? this.sectorCells(event) : []));
  }

  bankCells(event) {
    const banks = this.replay.banks(event), most = Math.max(...banks.map((words) => words.size));
    const cells = banks.map((words, bank) => this.cell(words.size > 1 ? "conflict" : words.size ? "acts" : "", `b ${bank}`, words.size ? `${words.size}×` : "", plural(words.size, later("bank {bank}: {n} word"), later("bank {bank}: {n} words"), { bank })));
    const label = most > 1 ? _("Bank conflict: one bank has to serve {most} words, one after the other.", { most }) : _("No bank has to serve more than one word.");
    return [el("h3", {}, _("The 32 banks of shared memory")), el("div", { class: "cells by32 banks", role: "img", "aria-label": label }, cells),
      el("p", { class: `small ${most > 1 ? "bad" : "quiet"}` }, most > 1 ? `⚠ ${label}` : label)];
  }

  sectorCells(event) {
    const sectors = this.replay.sectors(event);
    const wanted = sectors.reduce((sum, { bytes }) => sum + bytes.size, 0), fetched = 32 * sectors.length;
    const cells = sectors.slice(0, MOST_CELLS).map(({ array, sector, bytes }) =>
      this.cell(bytes.size === 32 ? "acts" : "conflict", `${32 * sector}…`, `${bytes.size}/32`, _("{array}, bytes {first} to {last}: {count} are wanted", { array: array.name, first: 32 * sector, last: 32 * sector + 31, count: bytes.size })));
    const label = plural(sectors.length, later("{wanted} bytes are wanted, {fetched} are moved: {n} sector of 32 bytes."), later("{wanted} bytes are wanted, {fetched} are moved: {n} sectors of 32 bytes."), { wanted, fetched });
    return [el("h3", {}, _("Sectors of global memory")), el("div", { class: "cells", role: "img", "aria-label": label }, cells),
      el("p", { class: `small ${wanted < fetched ? "bad" : "quiet"}` }, wanted < fetched ? `⚠ ${label}` : label)];
  }

  showMemory(event) {
    const arrays = this.launch.arrays.filter(({ space }) => space !== "local");
    this.memory.replaceChildren(...arrays.map((array) => this.arrayCells(array, event)));
  }

  // The part of an array around what the event touches.
  arrayCells(array, event) {
    const touched = new Set(event.elements.filter((one) => one.array === array).map(({ index }) => index));
    const first = touched.size ? Math.min(...touched) : array.low;
    const whole = array.high - array.low < MOST_CELLS;
    const low = whole || first < array.low + MOST_CELLS ? array.low : first - (first - array.low) % MOST_CELLS;
    const high = Math.min(array.high, low + MOST_CELLS - 1);
    const written = event.op !== "load", cells = [];
    for (let index = low; index <= high; ++index) {
      const kind = touched.has(index) ? (written ? "written" : "read") : "";
      const value = this.replay.value(array, this.block, index);
      const word = kind === "written" ? _("written now") : kind === "read" ? _("read now") : "";
      cells.push(this.cell(kind, index, value === undefined ? "·" : shown(value), `${array.name}[${index}] ${word}`));
    }
    const memory = _(MEMORIES[array.space]);
    const title = whole ? `${array.name} (${memory})` : _("{array} ({memory}, elements {low} to {high} of those up to {end})", { array: array.name, memory, low, high, end: array.high });
    const now = written ? [later("{array}: {n} element written now"), later("{array}: {n} elements written now")] : [later("{array}: {n} element read now"), later("{array}: {n} elements read now")];
    const values = cells.length ? plural(touched.size, ...now, { array: array.name }) : "";
    return el("div", {}, el("h3", {}, title),
      el("div", { class: "cells array", "data-array": array.name, role: "img", "aria-label": values }, cells));
  }
}
