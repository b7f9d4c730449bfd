// The refresh machine for hosts in JavaScript: browsers and node.
//
// These files only translate. They convert plain objects to the words of the wire form (Sources/Engine/FreshnessWire)
// and back. When to request what, and what to do with the responses, is decided by the WebAssembly module, which is the
// Swift source of the machine itself. The names of events, effects and values are those of
// Documentation/conformance-vectors.md.
//
//     const engine = await Engine.load(fetch("freshness.wasm"));
//     const machine = engine.machine({ policy: { preset: "departuresWeb" }, context: { question: 1 } });
//     const effects = machine.handle({ event: "started" }, performance.now(), Engine.random());
//     // Send effects.request, and set one timer for effects.alarm.
//
// Numbers are whole; times are milliseconds. Instants count from any start, and never run backward: an instant before
// that of the last event is an error (`wentBack`), because an age would shrink. `performance.now()` is such a clock;
// `Date.now()` is not. Unknown names, missing or extra members, and numbers out of range are errors; the machine is
// then unchanged.

import {
  readAppearance, readCounters, readEffects, readLabel, readOriginOrders, readPolicy, writeContext, writeEvent,
  writeOriginEvent, writePolicy,
} from "./freshness-messages.js";
import { CODES, RECORDS, VERSION } from "./freshness-wire.js";
import { EngineError, Members, Reader, Writer } from "./freshness-words.js";

export { CODES, NUMBERS, REFRESH_REQUESTS } from "./freshness-wire.js";
export { EngineError } from "./freshness-words.js";

/** The WebAssembly module, and the machines in it. */
export class Engine {
  #exports;
  #view;
  #offset;
  #capacity;
  #broken = false;

  /**
   * Loads the module.
   *
   * @param {BufferSource | WebAssembly.Module | Response | Engine | Promise<Response | Engine>} source - Its bytes, the
   *   compiled module, the response of a `fetch`, or a loaded engine. A page's content security policy must allow
   *   `wasm-unsafe-eval`.
   * @returns {Promise<Engine>}
   * @throws {EngineError} `wrongModule` if it has another version of the wire form.
   */
  static async load(source) {
    let module = await source;
    if (module instanceof Engine) return module;
    if (typeof Response !== "undefined" && module instanceof Response) {
      if (!module.ok) throw new EngineError("wrongModule", "", `the module answered ${module.status}`);
      module = await module.arrayBuffer();
    }
    if (!(module instanceof WebAssembly.Module)) module = await WebAssembly.compile(module);
    return new Engine(await WebAssembly.instantiate(module, {}));
  }

  /** Returns a random sample for one event: thirty-two uniform bits. */
  static random() {
    return crypto.getRandomValues(new Uint32Array(1))[0];
  }

  /** @param {WebAssembly.Instance} instance - An instance of the module; `load` creates one. */
  constructor(instance) {
    this.#exports = instance.exports;
    const version = this.#exports.freshness_wire_version?.();
    if (version !== VERSION) {
      const problem = `the module speaks wire form ${version}, not ${VERSION}`;
      throw new EngineError("wrongModule", "", problem);
    }
    this.#offset = this.#exports.freshness_buffer();
    this.#capacity = this.#exports.freshness_buffer_capacity();
  }

  /** The number of machines that were created and not destroyed. */
  get machines() {
    return this.#exports.freshness_machines();
  }

  /** The memory of the module in bytes: used by machines, and taken from the host. */
  get memory() {
    return {
      inUse: this.#exports.freshness_memory_in_use() >>> 0,
      size: this.#exports.memory.buffer.byteLength,
    };
  }

  /**
   * Completes a policy.
   *
   * @param {object} description - `{ preset: name }` or `{ every: milliseconds }`, and any field of
   *   the policy to override.
   * @returns {object} Every field of the policy.
   */
  policy(description) {
    const members = new Members(description, "policy");
    if (members.has("preset") === members.has("every")) {
      throw new EngineError("missing", "policy.preset", "either this or \"every\" is expected");
    }
    const policy = this.#preset(members);
    for (const field of Object.keys(RECORDS.policy)) {
      if (!members.has(field)) continue;
      const value = members.take(field);
      policy[field] = field === "push" && value !== null ? this.#push(value) : value;
    }
    members.end();
    return policy;
  }

  #preset(members) {
    return this.#call("freshness_preset", [], (writer) => {
      if (members.has("every")) {
        writer.named("preset", "every", "policy.every");
        writer.integer(members.take("every"), "policy.every");
        writer.flag(false, "policy.push");
      } else {
        const name = members.take("preset");
        if (name === "every") {
          throw new EngineError("unknownName", "policy.preset", "\"every\" is a member, not a preset");
        }
        writer.named("preset", name, "policy.preset");
      }
    }, readPolicy);
  }

  /** Completes the constants of a stream with those of `Policy.Push()`. */
  #push(value) {
    const given = new Members(value, "policy.push");
    const push = this.#call("freshness_preset", [], (writer) => {
      writer.named("preset", "every", "policy.push");
      writer.integer(1000, "policy.push");
      writer.flag(true, "policy.push");
    }, readPolicy).push;
    for (const name of Object.keys(RECORDS.push)) push[name] = given.take(name, push[name]);
    given.end();
    return push;
  }

  /**
   * Creates a machine without observers.
   *
   * @param {object} description - `policy` as for `policy()`, and `context`: the host's numbers
   *   `{ question, identity }` of what will be watched.
   * @returns {Machine} The machine; `destroy()` releases its memory.
   * @throws {EngineError} `outOfMemory` or `tooManyMachines` if it cannot be created.
   */
  machine(description) {
    const members = new Members(description, "machine");
    const policy = this.policy(members.take("policy"));
    const context = members.take("context", { question: 0 });
    members.end();
    const handle = this.#call("freshness_create", [], (writer) => {
      writeContext(writer, context, "context");
      writePolicy(writer, policy);
    });
    return new Machine((name, write, read) => this.#call(name, [handle], write, read));
  }

  /**
   * Creates an origin, which all machines of one server share (R39).
   *
   * @param {object} policy - As for `policy()`: the origin has its ladder and its cap of `Retry-After`.
   * @returns {Origin} The origin; `destroy()` releases its memory.
   */
  origin(policy) {
    const whole = this.policy(policy);
    const handle = this.#call("freshness_origin_create", [], (writer) => writePolicy(writer, whole));
    return new Origin((name, write, read) => this.#call(name, [handle], write, read));
  }

  /** Writes a message, calls an export and reads the result. */
  #call(name, values, write, read) {
    if (this.#broken) throw new EngineError("broken", "", "the module stopped at a fault before");
    const writer = new Writer(this.#memory(), this.#offset, this.#capacity);
    write?.(writer);
    let result;
    try {
      result = this.#exports[name](...values, ...(write ? [writer.count] : []));
    } catch (fault) {
      this.#broken = true;
      throw new EngineError("broken", "", `the module stopped at a fault: ${fault.message}`);
    }
    if (result < 0) throw this.#error(-result, writer);
    if (!read) return result;
    const reader = new Reader(this.#memory(), this.#offset, result);
    const value = read(reader);
    reader.finish();
    return value;
  }

  #error(number, writer) {
    const code = CODES[number - 1] ?? "unknown";
    const where = number <= 4 ? writer.names[this.#exports.freshness_error_position()] ?? "" : "";
    const problems = {
      outOfRange: "the number is out of its range",
      noSuchMachine: "the machine was destroyed",
      outOfMemory: "there is no memory for it",
      tooManyMachines: "there are as many machines as there may be",
    };
    return new EngineError(code, where, problems[code] ?? `the module refused the message (${code})`);
  }

  /** Returns the module's memory; a view of it is detached when the memory grows. */
  #memory() {
    const { buffer } = this.#exports.memory;
    if (this.#view?.buffer !== buffer) this.#view = new DataView(buffer);
    return this.#view;
  }
}

/** One machine; `Engine.machine` creates it. */
export class Machine {
  #call;
  /** The instant of the last event. */
  #latest = -Infinity;

  /** @param {Function} call - Calls an export for this machine. */
  constructor(call) {
    this.#call = call;
  }

  /**
   * Handles one event.
   *
   * @param {object} event - `{ event: name }`, and its values as `with`. `answered` needs
   *   `generation`, `context` and `answer`.
   * @param {number} now - When it happened; not before the last event. A fraction is dropped.
   * @throws {EngineError} `wentBack` if it is before the last event.
   * @param {number} random - A random sample: thirty-two uniform bits, as of `Engine.random()`.
   * @returns {object} The effects for the host: `cancel` (a generation or `null`), `snapshot`,
   *   `changes`, `request`, `stream`, `alarm`, `sample`, `notes`.
   */
  handle(event, now, random) {
    const effects = this.#call("freshness_handle", (writer) => {
      this.#writeInstant(writer, now);
      writer.integer(random, "random");
      writeEvent(writer, event);
    }, readEffects);
    this.#latest = Math.floor(now);
    return effects;
  }

  /**
   * Returns the visible state of the machine.
   *
   * @param {number} now - The instant, not before the last event; the label ages with it.
   * @returns {object} `revision`, `validator`, `changedAt`, `failure`, `isLoading`, `outstanding` (a
   *   generation or `null`), `alarm`, `pace`, `label` and more; the members of a missing copy or failure are `null`.
   */
  appearance(now) {
    return this.#call("freshness_appearance", (writer) => this.#writeInstant(writer, now), readAppearance);
  }

  /** Returns the label alone, as in `appearance`. */
  label(now) {
    return this.#call("freshness_label", (writer) => this.#writeInstant(writer, now), readLabel);
  }

  /** Returns every field of the machine's policy. */
  policy() {
    return this.#call("freshness_policy", null, readPolicy);
  }

  /** Returns the totals over the life of the machine, as numbers. */
  counters() {
    return this.#call("freshness_counters", null, readCounters);
  }

  /** Removes the machine; every later call is an error. */
  destroy() {
    this.#call("freshness_destroy", null);
  }

  #writeInstant(writer, now) {
    if (Math.floor(now) < this.#latest) {
      const problem = `${now} is before the last event, at ${this.#latest}; pass a clock that never runs backwards`;
      throw new EngineError("wentBack", "now", problem);
    }
    writer.instant(now, "now");
  }
}

/** The state of one origin; `Engine.origin` creates it. */
export class Origin {
  #call;

  /** @param {Function} call - Calls an export for this origin. */
  constructor(call) {
    this.#call = call;
  }

  /**
   * Handles an event of a request.
   *
   * @param {object} event - `{ event, with }`, each with `number` and `now`: `asks` with `priority` and `isLongPoll` for a request that a
   *   machine ordered, once more to raise its priority; `ended` with `outcome` and its values, `serverTime`, `rateLimit`
   *   (`{ remaining, reset }`) and `resources`; `withdrew` for one that was canceled;
   *   `opens` for an event stream, which ends with `withdrew`.
   * @returns {object} `restraint`: to pass to the machines, as the values of `restrained`; `send`: of
   *   each request to send now `number` and `isHeld`, and the stream if it may be opened. A long poll that is not held is sent as an ordinary request,
   *   and the machine is notified with `notHeld`. `delayed`: the numbers of requests that waited and that the restraint delays. They are not sent:
   *   the machine of each is notified with `answered` and the outcome `cancelled`, after `restrained`. If there are any, more may follow: pass
   *   another event, such as `withdrew` of the number 0, until they are all sent.
   */
  handle(event) {
    return this.#call("freshness_origin_handle", (writer) => writeOriginEvent(writer, event), readOriginOrders);
  }

  /** Removes the origin; every later call is an error. */
  destroy() {
    this.#call("freshness_origin_destroy", null);
  }
}
