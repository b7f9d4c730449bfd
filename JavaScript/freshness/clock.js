// Two clocks. One only measures elapsed time. The other provides the server's time of day, so that a device whose own
// clock is wrong still shows the right minutes.

/** From here a gap between the two clocks of the device counts as sleep. */
const SLEPT_FROM_MS = 5000;

/**
 * Milliseconds that never decrease, even if the wall clock is set.
 *
 * Some browsers stop it while the device sleeps. Only the wall clock would show that, but a wall clock that was set
 * forward looks the same: it does not change an age (engine.md R27, R37). Both only trigger a request, whose response
 * shows the age.
 */
class SteadyClock {
  #lastSteady = performance.now();
  #lastWall = Date.now();

  now() {
    return performance.now();
  }

  /** Called every second. Returns true if the device may have slept since the last call. */
  notice() {
    const [steady, wall] = [performance.now(), Date.now()];
    const gap = wall - this.#lastWall - (steady - this.#lastSteady);
    [this.#lastSteady, this.#lastWall] = [steady, wall];
    return gap >= SLEPT_FROM_MS;
  }
}

export const steadyClock = new SteadyClock();

/** The server's time of day. */
export class ServerClock {
  #offset = Date.now() - steadyClock.now();
  #isLearned = false;

  /**
   * Takes half of the round trip as the age of the server's time on received. A response head counts whole seconds: it
   * corrects the clock only if that shows another second.
   */
  learn(serverTime, { askedAt, answeredAt }) {
    if (serverTime === null) return;
    const middle = (askedAt + answeredAt) / 2;
    const believed = middle + this.#offset;
    const isWithin = this.#isLearned && serverTime % 1000 === 0 && believed >= serverTime && believed < serverTime + 1000;
    if (!isWithin) this.#offset = serverTime - middle;
    this.#isLearned = true;
  }

  /**
   * Learns from a response that carries or confirms a copy. The `Date` of an error may be a proxy's, and wrong: it must
   * not remove departures from a board (engine.md R22).
   */
  learnFrom(received) {
    if (received.outcome === "content" || received.outcome === "unchanged") this.learn(received.metadata.serverTime ?? null, received);
  }

  now() {
    return steadyClock.now() + this.#offset;
  }

  /** Returns the time of day at an instant of the monotonic clock. */
  at(steady) {
    return steady + this.#offset;
  }
}

/** Calls `tick` once a second, on the second of `clock()`. */
export function everySecond(clock, tick) {
  setTimeout(() => everySecond(clock, tick), 1000 - (clock().now() % 1000) + 5);
  tick();
}
