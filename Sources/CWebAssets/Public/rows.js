// The rows of the board. A row is kept as long as its departure is listed, so focus survives a refresh.

import { element, newElement, newSign, paintBadge, setText } from "./dom.js";
import { badgeColours, clockTime, countdown, hasDeparted, isTrain, lineName, modeOf, remark } from "./format.js";

export class Rows {
  #body = element("rows");
  #template = element("row-template");
  #rows = new Map();

  constructor({ onOpen }) {
    this.onOpen = onOpen;
  }

  get count() {
    return this.#rows.size;
  }

  clear() {
    this.#body.replaceChildren();
    this.#rows.clear();
  }

  show(departures, { now, zone, say }) {
    const listed = departures.filter((departure) => !hasDeparted(departure, now));
    this.#dropAllBut(new Set(listed.map((departure) => departure.key)));
    listed.forEach((departure, index) => this.#place(this.#rowOf(departure), index));
    for (const { row, departure } of this.#rows.values()) fillRow(row, departure, { zone, say });
    this.#describeColumns(listed, say);
    this.tick({ now, say });
  }

  /** Every second: minutes go down, departed rows leave. True when a row left. */
  tick({ now, say }) {
    const before = this.count;
    for (const [key, { row, departure }] of this.#rows) {
      if (hasDeparted(departure, now)) this.#drop(key);
      else fillCountdown(row.querySelector(".countdown-value"), countdown(departure, now), departure, say);
    }
    return this.count !== before;
  }

  #rowOf(departure) {
    const known = this.#rows.get(departure.key);
    const entry = known ?? { row: this.#newRow(departure.key) };
    entry.departure = departure;
    this.#rows.set(departure.key, entry);
    return entry.row;
  }

  #newRow(key) {
    const row = this.#template.content.firstElementChild.cloneNode(true);
    row.querySelector("button").addEventListener("click", () => this.onOpen(this.#rows.get(key).departure));
    return row;
  }

  #place(row, index) {
    if (this.#body.children[index] !== row) this.#body.insertBefore(row, this.#body.children[index] ?? null);
  }

  #dropAllBut(keys) {
    for (const key of this.#rows.keys()) if (!keys.has(key)) this.#drop(key);
  }

  #drop(key) {
    const { row } = this.#rows.get(key);
    const next = row.contains(document.activeElement) ? row.nextElementSibling : null;
    row.remove();
    this.#rows.delete(key);
    next?.querySelector("button").focus({ preventScroll: true });
  }

  #describeColumns(departures, say) {
    const board = element("board");
    board.classList.toggle("no-platforms", departures.every((departure) => !departure.platform));
    setText(element("column-platform"), platformWord(departures.find(isTrain) ?? departures[0], say));
  }
}

function fillRow(row, departure, { zone, say }) {
  const mode = modeOf(departure);
  row.classList.toggle("cancelled", Boolean(departure.cancelled));
  row.dataset.mode = mode;
  fillTime(row.querySelector("time"), departure.scheduledDeparture, zone);
  setText(row.querySelector(".mode"), `${say(mode)} `);
  setText(row.querySelector(".line-name"), lineName(departure.line) || "–");
  paintBadge(row.querySelector(".badge"), badgeColours(departure));
  setText(row.querySelector("button"), departure.destination ?? "");
  fillPlatform(row.querySelector(".platform"), departure, say);
  fillRemarks(row.querySelector(".remark"), departure, say);
}

function fillTime(time, instant, zone) {
  time.dateTime = instant;
  setText(time, clockTime(Date.parse(instant), zone));
}

function platformWord(departure, say) {
  return departure && !isTrain(departure) ? say("stand") : say("platform");
}

function fillPlatform(cell, departure, say) {
  cell.classList.toggle("changed", Boolean(departure.platformChanged));
  setText(cell.querySelector(".platform-word"), departure.platform ? platformWord(departure, say) : "");
  setText(cell.querySelector(".platform-name"), departure.platform ?? "");
}

function fillRemarks(cell, departure, say) {
  const wanted = remarksOf(departure, say);
  const written = wanted.map(({ kind, text }) => `${kind} ${text}`).join("|");
  if (cell.dataset.written === written) return;
  cell.dataset.written = written;
  cell.replaceChildren(...wanted.map(newPill));
}

function newPill({ kind, word, text }) {
  const pill = newElement("span", `pill ${kind}`);
  if (word) pill.append(newElement("span", "pill-word", `${word} `));
  pill.append(text);
  return pill;
}

function remarksOf(departure, say) {
  const { kind, minutes } = remark(departure);
  const remarks = kind === "none" ? [] : [{ kind, text: say(kind, { minutes }) }];
  if (departure.platformChanged && kind !== "cancelled") {
    remarks.push({ kind: "moved", ...changeOfPlatform(departure, say) });
  }
  return remarks;
}

function changeOfPlatform(departure, say) {
  const word = platformWord(departure, say);
  const { previousPlatform: before, platform } = departure;
  return before && platform ? { word, text: `${before} → ${platform}` } : { text: say("platformChanged", { word }) };
}

function fillCountdown(value, { kind, minutes }, departure, say) {
  const sign = isTrain(departure) ? "train" : "bus";
  const written = `${kind} ${minutes ?? sign}`;
  if (value.dataset.written === written) return;
  value.dataset.written = written;
  value.dataset.kind = kind === "minutes" && minutes <= 1 ? "soon" : kind;
  value.replaceChildren(...countdownParts(kind, minutes, sign, say));
}

function countdownParts(kind, minutes, sign, say) {
  if (kind === "none") return [];
  if (kind === "arriving") return [newSign(sign), newElement("span", "unseen", say("arriving"))];
  const number = newElement("span", "number", String(minutes));
  number.setAttribute("aria-hidden", "true");
  const prime = newElement("span", "prime", "min");
  prime.setAttribute("aria-hidden", "true");
  return [number, prime, newElement("span", "unseen", say("inMinutes", { minutes }))];
}
