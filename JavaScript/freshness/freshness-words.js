// The words of the wire form (Sources/Engine/FreshnessWire) for freshness.js: errors, and the reading and writing of one
// message.

import { LIMIT, NONE, NUMBERS } from "./freshness-wire.js";

/** An error in a call. */
export class EngineError extends Error {
  /**
   * @param {string} code - The reason: `unknownName`, `missing`, `unknownMember`, `wrongType`,
   *   `outOfRange`, `noSuchMachine`, `outOfMemory`, `tooManyMachines`, `wentBack`, `wrongModule`, `broken`, …
   * @param {string} where - The path of the member, such as `event.with.answer.status`.
   * @param {string} problem - The problem there.
   */
  constructor(code, where, problem) {
    super(where ? `${where}: ${problem}` : problem);
    this.name = "EngineError";
    this.code = code;
    this.where = where;
  }
}

// MARK: Plain objects

/** Reads the members of a plain object; `end` rejects unknown ones. */
export class Members {
  constructor(value, where) {
    if (value === null || typeof value !== "object" || Array.isArray(value)) {
      throw new EngineError("wrongType", where, `an object is expected, not ${kindOf(value)}`);
    }
    this.value = value;
    this.where = where;
    this.unread = new Set(Object.keys(value));
  }

  /** Returns the path of a member. */
  name(member) {
    return `${this.where}.${member}`;
  }

  /** Returns whether a member is present. */
  has(member) {
    return this.value[member] !== undefined;
  }

  /** Returns a member, or a default if it is absent; without a default it is required. */
  take(member, fallback) {
    this.unread.delete(member);
    const value = this.value[member];
    if (value !== undefined) return value;
    if (fallback === undefined) throw new EngineError("missing", this.name(member), "is missing");
    return fallback;
  }

  end() {
    for (const member of this.unread) {
      if (this.value[member] === undefined) continue;
      throw new EngineError("unknownMember", this.name(member), "is unknown here");
    }
  }
}

/** Returns the kind of a value, for a message. */
export function kindOf(value) {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}

// MARK: Words

const HIGH = 4294967296;

/** Writes a message into the module's buffer, and records the member of each word. */
export class Writer {
  constructor(view, offset, capacity) {
    this.view = view;
    this.offset = offset;
    this.capacity = capacity;
    this.names = [];
  }

  get count() {
    return this.names.length;
  }

  put(high, low, where) {
    if (this.names.length === this.capacity) {
      throw new EngineError("noRoom", where, "the message is too long");
    }
    const place = this.offset + 8 * this.names.length;
    this.view.setInt32(place, low, true);
    this.view.setInt32(place + 4, high, true);
    this.names.push(where);
  }

  none(where) {
    this.put(NONE, 0, where);
  }

  integer(value, where) {
    if (typeof value !== "number") {
      throw new EngineError("wrongType", where, `a number is expected, not ${kindOf(value)}`);
    }
    if (!Number.isInteger(value) || Math.abs(value) > LIMIT) {
      throw new EngineError("outOfRange", where, `${value} is not a whole number of at most 2^53`);
    }
    this.put(Math.floor(value / HIGH), value | 0, where);
  }

  /** Writes a time; the fraction, as of `performance.now()`, is dropped. */
  instant(value, where) {
    this.integer(typeof value === "number" ? Math.floor(value) : value, where);
  }

  optional(value, where) {
    if (value === null) this.none(where);
    else this.integer(value, where);
  }

  flag(value, where) {
    if (typeof value !== "boolean") {
      throw new EngineError("wrongType", where, `a boolean is expected, not ${kindOf(value)}`);
    }
    this.put(0, value ? 1 : 0, where);
  }

  named(table, name, where) {
    const index = NUMBERS[table].indexOf(name);
    if (index < 0) {
      const known = NUMBERS[table].join(", ");
      throw new EngineError("unknownName", where, `${JSON.stringify(name)} is not one of ${known}`);
    }
    this.put(0, index + 1, where);
  }

  optionalNamed(table, name, where) {
    if (name === null) this.none(where);
    else this.named(table, name, where);
  }
}

/** Reads a message from the module's buffer. */
export class Reader {
  constructor(view, offset, count) {
    this.view = view;
    this.place = offset;
    this.end = offset + 8 * count;
  }

  /** Returns the next word, or `null` if a value is missing. */
  optional() {
    if (this.place >= this.end) throw new EngineError("tooShort", "", "the module's answer is too short");
    const low = this.view.getUint32(this.place, true);
    const high = this.view.getInt32(this.place + 4, true);
    this.place += 8;
    return high === NONE && low === 0 ? null : high * HIGH + low;
  }

  integer() {
    const value = this.optional();
    if (value === null) throw new EngineError("outOfRange", "", "the module's answer lacks a value");
    return value;
  }

  flag() {
    return this.integer() === 1;
  }

  optionalNamed(table) {
    const number = this.optional();
    return number === null ? null : this.name(table, number);
  }

  named(table) {
    return this.name(table, this.integer());
  }

  name(table, number) {
    const name = NUMBERS[table][number - 1];
    if (name === undefined) {
      throw new EngineError("unknownNumber", "", `the module's ${table} ${number} is unknown`);
    }
    return name;
  }

  set(table) {
    const bits = this.integer();
    return NUMBERS[table].filter((_, index) => bits & (1 << index));
  }

  finish() {
    if (this.place !== this.end) throw new EngineError("tooLong", "", "the module's answer is too long");
  }
}
