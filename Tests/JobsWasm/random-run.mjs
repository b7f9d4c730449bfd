// Tells a machine events at random; the same in Tests/JobTests/Jobs/FollowVectorTests.swift, number by number.

/** Reproducible random numbers: a xorshift generator of 32 bits. */
export class SampleSource {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0 || 1;
  }

  next() {
    let bits = this.#state;
    bits ^= bits << 13;
    bits ^= bits >>> 17;
    bits ^= bits << 5;
    this.#state = bits >>> 0;
    return this.#state;
  }

  below(bound) {
    return this.next() % bound;
  }
}

const STATUSES = [200, 204, 401, 403, 404, 410, 429, 503];
const CODES = [1000, 1001, 1008, 1009, 1013, 4401, 4404, 4410, 4419, 4430];

function troubleOf(generator) {
  const kind = generator.below(4);
  // What ends the following is rarer than what does not.
  if (kind === 0) return { trouble: "status", status: generator.below(6) === 0 ? STATUSES[generator.below(8)] : 503 };
  if (kind === 1) return { trouble: "closed", code: CODES[generator.below(10)], isLimit: generator.below(2) === 1 };
  return kind === 2 ? "broken" : "unreadable";
}

function messageOf(generator) {
  const epoch = 1 + (generator.below(16) === 0 ? 1 : 0);
  const seq = generator.below(40) - 2;
  const message = { position: generator.below(4) === 0 ? null : { epoch, seq }, epoch, covers: generator.below(2) === 0 ? null : seq - generator.below(4), at: generator.below(2) === 0 ? null : generator.below(1000) };
  const kind = generator.below(24);
  if (kind === 0) return { ...message, content: "ended" };
  if (kind < 4) return { ...message, content: "unreadable" };
  if (kind < 6) return { ...message, content: { content: "snapshot", lastSeq: generator.below(3) === 0 ? null : generator.below(40), isRecovered: generator.below(3) === 0 } };
  if (kind < 8) return { ...message, content: { content: "token", expiresAt: generator.below(3) === 0 ? null : generator.below(200_000) } };
  return { ...message, content: "other" };
}

function eventOf(generator, last, now) {
  const attempt = generator.below(8) === 0 ? generator.below(last + 2) : last;
  switch (generator.below(16)) {
    case 0: return { event: "start" };
    case 1: case 2: return { event: "opened", attempt };
    case 3: case 4: case 5: return { event: "received", message: messageOf(generator), attempt };
    case 6: return { event: "heard", attempt };
    case 7: return { event: "reconnects", after: generator.below(400_000) - 1000, attempt };
    case 8: return { event: "ended", trouble: troubleOf(generator), attempt };
    case 9: case 10: {
      const messages = Array.from({ length: generator.below(4) }, () => messageOf(generator));
      return { event: "polled", messages, isOver: generator.below(4) === 0, attempt };
    }
    case 11: return { event: "unchanged", attempt };
    case 12: return { event: "pollFailed", trouble: troubleOf(generator), attempt };
    case 13: return { event: "tokenRefreshed", expiresAt: generator.below(4) === 0 ? null : now + generator.below(200_000) };
    case 14: return { event: "tokenNotRefreshed", trouble: troubleOf(generator) };
    default: return { event: "woke" };
  }
}

const placeOf = (after) => (after ? `${after.epoch}.${after.seq}` : "-");

function describe({ order, ...values }) {
  return [order, ...["transport", "after", "attempt", "index", "ending"].filter((name) => name in values).map((name) => (name === "after" && order !== "wake" ? placeOf(values.after) : `${values[name]}`))].join(" ");
}

/**
 * Tells a machine events until it is over or their number is reached.
 *
 * @param {object} machine
 * @param {number} seed
 * @param {number} events - The most.
 * @param {{ events: number, hash: number }} log - The events of all runs, and the FNV-1a hash of what came of them; changed.
 */
export function randomRun(machine, seed, events, log) {
  const generator = new SampleSource(seed);
  let [now, last] = [0, 0];
  for (let count = 0; count < events && !machine.status.isOver; count += 1) {
    now += generator.below(5) === 0 ? generator.below(70_000) : generator.below(500);
    const event = eventOf(generator, last, now);
    const orders = machine.handle(event, now, generator.next());
    for (const { attempt } of orders) last = attempt ?? last;
    const { transport, position, isLive } = machine.status;
    const line = [...orders.map(describe), transport, placeOf(position), isLive ? "live" : "not live"].join(", ");
    log.events += 1;
    for (const sign of line) log.hash = Math.imul(log.hash ^ sign.charCodeAt(0), 0x01000193) >>> 0;
  }
}
