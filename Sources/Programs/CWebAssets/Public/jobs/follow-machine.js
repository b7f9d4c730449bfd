// The machine that follows a job to its end, which is the Swift source of the native clients, compiled to WebAssembly
// (Sources/Jobs/Jobs/Following). These files only translate: plain objects to the words of its wire form and back, by the
// table that also makes the codec in Swift (Sources/Jobs/JobsWasm/wire.json).
//
// An event is `{ event: name, … }` and an order `{ order: name, … }`, with the members of the table. What may be missing
// is absent or `null`. Instants and waits are milliseconds; fractions are dropped.

import { CHOICES, RECORDS, VERSION } from "./follow-wire.js";

/** The most messages of one answer that the machine takes at once. */
export const MOST_MESSAGES = Number(/-(\d+)\]/.exec(CHOICES.event.polled.messages)[1]);
const LIST = /^\[(\w+):(\d+)-(\d+)\]$/;
/** The least and the greatest number of a kind. */
const RANGES = { integer: [-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER], count: [0, 2 ** 31 - 1], bits: [0, Number.MAX_SAFE_INTEGER], code: [0, 65_535] };

/** Appends the words of a value. */
function write(kind, value, words) {
  const list = LIST.exec(kind);
  if (list) {
    words.push(value.length);
    for (const each of value) write(list[1], each, words);
  } else if (kind.endsWith("?")) {
    const isMissing = (value ?? null) === null;
    words.push(isMissing ? 0 : 1);
    if (!isMissing) write(kind.slice(0, -1), value, words);
  } else if (kind === "flag") {
    words.push(value ? 1 : 0);
  } else if (kind in RANGES) {
    const number = Math.floor(value);
    const [least, greatest] = RANGES[kind];
    if (!(least <= number && number <= greatest)) throw new RangeError(`${value} is not a ${kind}`);
    words.push(number);
  } else if (kind in RECORDS) {
    writeMembers(RECORDS[kind], value, words);
  } else {
    const name = typeof value === "string" ? value : value?.[kind];
    const number = Object.keys(CHOICES[kind]).indexOf(name) + 1;
    if (number === 0) throw new RangeError(`${name} is not a case of ${kind}`);
    words.push(number);
    writeMembers(CHOICES[kind][name], value, words);
  }
}

function writeMembers(members, value, words) {
  for (const [name, kind] of Object.entries(members)) write(kind, value[name], words);
}

/** Returns the next value; `next` returns the next word. */
function read(kind, next) {
  const list = LIST.exec(kind);
  if (list) return Array.from({ length: next() }, () => read(list[1], next));
  if (kind.endsWith("?")) return next() ? read(kind.slice(0, -1), next) : null;
  if (kind === "flag") return next() === 1;
  if (kind in RANGES) return next();
  if (kind in RECORDS) return readMembers(RECORDS[kind], next);
  const [name, members] = Object.entries(CHOICES[kind])[next() - 1];
  // A choice without any values is its name.
  const isName = Object.values(CHOICES[kind]).every((each) => Object.keys(each).length === 0);
  return isName ? name : { [kind]: name, ...readMembers(members, next) };
}

function readMembers(members, next) {
  return Object.fromEntries(Object.entries(members).map(([name, kind]) => [name, read(kind, next)]));
}

/** One machine, with a module instance of its own. */
export class FollowMachine {
  /** @type {any} */
  #exports;
  #status = null;

  /** @param {WebAssembly.Instance} instance - An instance of the module; `create` makes one. */
  constructor(instance) {
    this.#exports = instance.exports;
    const version = this.#exports.jobs_wire_version();
    if (version !== VERSION) throw new TypeError(`the module speaks wire form ${version}, not ${VERSION}`);
  }

  /**
   * Creates a machine.
   *
   * @param {WebAssembly.Module} module - The compiled module.
   * @param {object} options - `tokenExpiry`: when the token expires, or `null`; `after`: the last known event, or `null`; `transport`: the best
   *   available one; `policy`: waits and limits in place of the usual ones.
   */
  static async create(module, { tokenExpiry = null, after = null, transport = "webSocket", policy = {} } = {}) {
    const machine = new FollowMachine(await WebAssembly.instantiate(module, {}));
    const usual = machine.#call("jobs_policy", "policy");
    machine.#call("jobs_create", null, "creation", { policy: { ...usual, ...policy }, after, tokenExpiry, transport });
    return machine;
  }

  /** Handles an event; returns the orders to carry out. `random`: thirty-two uniform bits. */
  handle(event, now, random) {
    this.#status = null;
    return this.#call("jobs_handle", "orders", "step", { now, random, event }).orders;
  }

  /** What is visible of the machine: `{ transport, position, isLive, isOver }`. */
  get status() {
    return (this.#status ??= this.#call("jobs_status", "status"));
  }

  /** The memory of the instance, in bytes. */
  get memory() {
    return this.#exports.memory.buffer.byteLength;
  }

  /** Writes a message, calls an export and reads the result. */
  #call(name, result, kind = null, value = null) {
    const exports = this.#exports;
    // A view of the memory is detached when the memory grows.
    const view = () => new BigInt64Array(exports.memory.buffer, exports.jobs_buffer(), exports.jobs_buffer_capacity());
    const words = [];
    if (kind) write(kind, value, words);
    view().set(words.map(BigInt));
    const count = kind ? exports[name](words.length) : exports[name]();
    if (count < 0) throw new RangeError(`the module refused ${name}: error ${-count} at word ${exports.jobs_error_position()}`);
    if (!result) return null;
    const answer = view().subarray(0, count);
    let place = 0;
    return read(result, () => Number(answer[place++]));
  }
}
