// Two clocks. One only measures how long ago something was; the other tells the server's time of day,
// so that a device whose own clock is wrong still shows the right minutes.

/** From here a gap between the two clocks of the device counts as sleep. */
const SLEPT_FROM_MS = 5000;

/**
 * Milliseconds that never run backwards, whatever anybody does to the wall clock.
 *
 * Some browsers stop it while the device sleeps. Only the wall clock would tell, and a wall clock that somebody sets
 * forward looks the same: it moves no age (engine.md R27, R37). Both only bring about a question, whose answer tells.
 */
class SteadyClock {
  #lastSteady = performance.now();
  #lastWall = Date.now();

  now() {
    return performance.now();
  }

  /** Called every second. True when the device may have slept since the last call. */
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
   * Half of the way there and back is taken as the age of the server's time when it arrives. A head counts whole
   * seconds: it moves the clock only out of another second.
   */
  learn(serverTime, { askedAt, answeredAt }) {
    if (serverTime === null) return;
    const middle = (askedAt + answeredAt) / 2;
    const believed = middle + this.#offset;
    const isWithin = this.#isLearned && serverTime % 1000 === 0 && believed >= serverTime && believed < serverTime + 1000;
    if (!isWithin) this.#offset = serverTime - middle;
    this.#isLearned = true;
  }

  now() {
    return steadyClock.now() + this.#offset;
  }

  /** The time of day at an instant of the steady clock. */
  at(steady) {
    return steady + this.#offset;
  }
}

/** Calls `tick` once a second, on the second of `clock()`. */
export function everySecond(clock, tick) {
  setTimeout(() => everySecond(clock, tick), 1000 - (clock().now() % 1000) + 5);
  tick();
}
