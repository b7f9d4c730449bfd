// Two clocks. One only measures how long ago something was; the other tells the server's time of day,
// so that a device whose own clock is wrong still shows the right minutes.

/** From here a gap between the two clocks of the device counts as sleep. */
const SLEPT_FROM_MS = 5000;

/** Milliseconds that never run backwards. Some devices stop it while they sleep: `notice` makes up for that. */
class SteadyClock {
  #asleep = 0;
  #lastSteady = performance.now();
  #lastWall = Date.now();

  now() {
    return performance.now() + this.#asleep;
  }

  /**
   * Called every second. True when the device seems to have slept since the last call.
   *
   * A wall clock that somebody sets forward looks the same: then ages are too great until the next
   * answer, which the sleep itself brings about. An age is never too small. Backwards changes nothing.
   */
  notice() {
    const [steady, wall] = [performance.now(), Date.now()];
    const gap = wall - this.#lastWall - (steady - this.#lastSteady);
    [this.#lastSteady, this.#lastWall] = [steady, wall];
    if (gap < SLEPT_FROM_MS) return false;
    this.#asleep += gap;
    return true;
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
