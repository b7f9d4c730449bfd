// The pass list of one departure, in a dialog.

import { passList, wasCancelled } from "./api.js";
import { element, newElement, paintBadge, setText } from "./dom.js";
import { badgeColours, clockTime, dayInWords, lineName } from "./format.js";

export class TripDialog {
  #dialog = element("trip");
  #stops = element("trip-stops");
  #asking = null;

  constructor() {
    element("trip-close").addEventListener("click", () => this.#dialog.close());
    this.#dialog.addEventListener("click", (event) => event.target === this.#dialog && this.#dialog.close());
    this.#dialog.addEventListener("close", () => this.#asking?.abort());
  }

  close() {
    if (this.#dialog.open) this.#dialog.close();
  }

  async open(departure, context) {
    this.#showHead(departure, context);
    this.#dialog.showModal();
    this.#asking?.abort();
    this.#asking = new AbortController();
    try {
      const { body } = await passList(departure, context.language, this.#asking.signal);
      this.#showStops(body.stops, departure, context);
    } catch (failure) {
      if (!wasCancelled(failure)) setText(element("trip-message"), context.say("tripFailed"));
    }
  }

  #showHead(departure, { say, locale }) {
    setText(element("trip-badge"), lineName(departure.line) || "–");
    paintBadge(element("trip-badge"), badgeColours(departure));
    setText(element("trip-destination"), departure.destination ?? "");
    const note = departure.serviceDate ? say("tripNote", { day: dayInWords(departure.serviceDate, locale) }) : "";
    setText(element("trip-note"), [note, departure.operator].filter(Boolean).join(" · "));
    setText(element("trip-message"), say("tripLoading"));
    this.#stops.replaceChildren();
  }

  #showStops(stops, departure, context) {
    setText(element("trip-message"), "");
    const here = stops.findIndex((stop) => isHere(stop, departure));
    this.#stops.replaceChildren(...stops.map((stop, index) => stopItem(stop, index, here, stops.length, context)));
    this.#stops.children[here]?.scrollIntoView({ block: "center" });
  }
}

function isHere(stop, departure) {
  return stop.stop_sequence === departure.stop_sequence;
}

function stopItem(stop, index, here, count, { say, zone }) {
  const item = newElement("li", index < here ? "before" : "");
  const time = newElement("time", "", timeOf(stop, zone));
  time.dateTime = stop.scheduledDeparture ?? stop.scheduledArrival ?? "";
  item.append(time, newElement("span", "stop-name", stop.name ?? ""), ...stopNotes(stop, index, count, { say, zone }));
  if (index === here) markHere(item, say);
  return item;
}

function timeOf(stop, zone) {
  const instant = stop.scheduledDeparture ?? stop.scheduledArrival;
  return instant ? clockTime(Date.parse(instant), zone) : "";
}

function stopNotes(stop, index, count, { say, zone }) {
  const isLast = index === count - 1;
  const notes = [
    waits(stop) && !isLast ? say("arrives", { time: clockTime(Date.parse(stop.scheduledArrival), zone) }) : null,
    stop.pickup === false && !isLast ? say("alightingOnly") : null,
    stop.dropOff === false && index > 0 ? say("boardingOnly") : null,
  ].filter(Boolean);
  const platform = newElement("span", "stop-platform", stop.platform ?? "");
  return [platform, newElement("span", "stop-note", notes.join(" · "))];
}

function waits(stop) {
  if (!stop.scheduledArrival || !stop.scheduledDeparture) return false;
  return Date.parse(stop.scheduledDeparture) - Date.parse(stop.scheduledArrival) >= 120_000;
}

function markHere(item, say) {
  item.className = "here";
  item.setAttribute("aria-current", "location");
  item.append(newElement("span", "unseen", ` (${say("thisStop")})`));
}
