// player: one launch, step by step. It shows what replay.js knows; buttons, slider and keys choose the event.

const VERBS = { load: "load", store: "store", atomic: "update", shuffle: "exchange values", barrier: "come to a barrier of the block", syncwarp: "pass a barrier of the warp", branch: "go two different ways" };
const STATES = {
  acts: "acts", barrier: "waits at the barrier", ready: "has its turn later", ended: "has no further recorded work",
  none: "has no recorded work",
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
    this.back = button("◀ Back", () => this.step(-1), "Left arrow");
    this.play = button("▶ Play", () => this.toggle(), "Space");
    this.forward = button("Forward ▶", () => this.step(1), "Right arrow");
    this.barrier = button("To the next barrier", () => this.nextBarrier(), "B");
    const warps = this.replay.warps(this.block).filter((one) => one.events.length || one.warp === 0);
    this.warpSelect = this.select("Warp", [["all", "all warps"], ...warps.map((one) => [`${one.warp}`, `warp ${one.warp}`])],
      (value) => { this.warp = value; this.choose(); });
    this.blockSelect = this.select("Block", this.launch.blocks.map((block) => [`${block}`, `block ${block}`]),
      (value) => { this.block = Number(value); this.choose(); });
    this.warpSelect.input.value = "0";
    this.slider = el("input", { type: "range", min: 0, value: 0, "aria-label": "Step", oninput: () => this.show(Number(this.slider.value)) });
    this.place = el("output", { class: "quiet small" });
    this.says = el("p", { class: "says", "aria-live": "polite" });
    this.code = el("pre", { class: "line" });
    this.lanes = el("div", { class: "cells by32", role: "img" });
    this.warps = el("div", { class: "cells", role: "img" });
    this.traffic = el("div", { class: "traffic" });
    this.memory = el("div");
    this.root = el("div", { class: "player", role: "group", "aria-label": "Step through the recording", onkeydown: (event) => this.key(event) },
      el("div", { class: "controls" }, this.blockSelect.label, this.warpSelect.label, this.back, this.play, this.forward, this.barrier),
      this.slider, this.place, scroller("The line that runs", this.code), this.says,
      el("div", { class: "panels" },
        el("div", {}, el("h3", {}, "The 32 lanes of this warp"), this.lanes,
          el("p", { class: "quiet small" }, "▶ acts; ↷ jumps; hatched: waits, because its warp goes another way now; ■ dotted: has no further recorded work.")),
        this.traffic,
        el("div", {}, el("h3", {}, "The warps of this block"), this.warps),
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
    this.slider.setAttribute("aria-valuetext", `step ${this.position + 1} of ${this.places.length}`);
    this.place.textContent = `Step ${this.position + 1} of ${this.places.length}, after ${plural(event.step, "barrier")}, line ${event.line}`;
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
    this.play.textContent = this.timer ? "❚❚ Pause" : "▶ Play";
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
    const lanes = event.lanes.length, who = `Warp ${event.warp}: lane${lanes === 1 ? "" : "s"} ${ranges(event.lanes)} `;
    const many = (verb) => (lanes === 1 ? verb.replace(/^(\S+)/, (word) => ({ go: "goes", come: "comes", pass: "passes" })[word] || `${word}s`) : verb);
    if (event.op === "branch") {
      const stay = event.lanes.filter((lane) => !event.taken.includes(lane));
      return `${who}part at line ${event.line}: lanes ${ranges(event.taken)} jump, lanes ${ranges(stay)} go on. The warp now runs the two sides one after the other.`;
    }
    if (event.op === "barrier") {
      const last = this.replay.opens.get(`${event.block}/${event.step}`) === this.at;
      return `${who}${many(VERBS.barrier)}. ${last ? "They are the last ones: the barrier opens." : "They wait for the other warps."}`;
    }
    if (event.op === "syncwarp") return `${who}${many(VERBS.syncwarp)}.`;
    if (event.op === "shuffle") return `${who}${many(VERBS.shuffle)} by a shuffle; no memory is used.`;
    const names = [...new Set(event.elements.map(({ array }) => array.name))];
    const places = names.map((name) => {
      const indices = [...new Set(event.elements.filter(({ array }) => array.name === name).map(({ index }) => index))].sort((a, b) => a - b);
      const text = ranges(indices);
      return `${name}[${text.length > 60 ? `${indices[0]} … ${indices[indices.length - 1]}, ${indices.length} elements` : text}]`;
    });
    const cost = event.wavefronts ? ` Shared memory needs ${plural(event.wavefronts, "wavefront")}.` : event.sectors ? ` That takes ${plural(event.sectors, "sector")} of 32 bytes.` : "";
    const what = event.op === "atomic" ? `${many(VERBS.atomic)} (atomic ${event.atomic})` : many(VERBS[event.op]);
    return `${who}${what} ${places.join(" and ")} in ${event.elements[0].array.space} memory.${cost}`;
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
      cells.push(this.cell(state === "ended" ? "gone" : state, lane, text, `lane ${lane} ${STATES[state] || "waits"}`));
    }
    this.lanes.replaceChildren(...cells);
    this.lanes.setAttribute("aria-label", `${event.lanes.length} of 32 lanes act`);
  }

  showWarps(event) {
    const states = this.replay.warps(event.block).map(({ warp }) => ({ warp, state: this.replay.state(event.block, warp, this.at) }));
    const waiting = states.filter(({ state }) => state === "barrier").length;
    this.warps.setAttribute("aria-label", `${waiting} of ${plural(states.length, "warp")} wait at a barrier`);
    this.warps.replaceChildren(...states.map(({ warp, state }) =>
      this.cell({ acts: "acts", barrier: "waits" }[state] || (state === "ready" ? "" : "gone"), `w ${warp}`, STATE_MARKS[state], `warp ${warp} ${STATES[state]}`)));
  }

  showTraffic(event) {
    const space = event.elements.length ? event.elements[0].array.space : "";
    this.traffic.replaceChildren(...(space === "shared" ? this.bankCells(event) : space === "global" ? this.sectorCells(event) : []));
  }

  bankCells(event) {
    const banks = this.replay.banks(event), most = Math.max(...banks.map((words) => words.size));
    const cells = banks.map((words, bank) => this.cell(words.size > 1 ? "conflict" : words.size ? "acts" : "", `b ${bank}`, words.size ? `${words.size}×` : "", `bank ${bank}: ${plural(words.size, "word")}`));
    const label = most > 1 ? `Bank conflict: one bank has to serve ${most} words, one after the other.` : "No bank has to serve more than one word.";
    return [el("h3", {}, "The 32 banks of shared memory"), el("div", { class: "cells by32 banks", role: "img", "aria-label": label }, cells),
      el("p", { class: `small ${most > 1 ? "bad" : "quiet"}` }, most > 1 ? `⚠ ${label}` : label)];
  }

  sectorCells(event) {
    const sectors = this.replay.sectors(event);
    const wanted = sectors.reduce((sum, { bytes }) => sum + bytes.size, 0), fetched = 32 * sectors.length;
    const cells = sectors.slice(0, MOST_CELLS).map(({ array, sector, bytes }) =>
      this.cell(bytes.size === 32 ? "acts" : "conflict", `${32 * sector}…`, `${bytes.size}/32`, `${array.name}, bytes ${32 * sector} to ${32 * sector + 31}: ${bytes.size} are wanted`));
    const label = `${wanted} bytes are wanted, ${fetched} are moved: ${plural(sectors.length, "sector")} of 32 bytes.`;
    return [el("h3", {}, "Sectors of global memory"), el("div", { class: "cells", role: "img", "aria-label": label }, cells),
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
      const word = kind === "written" ? "written now" : kind === "read" ? "read now" : "";
      cells.push(this.cell(kind, index, value === undefined ? "·" : shown(value), `${array.name}[${index}] ${word}`));
    }
    const part = whole ? "" : `, elements ${low} to ${high} of those up to ${array.high}`;
    const values = cells.length ? `${array.name}: ${plural(touched.size, "element")} ${written ? "written" : "read"} now` : "";
    return el("div", {}, el("h3", {}, `${array.name} (${array.space} memory${part})`),
      el("div", { class: "cells array", "data-array": array.name, role: "img", "aria-label": values }, cells));
  }
}
