// Two clocks. One only measures how long ago something was; the other tells the server's time of day,
// so that a device whose own clock is wrong still shows the right minutes.

const SLEPT_FROM_MS = 5000;

/** Milliseconds that never run backwards. Some devices stop it while they sleep: `notice` makes up for that. */
class SteadyClock {
  #asleep = 0;
  #lastSteady = performance.now();
  #lastWall = Date.now();

  now() {
    return performance.now() + this.#asleep;
  }

  /** Called every second. True when the device seems to have slept since the last call. */
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

export class ServerClock {
  #offset = Date.now() - steadyClock.now();

  /** Half of the way there and back is taken as the age of the server's time when it arrives. */
  learn(serverTime, { askedAt, answeredAt }) {
    const time = Date.parse(serverTime);
    if (!Number.isNaN(time)) this.#offset = time - (askedAt + answeredAt) / 2;
  }

  now() {
    return steadyClock.now() + this.#offset;
  }

  /** The time of day at an instant of the steady clock. */
  at(steady) {
    return steady + this.#offset;
  }
}

/** Calls `tick` once a second, on the second of `clock`. */
export function everySecond(clock, tick) {
  setTimeout(() => everySecond(clock, tick), 1000 - (clock.now() % 1000) + 5);
  tick();
}
