// The points of the history: asked for a range, and again every minute.

const RANGES = { day: { seconds: 86_400, step: 900 }, week: { seconds: 7 * 86_400, step: 3600 } };
const AGAIN_MS = 60_000;

export class HistoryPoints {
  #range = "day";
  #timer = null;
  #asked = 0;
  #from = null;

  /** @param {(points: object) => void} onChange - Called with what is known: `{ isOff, failure, series, from, to, step }`. */
  constructor(onChange) {
    this.onChange = onChange;
    this.known = null;
  }

  get range() {
    return this.#range;
  }

  /** Asks for another range. */
  choose(range) {
    this.#range = range;
    this.known = null;
    this.ask();
  }

  /** @param {number | null} now - The server's time, in milliseconds; the first one starts it. */
  begin(now) {
    const isFirst = this.#from === null;
    this.#from = now;
    if (isFirst && now !== null) this.ask();
  }

  async ask() {
    clearTimeout(this.#timer);
    const number = ++this.#asked;
    const { seconds, step } = RANGES[this.#range];
    const to = new Date(this.#from);
    const query = new URLSearchParams({ from: new Date(this.#from - seconds * 1000).toISOString(), to: to.toISOString(), step: String(step) });
    const known = await load(query).catch(() => null);
    if (number !== this.#asked) return;
    this.#timer = setTimeout(() => this.ask(), AGAIN_MS);
    // What was shown stays when an answer does not come.
    if (!known && this.known) return;
    this.known = known ?? { failure: true };
    this.onChange(this.known);
  }
}

async function load(query) {
  const response = await fetch(`/api/history/points?${query}`, { headers: { accept: "application/json" } });
  if (response.status === 404) return { isOff: true };
  if (!response.ok) return null;
  const body = await response.json();
  return { series: body.series, from: Date.parse(body.from), to: Date.parse(body.to), step: body.step * 1000 };
}
