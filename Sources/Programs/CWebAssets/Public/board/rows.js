// The rows of a board. They are fixed places, as on a board on a wall: when a departure leaves, the rows do not move;
// the next departure takes its place. So nothing jumps and no element is rebuilt when a response arrives.

import { fromTemplate, newElement, newSign, paintBadge, part, setAttribute, setText, shown } from "../shared/dom.js";
import { badgeColours } from "./colours.js";
import { ageOfPrediction, boardingInWords, countdown, freshnessOf, hasDeparted, headwayMinutes, isOff, isOfHeadway, isPredicted, isRough, isTrain, lineName, modeOf, peculiarities, punctuality, uncertainty, vehicleWord } from "./departure.js";
import { clockTime, duration } from "../shared/times.js";
import { pressGuard } from "../shared/press-guard.js";

const PARTS = ["time", "badge", "mode", "line", "open", "remark", "alert", "platform", "platform-word", "platform-name", "countdown"];

export class Rows {
  #body;
  #places = [];
  #departures = [];
  #most = 0;
  #reserved = 0;
  #expanded = new Set();
  #context = null;

  /** @param {HTMLElement} body - Of the table. @param {object} options - `onOpen(departure)`, `onToggle()`: the alerts of a row came or went. */
  constructor(body, { onOpen, onToggle }) {
    this.#body = body;
    this.onOpen = onOpen;
    this.onToggle = onToggle;
    body.addEventListener("click", (event) => this.#pressed(event));
  }

  /** How many departures are shown. */
  get count() {
    return this.#places.filter(({ departure }) => departure).length;
  }

  /** The height of the alerts that are open, in pixels. */
  get openHeight() {
    return this.#places.reduce((sum, { detail }) => sum + (detail?.offsetHeight ?? 0), 0);
  }

  get departures() {
    return this.#places.map(({ departure }) => departure).filter(Boolean);
  }

  clear() {
    this.#body.replaceChildren();
    [this.#places, this.#departures, this.#reserved] = [[], [], 0];
    this.#expanded.clear();
  }

  /** Gives room back that departures of before had: when a person changed what is shown. */
  release() {
    this.#reserved = 0;
  }

  /**
   * Shows departures.
   *
   * @param {object[]} departures - In order.
   * @param {object} context - `most`: rows; `now`, `zone`, `say`.
   */
  show(departures, context) {
    this.#departures = departures;
    this.#most = context.most;
    this.#context = context;
    this.#fill(context);
  }

  /** Every second: minutes go down, bookings close, departed rows make room. */
  tick(now) {
    if (!this.#context) return;
    const context = (this.#context = { ...this.#context, now });
    if (this.#places.some(({ departure }) => departure && hasDeparted(departure, now))) return pressGuard.run(this, () => this.#fill(context));
    for (const place of this.#places) {
      if (!place.departure) continue;
      fillRemarks(place, context);
      fillCountdown(place, now, context.say);
    }
  }

  /** Moves the focus to another row: 1 down, -1 up. */
  move(step) {
    const at = this.#places.findIndex(({ row }) => row.contains(document.activeElement));
    const next = at < 0 ? (step > 0 ? 0 : this.count - 1) : at + step;
    this.#places[next]?.departure && this.#places[next].open.focus();
  }

  #fill(context) {
    const listed = this.#departures.filter((departure) => !hasDeparted(departure, context.now)).slice(0, this.#most);
    const focus = this.#focus();
    this.#reserved = Math.min(Math.max(this.#reserved, listed.length), this.#most);
    while (this.#places.length < this.#reserved) this.#add();
    while (this.#places.length > this.#reserved) this.#drop();
    this.#places.forEach((place, index) => this.#put(place, listed[index] ?? null, context));
    this.#refocus(focus);
  }

  #add() {
    const row = fromTemplate("row-template");
    const place = { row, departure: null, detail: null };
    for (const name of PARTS) place[name.replace("platform-", "platform")] = part(row, name);
    this.#body.append(row);
    this.#places.push(place);
  }

  #drop() {
    const { row, detail, departure } = this.#places.pop();
    row.remove();
    // A detail that no longer fits is not open when its departure is shown again.
    if (detail) this.#expanded.delete(departure?.key);
    detail?.remove();
  }

  #put(place, departure, context) {
    place.departure = departure;
    place.row.classList.toggle("vacant", departure === null);
    setAttribute(place.row, "aria-hidden", departure === null ? "true" : null);
    place.open.disabled = departure === null;
    if (departure) fillPlace(place, departure, context);
    else fillAlert(place, [], false, context.say);
    this.#showDetail(place, context);
  }

  // MARK: Alerts of a row

  #pressed(event) {
    const place = this.#places.find(({ row }) => row.contains(event.target));
    if (!place?.departure) return;
    if (event.target.closest("[data-part=alert]")) this.#toggle(place);
    else if (event.target.closest("[data-part=open]")) this.onOpen(place.departure);
  }

  #toggle(place) {
    const { key } = place.departure;
    if (!this.#expanded.delete(key)) this.#expanded.add(key);
    this.#put(place, place.departure, this.#context);
    this.onToggle();
  }

  #showDetail(place, { say }) {
    const { departure } = place;
    const isOpen = departure !== null && departure.alerts?.length > 0 && this.#expanded.has(departure.key);
    if (!isOpen) {
      place.detail?.remove();
      place.detail = null;
    } else {
      place.detail ??= newDetail(place.row);
      const text = departure.alerts.map(({ header, description }) => [header, description].filter(Boolean).join("\n")).join("\n\n");
      setText(place.detail.firstChild.firstChild, text);
    }
    if (departure) fillAlert(place, departure.alerts ?? [], isOpen, say);
  }

  // MARK: The focus stays on its departure

  #focus() {
    const active = /** @type {HTMLElement | null} */ (document.activeElement);
    const place = active && this.#places.find(({ row }) => row.contains(active));
    return place?.departure ? { key: place.departure.key, row: place.row, part: active.dataset.part } : null;
  }

  #refocus(focus) {
    if (!focus) return;
    const now = this.#places.find(({ departure }) => departure?.key === focus.key);
    if (now ? now.row === focus.row : focus.row.isConnected && !focus.row.classList.contains("vacant")) return;
    const control = now ?? this.#places.findLast(({ departure }) => departure);
    (control?.[focus.part === "alert" && !control.alert.hidden ? "alert" : "open"] ?? null)?.focus({ preventScroll: true });
  }
}

function newDetail(row) {
  const detail = newElement("tr", "alert-row");
  detail.setAttribute("role", "row");
  const cell = newElement("td", "alert-cell");
  cell.setAttribute("role", "cell");
  cell.colSpan = 6;
  cell.append(newElement("p", "alert-text"));
  detail.append(cell);
  row.after(detail);
  return detail;
}

// MARK: The parts of a row

function fillPlace(place, departure, context) {
  const { row } = place;
  const mode = modeOf(departure);
  row.classList.toggle("off", isOff(departure));
  fillTime(place.time, departure, context);
  setText(place.mode, `${context.say(mode)} `);
  setText(place.line, lineName(departure.line) || "–");
  const letters = (departure.line ? lineName(departure.line) : "").length;
  setAttribute(place.badge, "data-letters", letters > 3 ? String(Math.min(letters, 7)) : null);
  setAttribute(place.badge, "title", letters > 5 ? lineName(departure.line) : null);
  paintBadge(place.badge, badgeColours(departure));
  fillDestination(place.open, shown(departure.destination ?? ""), context.town);
  fillPlatform(place, departure, context.say);
  fillRemarks(place, context);
  fillCountdown(place, context.now, context.say);
}

/** The name of the board's own town is an element of its own: where there is little room it is not seen (modes.css). */
function fillDestination(open, destination, town) {
  if (open.title !== destination) open.title = destination;
  const own = town && destination.startsWith(`${town}, `) ? `${town}, ` : "";
  if (open.textContent === destination && (open.firstElementChild?.textContent ?? "") === own) return;
  open.replaceChildren(...(own ? [newElement("span", "own-town", own)] : []), destination.slice(own.length));
}

function fillTime(time, departure, { zone, say }) {
  const predicted = departure.realtimeDeparture ?? null;
  const instant = (isOfHeadway(departure) ? predicted : null) ?? departure.scheduledDeparture ?? predicted ?? "";
  setAttribute(time, "datetime", instant);
  const rough = isRough(departure) && instant;
  setAttribute(time, "data-rough", rough ? "yes" : null);
  setAttribute(time, "title", uncertainty(departure, say));
  setText(time, instant ? `${rough ? "≈" : ""}${clockTime(Date.parse(instant), zone)}` : "");
}

/** Trains stop at a platform; everything else at a stand. */
export function platformWord(departure, say) {
  return departure && !isTrain(departure) ? say("stand") : say("platform");
}

function fillPlatform(place, departure, say) {
  place.platform.classList.toggle("changed", Boolean(departure.platformChanged));
  // The space belongs to the word: a text of its own between the two would count as moved once there is a platform.
  setText(place.platformword, departure.platform ? `${platformWord(departure, say)} ` : "");
  // On a phone the word is short, and of no more width than it has room (board.css).
  setAttribute(place.platformword, "data-short", departure.platform ? say(isTrain(departure) ? "platformShort" : "standShort") : "");
  setText(place.platformname, departure.platform ?? "");
}

function fillRemarks({ remark: cell, departure }, context) {
  const wanted = remarksOf(departure, context);
  const written = wanted.map(({ kind, text }) => `${kind} ${text}`).join("|");
  if (cell.dataset.written === written) return;
  cell.dataset.written = written;
  for (const pill of cell.querySelectorAll(".pill")) pill.remove();
  cell.prepend(...wanted.map(newPill));
}

function newPill({ kind, text, name, short }) {
  const pill = newElement("span", `pill ${kind}`);
  // Where there is little room the short word is seen (board.css).
  if (short && short !== text) pill.dataset.short = short;
  if (!name || name === text) {
    pill.textContent = text;
    return pill;
  }
  const seen = newElement("span", "", text);
  seen.setAttribute("aria-hidden", "true");
  pill.append(seen, newElement("span", "unseen", name));
  return pill;
}

/**
 * The remarks on a departure in words; `name` is what a screen reader says in their place, `short` what a narrow row shows.
 *
 * @param {object} departure
 * @param {object} context - `say`; `now` and `zone`, for what can be booked until an instant.
 * @returns {{ kind: string, text: string, name?: string, short?: string }[]}
 */
export function remarksOf(departure, context) {
  const { say } = context;
  const { kind, minutes } = punctuality(departure);
  const remarks = [];
  if (kind === "late") remarks.push({ kind, text: say("late", { minutes }), name: say("lateLong", { count: minutes }) });
  else if (kind !== "none") remarks.push({ kind, text: say(kind) });
  if (departure.platformChanged && !isOff(departure)) remarks.push({ kind: "moved", ...platformChange(departure, say) });
  for (const peculiarity of peculiarities(departure)) remarks.push(peculiarityInWords(peculiarity, departure, say));
  const [skipped, ...others] = departure.skippedStops ?? [];
  if (skipped && !isOff(departure)) {
    const stops = [skipped, ...others].join(", ");
    const text = others.length > 0 ? say("skipsStops", { stop: skipped, count: others.length }) : say("skipsStop", { stop: skipped });
    remarks.push({ kind: "skips", text, name: say("skipsStop", { stop: stops }), short: say("skipsShort", { count: others.length + 1 }) });
  }
  const vehicle = vehicleWord(departure);
  if (vehicle) remarks.push({ kind: "headway", text: say(vehicle) });
  if (departure.boarding && !isOff(departure)) remarks.push({ kind: "headway", ...boardingInWords(departure, context) });
  const headway = headwayMinutes(departure);
  // Everything else is graver, and there is little room.
  if (headway !== null && remarks.length === 0) {
    remarks.push({ kind: "headway", text: say("every", { minutes: headway }), name: say("everyLong", { count: headway }), short: say("everyShort", { minutes: headway }) });
  }
  return remarks;
}

function peculiarityInWords(peculiarity, departure, say) {
  const short = say(`${peculiarity}Short`);
  if (peculiarity === "shortTurn" && departure.endsAt) return { kind: peculiarity, text: say("endsAt", { stop: departure.endsAt }), short };
  return { kind: peculiarity, text: say(peculiarity), short };
}

function platformChange(departure, say) {
  const word = platformWord(departure, say);
  const { previousPlatform: before, platform } = departure;
  if (!before || !platform) return { text: say("platformChanged", { word }) };
  return { text: `${before} → ${platform}`, name: say("platformMoved", { word, before, platform }) };
}

function fillAlert(place, alerts, isOpen, say) {
  const { alert } = place;
  alert.hidden = alerts.length === 0;
  setAttribute(alert, "aria-expanded", String(isOpen));
  const name = alerts.length === 0 ? "" : say("alertOf", { line: lineName(place.departure.line), header: alerts[0].header ?? "" });
  setAttribute(alert, "aria-label", name);
}

function fillCountdown({ row, countdown: value, departure }, now, say) {
  const { kind, minutes } = countdown(departure, now);
  const sign = isTrain(departure) ? "train" : "bus";
  const freshness = freshnessOf(departure, now);
  setAttribute(row, "data-realtime", freshness ?? "none");
  // Old predictions are shown, and said to be old.
  const age = freshness === "stale" ? ageOfPrediction(departure, now) : null;
  const old = freshness === "stale" ? say("oldPrediction", { age: duration(age === null ? 180 : Math.max(age, 60)) }) : null;
  setAttribute(value, "title", old);
  const rough = isRough(departure) && !isPredicted(departure);
  const written = `${kind} ${minutes ?? sign} ${say("minuteMark")} ${old ?? ""}${rough}`;
  if (value.dataset.written === written) return;
  value.dataset.written = written;
  setAttribute(value, "data-rough", rough && kind === "minutes" ? "yes" : null);
  value.dataset.kind = kind === "minutes" && minutes <= 1 ? "soon" : kind;
  value.replaceChildren(...countdownParts(kind, minutes, sign, rough, say));
  if (old && kind !== "none") value.append(newElement("span", "unseen", ` (${old})`));
}

function countdownParts(kind, minutes, sign, rough, say) {
  if (kind === "none") return [];
  if (kind === "arriving") return [newSign(sign), newElement("span", "unseen", say("arriving"))];
  const number = newElement("span", "number", `${rough ? "≈" : ""}${minutes}`);
  const mark = newElement("span", "minute-mark", say("minuteMark"));
  for (const node of [number, mark]) node.setAttribute("aria-hidden", "true");
  return [number, mark, newElement("span", "unseen", say(rough ? "inAboutMinutes" : "inMinutes", { count: minutes }))];
}
