// replay: the recorded events of a launch → what memory holds and what each warp does, after any number of them. It
// touches no document. recording.py says what the short keys of an event mean.
"use strict";

const WARP = 32;

function lanesOf(mask) {
  const lanes = [];
  for (let lane = 0; lane < WARP; ++lane) if ((mask >>> lane) & 1) lanes.push(lane);
  return lanes;
}

function unpack(packed, count) {
  if (Array.isArray(packed)) return packed;
  return Array.from({ length: count }, (_, i) => packed.a + i * packed.d);
}

const APPLY = {
  add: (old, x) => old + x,
  min: (old, x) => Math.min(old, x),
  max: (old, x) => Math.max(old, x),
  inc: (old, x) => (old >= x ? 0 : old + 1),
  dec: (old, x) => (old === 0 || old > x ? x : old - 1),
  and: (old, x) => (old & x) >>> 0,
  or: (old, x) => (old | x) >>> 0,
  xor: (old, x) => (old ^ x) >>> 0,
  exch: (old, x) => x,
  cas: () => null, // whether it stored is not recorded; the next load tells
};

// An event with lists instead of packed ones. `elements` has an entry for each element of each lane.
function expand(event, arrays) {
  const lanes = lanesOf(event.m);
  const made = {
    op: event.o, block: event.b, warp: event.w, step: event.s, line: event.l, lanes, mask: event.m,
    atomic: event.x || "", wavefronts: event.c || 0, sectors: event.t || 0, count: event.n || 1,
    taken: event.k === undefined ? [] : lanesOf(event.k), elements: [], moves: [],
  };
  if (event.o === "shuffle") {
    const [from, values, given] = [event.f, event.v, event.g].map((list) => unpack(list, lanes.length));
    made.moves = lanes.map((lane, i) => ({ lane, from: from[i], value: values[i], given: given[i] }));
  } else if (event.a !== undefined) {
    const index = unpack(event.i, lanes.length);
    const values = unpack(event.v, lanes.length * made.count);
    const before = event.p === undefined ? [] : unpack(event.p, lanes.length * made.count);
    lanes.forEach((lane, i) => {
      const array = arrays[Array.isArray(event.a) ? event.a[i] : event.a];
      for (let e = 0; e < made.count; ++e) {
        const at = i * made.count + e;
        made.elements.push({ lane, array, index: index[i] + e, value: values[at], before: before[at] });
      }
    });
  }
  return made;
}

class Replay {
  constructor(launch) {
    this.launch = launch;
    this.events = launch.events.map((event) => expand(event, launch.arrays));
    this.corrections = 0; // loads that found another value than the replay: the host or a copy wrote in between
    this.findFirst();
    this.findOrder();
    this.restart();
  }

  // A shared array is another one in each block.
  key(array, block) {
    return array.space === "shared" ? `${array.id}/${block}` : `${array.id}`;
  }

  // What the arrays held before the launch, as far as anybody looked before writing.
  findFirst() {
    this.first = new Map();
    const seen = new Set();
    for (const event of this.events) {
      for (const { array, index, value, before } of event.elements) {
        if (array.space === "local") continue;
        const key = this.key(array, event.block);
        const known = event.op === "load" ? value : before;
        const name = `${key}:${index}`;
        if (!seen.has(name) && known !== undefined) this.put(this.first, key, index, known);
        seen.add(name);
      }
    }
  }

  // For each warp its events, for each lane its last event, and for each barrier the event that opens it.
  findOrder() {
    this.ofWarp = new Map();
    this.lastOfLane = new Map();
    this.opens = new Map();
    this.events.forEach((event, at) => {
      const warp = `${event.block}/${event.warp}`;
      if (!this.ofWarp.has(warp)) this.ofWarp.set(warp, []);
      this.ofWarp.get(warp).push(at);
      for (const lane of event.lanes) this.lastOfLane.set(`${warp}/${lane}`, at);
      if (event.op === "barrier") this.opens.set(`${event.block}/${event.step}`, at);
    });
  }

  put(memory, key, index, value) {
    if (!memory.has(key)) memory.set(key, new Map());
    memory.get(key).set(index, value);
  }

  restart() {
    this.done = -1; // the last event whose data has moved
    this.memory = new Map([...this.first].map(([key, values]) => [key, new Map(values)]));
  }

  // Memory after this event.
  goTo(at) {
    if (at < this.done) this.restart();
    while (this.done < at) this.take(this.events[++this.done]);
  }

  take(event) {
    for (const { array, index, value, before } of event.elements) {
      if (array.space === "local") continue;
      const key = this.key(array, event.block);
      const old = this.value(array, event.block, index);
      if (event.op === "store") this.put(this.memory, key, index, value);
      else if (event.op === "load") {
        if (old !== undefined && old !== null && old !== value) ++this.corrections;
        this.put(this.memory, key, index, value);
      } else {
        const from = old === undefined || old === null ? before : old;
        this.put(this.memory, key, index, from === null ? null : APPLY[event.atomic](from, value));
      }
    }
  }

  value(array, block, index) {
    const values = this.memory.get(this.key(array, block));
    return values === undefined ? undefined : values.get(index);
  }

  warps(block) {
    const count = Math.ceil((this.launch.block[0] * this.launch.block[1] * this.launch.block[2]) / WARP);
    return Array.from({ length: count }, (_, warp) => ({ warp, events: this.ofWarp.get(`${block}/${warp}`) || [] }));
  }

  // What a warp does while this event happens: acts, barrier (it waits there), ready, ended or none (nothing recorded).
  state(block, warp, at) {
    const events = this.ofWarp.get(`${block}/${warp}`) || [];
    if (events.length === 0) return "none";
    const now = this.events[at];
    if (now.block === block && now.warp === warp) return "acts";
    const last = events.filter((one) => one <= at).pop();
    if (last === undefined) return "ready";
    const event = this.events[last];
    if (event.op === "barrier" && this.opens.get(`${block}/${event.step}`) > at) return "barrier";
    return last === events[events.length - 1] ? "ended" : "ready";
  }

  // What a lane of the acting warp does: acts, waits, or ended (it has no further recorded work).
  laneState(at, lane) {
    const event = this.events[at];
    if ((event.mask >>> lane) & 1) return "acts";
    const last = this.lastOfLane.get(`${event.block}/${event.warp}/${lane}`);
    return last === undefined || last < at ? "ended" : "waits";
  }

  // Bank → the words of 4 bytes that the lanes want there, for an access of shared memory.
  banks(event) {
    const banks = Array.from({ length: WARP }, () => new Set());
    for (const { array, index } of event.elements) {
      const first = index * array.bytes;
      for (let byte = first - (first % 4); byte < first + array.bytes; byte += 4) {
        banks[(((array.bank + byte / 4) % WARP) + WARP) % WARP].add(`${array.id}:${byte / 4}`);
      }
    }
    return banks;
  }

  // The sectors of 32 bytes that an access of global memory touches, in order: {array, sector, bytes}.
  sectors(event) {
    const found = new Map();
    for (const { array, index } of event.elements) {
      for (let byte = index * array.bytes; byte < (index + 1) * array.bytes; ++byte) {
        const sector = Math.floor(byte / 32);
        const name = `${array.id}:${sector}`;
        if (!found.has(name)) found.set(name, { array, sector, bytes: new Set() });
        found.get(name).bytes.add(byte);
      }
    }
    return [...found.values()].sort((a, b) => a.array.id - b.array.id || a.sector - b.sector);
  }
}
