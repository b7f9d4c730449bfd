// The age of what is shown over the last minutes, as a small plot: it grows until an answer makes it young.

import { newElement, newShape, setAttribute, setText } from "../shared/dom.js";

const [WIDTH, HEIGHT, PAD] = [600, 120, 4];
const SPAN_MS = 10 * 60_000;
const LEAST_TOP_MS = 60_000;
const FRESH_MS = 45_000;
const MOST_POINTS = 600;

export class AgePlot {
  #points = [];
  #line = newShape("polyline", { class: "plot-age" });
  #limit = newShape("line", { class: "plot-limit", x1: 0, x2: WIDTH });
  #top = newElement("p", "plot-top");

  constructor() {
    this.picture = newShape("svg", { class: "plot", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", preserveAspectRatio: "none" });
    this.picture.append(this.#limit, this.#line);
    this.root = newElement("div", "plot-frame");
    this.root.append(this.#top, this.picture);
  }

  speak(say) {
    this.say = say;
    this.words = say("plot");
    this.picture.setAttribute("aria-label", this.words);
  }

  /** Adds the age of now. */
  show({ appearance, now }) {
    if (appearance.label.age !== null) this.#points.push({ at: now, age: appearance.label.age });
    while (this.#points.length > MOST_POINTS || this.#points[0]?.at < now - SPAN_MS) this.#points.shift();
    const top = Math.max(LEAST_TOP_MS, ...this.#points.map(({ age }) => age));
    const x = (at) => ((at - now + SPAN_MS) / SPAN_MS) * WIDTH;
    const y = (age) => HEIGHT - PAD - (age / top) * (HEIGHT - 2 * PAD);
    setAttribute(this.#line, "points", this.#points.map(({ at, age }) => `${x(at).toFixed(1)},${y(age).toFixed(1)}`).join(" "));
    for (const name of ["y1", "y2"]) setAttribute(this.#limit, name, y(FRESH_MS).toFixed(1));
    setText(this.#top, this.say("pair", { name: this.words, value: `0 – ${Math.round(top / 1000)}\u00a0s` }));
  }
}
