// A plot over time: lines with a band around them, or stacked bars. Words and numbers are text beside the picture, and the same values
// are in a table below it.

import { newElement, newShape, setAttribute, setText } from "../shared/dom.js";
import { clockTime, localDay } from "../shared/times.js";

const [WIDTH, HEIGHT] = [1000, 100];
const DAY_MS = 86_400_000;
/** Two points that are further apart than this many steps are not joined. */
const GAP_STEPS = 2.5;
const STEPS = [1, 2, 5];

/** Round spans of time in seconds. */
const SPANS = [10, 30, 60, 120, 300, 600, 1200, 1800, 3600];

/** The smallest round span of time that is at least `seconds`. */
export function roundUpSpan(seconds) {
  return SPANS.find((span) => span >= seconds) ?? SPANS.at(-1);
}

/** The smallest round number that is at least `value`: 1, 2 or 5 times a power of ten. */
export function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-9)));
  return (STEPS.find((step) => step * power >= value) ?? 10) * power;
}

export class TimePlot {
  #cursor = newShape("line", { class: "plot-cursor", y1: 0, y2: HEIGHT });
  #read = newElement("p", "plot-read");
  #drawn = null;

  /** @param {object} options - `title`, `note`: names of messages; `isWide`. */
  constructor({ title, note = null, isWide = false }) {
    this.words = { title, note };
    this.root = newElement("article", "plot-card");
    if (isWide) this.root.dataset.wide = "";
    const head = newElement("div", "plot-head");
    this.title = newElement("h3");
    this.now = newElement("p", "plot-now");
    head.append(this.title, this.now);
    this.note = newElement("p", "plot-note");
    this.legend = newElement("ul", "plot-legend");
    this.area = newElement("div", "plot-area");
    this.details = newElement("details");
    this.summary = newElement("summary");
    this.table = newElement("div", "plot-table");
    this.table.tabIndex = 0;
    this.table.setAttribute("role", "region");
    this.details.append(this.summary, this.table);
    this.root.append(head, this.note, this.legend, this.area, this.details);
    this.area.addEventListener("pointermove", (event) => this.#point(event));
    this.area.addEventListener("pointerleave", () => this.#point(null));
    this.details.addEventListener("toggle", () => this.details.open && this.#fillTable());
  }

  /**
   * @param {object} data - `from`, `to`, `step`: milliseconds; `rows`: `{ at, values }` in order, a value being `null` where
   *   nothing is known; `series`: `{ key, name, colour, kind }` for each value, `kind`: `line`, `bar` or `band`, the last with
   *   `low` and `high` as its places among the values; `top`: the least top of the scale; `most`: the greatest, above which values
   *   are marked at the top; `round`: makes it a round number; `limit`; `unit`: a value in words;
   *   `now`: the value of now in words; `zone`; `say`.
   */
  show(data) {
    this.#drawn = data;
    const { say } = data;
    setText(this.title, say(this.words.title));
    setText(this.note, this.words.note ? say(this.words.note, data.noteValues) : "");
    this.note.hidden = !this.words.note;
    setText(this.now, data.now ?? "");
    setText(this.summary, say("asTable"));
    this.table.setAttribute("aria-label", say(this.words.title));
    const shown = data.series.filter(({ kind }) => kind !== "hidden");
    this.legend.hidden = shown.length < 2;
    this.legend.replaceChildren(...shown.map(({ name, colour, kind }) => {
      const item = newElement("li", "", name);
      item.dataset.mark = kind;
      item.style.setProperty("--key", kind === "band" ? "var(--plot-band)" : colour);
      return item;
    }));
    this.#draw(data);
    if (this.details.open) this.#fillTable();
  }

  #draw({ rows, series, from, to, step, top, most = Infinity, round = roundUp, limit, unit, zone, say, summary }) {
    const stacks = series.some(({ kind }) => kind === "bar");
    const sums = rows.map(({ values }) => stacks
      ? series.reduce((sum, { kind, place }) => sum + (kind === "bar" ? values[place] ?? 0 : 0), 0)
      : Math.max(0, ...values.filter((value) => value !== null)));
    const peak = Math.max(0, ...sums);
    const scale = Math.min(most, round(Math.max(peak, top)));
    const x = (at) => ((at - from) / (to - from)) * WIDTH;
    const y = (value) => HEIGHT - (Math.min(value, scale) / scale) * HEIGHT;
    const picture = newShape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img" });
    picture.setAttribute("aria-label", `${say(this.words.title)}. ${summary ?? ""}`);
    const labels = [];
    for (const share of [0, 0.5, 1]) {
      picture.append(newShape("line", { class: "plot-grid", x1: 0, x2: WIDTH, y1: y(share * scale), y2: y(share * scale) }));
      const isBeyond = share === 1 && peak > scale;
      labels.push(tick("y", isBeyond ? `≥\u00a0${unit(scale)}` : unit(share * scale), { bottom: `${share * 100}%` }));
    }
    for (const { at, text } of timeTicks(from, to, zone, say)) labels.push(tick("x", text, { left: `${x(at) / 10}%` }));
    if (limit && limit < scale) picture.append(newShape("line", { class: "plot-limit-line", x1: 0, x2: WIDTH, y1: y(limit), y2: y(limit) }));
    const known = rows.filter(({ values }) => values.some((value) => value !== null));
    for (const each of series) {
      if (each.kind === "band") picture.append(newShape("path", { class: "plot-band", d: band(known, each, step, x, y) }));
    }
    for (const each of series) {
      if (each.kind === "line") {
        const path = newShape("path", { class: "plot-path", d: line(known, each.place, step, x, y) });
        path.style.setProperty("--key", each.colour);
        picture.append(path);
      }
    }
    if (stacks) this.#drawBars(picture, { rows, series, step, x, y });
    if (peak > scale) picture.append(newShape("path", { class: "plot-beyond", d: beyond(rows, scale, step, x) }));
    picture.append(this.#cursor);
    const empty = known.length === 0 ? [newElement("p", "plot-empty", say("nothingKnown"))] : [];
    this.area.replaceChildren(picture, ...labels, ...empty, this.#read);
  }

  /** One path for each colour: a week of bars is a handful of shapes. */
  #drawBars(picture, { rows, series, step, x, y }) {
    const paths = new Map(series.filter(({ kind }) => kind === "bar").map((each) => [each, ""]));
    for (const { at, values } of rows) {
      let below = 0;
      const [left, right] = [Math.max(x(at), 0), Math.min(Math.max(x(at + step) - 0.6, x(at) + 0.6), WIDTH)];
      for (const [each, path] of paths) {
        const value = values[each.place] ?? 0;
        if (value === 0) continue;
        paths.set(each, `${path}M${left.toFixed(1)} ${y(below).toFixed(2)}V${y(below + value).toFixed(2)}H${right.toFixed(1)}V${y(below).toFixed(2)}Z`);
        below += value;
      }
    }
    for (const [{ colour }, d] of paths) {
      if (!d) continue;
      const bars = newShape("path", { class: "plot-bar", d });
      bars.style.setProperty("--key", colour);
      picture.append(bars);
    }
  }

  /** What the values are under the pointer. */
  #point(event) {
    const data = this.#drawn;
    const box = this.area.getBoundingClientRect();
    const at = event && data ? data.from + ((event.clientX - box.left) / box.width) * (data.to - data.from) : null;
    const row = at === null ? null : data.rows.findLast((each) => each.at <= at && at < each.at + data.step * GAP_STEPS);
    for (const node of [this.#cursor, this.#read]) node.style.visibility = row ? "visible" : "hidden";
    if (!row) return;
    const x = ((row.at + data.step / 2 - data.from) / (data.to - data.from)) * WIDTH;
    for (const name of ["x1", "x2"]) setAttribute(this.#cursor, name, x.toFixed(1));
    setText(this.#read, [whenOf(row.at, data), ...this.#values(row)].join("\n"));
    const isLeft = x > WIDTH / 2;
    this.#read.style.left = isLeft ? "auto" : `calc(${x / 10}% + .5rem)`;
    this.#read.style.right = isLeft ? `calc(${100 - x / 10}% + .5rem)` : "auto";
  }

  #values({ values }) {
    return this.#drawn.series.filter(({ place }) => place !== undefined && values[place] !== null)
      .map(({ name, place }) => `${name}: ${this.#drawn.unit(values[place])}`);
  }

  #fillTable() {
    const data = this.#drawn;
    if (!data) return;
    const columns = data.series.filter(({ place }) => place !== undefined);
    const table = newElement("table");
    const head = newElement("tr");
    head.append(newElement("th", "", data.say("time")), ...columns.map(({ name }) => newElement("th", "figure", name)));
    table.append(newElement("thead"), newElement("tbody"));
    table.tHead.append(head);
    for (const row of [...data.rows].reverse()) {
      const line = newElement("tr");
      line.append(newElement("th", "", whenOf(row.at, data)));
      line.append(...columns.map(({ place }) => newElement("td", "figure", row.values[place] === null ? "–" : data.unit(row.values[place]))));
      table.tBodies[0].append(line);
    }
    this.table.replaceChildren(table);
  }
}

function whenOf(at, { zone, step, to, from, say }) {
  const time = clockTime(at, zone);
  return to - from > DAY_MS * 1.5 || step >= DAY_MS ? `${weekday(at, zone, say)} ${time}` : time;
}

function weekday(at, zone, say) {
  const day = new Date(`${localDay(at, zone)}T12:00:00Z`).getUTCDay();
  return say("weekdays").split(" ")[day];
}

function tick(axis, text, style) {
  const label = newElement("span", "plot-tick", text);
  label.dataset.axis = axis;
  label.setAttribute("aria-hidden", "true");
  Object.assign(label.style, style);
  return label;
}

/** Round times of day, or days. */
function timeTicks(from, to, zone, say) {
  const isLong = to - from > DAY_MS * 1.5;
  const ticks = [];
  const hour = 3_600_000;
  for (let at = Math.ceil(from / hour) * hour; at < to; at += hour) {
    const time = clockTime(at, zone);
    if (isLong ? time === "00:00" : Number(time.slice(0, 2)) % 6 === 0 && time.endsWith(":00")) {
      // At the very ends a label would extend over the edge.
      const share = (at - from) / (to - from);
      if (share > 0.02 && share < 0.98) ticks.push({ at, text: isLong ? weekday(at, zone, say) : time });
    }
  }
  return ticks;
}

function segments(rows, isKnown, step) {
  const found = [];
  let before = null;
  for (const row of rows) {
    if (!isKnown(row)) continue;
    if (before === null || row.at - before > step * GAP_STEPS) found.push([]);
    found.at(-1).push(row);
    before = row.at;
  }
  return found;
}

function line(rows, place, step, x, y) {
  return segments(rows, ({ values }) => values[place] !== null, step).map((part) => {
    const points = part.map(({ at, values }) => `${x(at + step / 2).toFixed(1)} ${y(values[place]).toFixed(2)}`);
    // A single point is a short line.
    if (points.length === 1) points.push(`${x(part[0].at + step).toFixed(1)} ${y(part[0].values[place]).toFixed(2)}`);
    return `M${points.join("L")}`;
  }).join("");
}

/** The times at which a value is above the scale, at its top. */
function beyond(rows, scale, step, x) {
  return rows.filter(({ values }) => values.some((value) => value > scale))
    .map(({ at }) => `M${x(at).toFixed(1)} 0H${x(at + step).toFixed(1)}`).join("");
}

function band(rows, { low, high }, step, x, y) {
  return segments(rows, ({ values }) => values[low] !== null && values[high] !== null, step).map((part) => {
    const side = (place, list) => list.map(({ at, values }) => `${x(at + step / 2).toFixed(1)} ${y(values[place]).toFixed(2)}`);
    return `M${[...side(high, part), ...side(low, [...part].reverse())].join("L")}Z`;
  }).join("");
}
