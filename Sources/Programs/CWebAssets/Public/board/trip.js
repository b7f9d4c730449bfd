// The calls of one departure, in a dialog: where it has been, where it is now, where it goes.

import { passList, wasCancelled } from "./api.js";
import { badgeColours } from "./colours.js";
import { boardingInWords, delayMinutes, delaySeconds, expectedMinute, isOff, isRough, isTrain, isWorthSaying, lineName, minutesOfDelay, uncertainty } from "./departure.js";
import { element, makeDialog, newElement, paintBadge, setText } from "../shared/dom.js";
import { clockTime, dayInWords, duration } from "../shared/times.js";
import { sentences } from "../messages/messages.js";
import tripMessages from "../messages/trip.js";
import { remarksOf } from "./rows.js";

export class TripDialog {
  #dialog = makeDialog(element("trip"));
  #stops = element("trip-stops");
  #request = null;

  constructor(page) {
    this.page = page;
    this.#dialog.addEventListener("close", () => this.#closed());
  }

  /** Makes messages, those of trips included. */
  get #say() {
    const { language, messages } = this.page;
    return sentences(language, { ...messages, ...tripMessages[language] });
  }

  close() {
    if (this.#dialog.open) this.#dialog.close();
  }

  async open(departure, pane) {
    const { language } = this.page;
    const say = this.#say;
    this.pane = pane;
    this.#showHead(departure, pane);
    if (!this.#dialog.open) this.#dialog.showModal();
    pane.settings.trip = departure.key;
    this.page.settingsChanged();
    this.#request?.abort();
    const request = (this.#request = new AbortController());
    try {
      const journey = await passList(departure, language, request.signal);
      if (!request.signal.aborted) this.#showStops(journey, departure, pane);
    } catch (failure) {
      if (!request.signal.aborted && !wasCancelled(failure)) setText(element("trip-message"), say(failure.status === 404 ? "tripUnknown" : "tripFailed"));
    }
  }

  #closed() {
    // The browser says it a moment later: by then the dialog may be open for another trip.
    if (this.#dialog.open) return;
    this.#request?.abort();
    if (this.pane) this.pane.settings.trip = null;
    this.page.settingsChanged();
  }

  #showHead(departure, pane) {
    const { locale } = this.page;
    const say = this.#say;
    setText(element("trip-badge"), lineName(departure.line) || "–");
    paintBadge(element("trip-badge"), badgeColours(departure));
    setText(element("trip-destination"), departure.destination ?? "");
    const day = departure.serviceDate ? say("tripNote", { day: dayInWords(departure.serviceDate, locale) }) : "";
    const number = departure.tripShortName ? say("tripNumber", { number: departure.tripShortName }) : "";
    setText(element("trip-note"), [number, day, departure.operator].filter(Boolean).join(" · "));
    const remarks = remarksOf(departure, { say, now: pane.clock.now(), zone: pane.zone }).map(({ kind, text, name }) => newElement("span", `pill ${kind}`, name ?? text));
    element("trip-remarks").replaceChildren(...remarks);
    const alerts = (departure.alerts ?? []).map((alert) => newAlert(alert, say));
    element("trip-alerts").replaceChildren(...alerts);
    setText(element("trip-message"), say("tripLoading"));
    this.#stops.replaceChildren();
    element("trip-destination").dataset.stop = pane.name;
  }

  #showStops({ trip, stops }, departure, pane) {
    const vehicle = trip?.vehicle ?? null;
    setText(element("trip-message"), "");
    const words = vehicleInWords(vehicle, this.#say, pane.clock.now());
    if (words) element("trip-note").append(newElement("br"), words);
    const here = stops.findIndex((stop) => stop.stop_sequence === departure.stop_sequence);
    const context = { say: this.#say, zone: pane.zone, now: pane.clock.now(), departure, here, count: stops.length,
      isCancelled: trip?.cancelled === true, vehicle };
    this.#stops.classList.toggle("rough", stops.some(isRoughHere));
    this.#stops.replaceChildren(...stops.map((stop, index) => stopItem(stop, index, context)));
    // Behind the last stop: passengers may stay in the vehicle.
    this.#stops.lastElementChild?.querySelector(".stop-note").append(...continuations(trip, this.#say));
    this.#stops.children[here]?.scrollIntoView({ block: "center" });
  }
}

/** The trips that the vehicle runs next, a line for each. */
function continuations(trip, say) {
  return (trip?.continuesAs ?? []).map(({ line, destination }) =>
    newElement("span", "stop-next", say(destination ? "continuesTo" : "continuesAs", { line: lineName(line) || "–", destination })));
}

/** How full the vehicle is, whole and by carriage, who can board, and how long ago that was known. */
function vehicleInWords(vehicle, say, now) {
  if (!vehicle) return "";
  const carriages = vehicle.carriages.map((one, index) => ({ label: one.label ?? String(index + 1), load: load(one, say) })).filter((one) => one.load);
  return [
    load(vehicle, say), ...carriages.map((one) => say("carriage", one)),
    vehicle.wheelchair === null ? "" : say(vehicle.wheelchair ? "wheelchair" : "noWheelchair"),
    say("seen", { age: duration((now - Date.parse(vehicle.seenAt)) / 1000) }),
  ].filter(Boolean).join(" · ");
}

function load({ occupancy, occupancyPercent }, say) {
  const percent = occupancyPercent === null ? "" : `${occupancyPercent}\u00a0%`;
  return occupancy === null ? percent : [say(`load-${occupancy}`), percent && `(${percent})`].filter(Boolean).join(" ");
}

const VEHICLE = { STOPPED_AT: "vehicleAt", INCOMING_AT: "vehicleComes", IN_TRANSIT_TO: "vehicleLeft" };

/** An alert with links to what its agency says and shows elsewhere: nothing is fetched from there before a link is followed. */
function newAlert({ header, description, causeDetail, effectDetail, url, image }, say) {
  const alert = newElement("div", "trip-alert");
  if (header) alert.append(newElement("strong", "", header));
  if (description && description !== header) alert.append(newElement("p", "", description));
  // In the agency's own words.
  const details = [effectDetail, causeDetail].filter((detail) => detail && detail !== header && detail !== description);
  if (details.length > 0) alert.append(newElement("p", "", details.join(" · ")));
  const text = image?.alternativeText;
  const links = [[url, say("alertLink")], [image?.url, text ? say("alertPictureOf", { text }) : say("alertPicture")]];
  for (const [address, words] of links) if (/^https?:/i.test(address ?? "")) alert.append(newLink(address, words));
  return alert;
}

/** A link to another site, which receives no referrer. */
function newLink(address, words) {
  const [line, link] = [newElement("p"), newElement("a", "", words)];
  Object.assign(link, { href: address, target: "_blank", rel: "noopener noreferrer" });
  line.append(link);
  return line;
}

function stopItem(stop, index, { say, now, zone, departure, here, count, isCancelled, vehicle }) {
  const item = newElement("li", index < here ? "before" : "");
  const isHere = index === here;
  // A trip that the timetable lacks has predictions only.
  const scheduled = stop.scheduledDeparture ?? stop.scheduledArrival ?? stop.realtimeDeparture ?? stop.realtimeArrival;
  // The calls carry realtime where the server has it; of this stop the board knows in any case.
  const expected = (isHere ? departure.realtimeDeparture : null) ?? stop.realtimeDeparture ?? stop.realtimeArrival ?? null;
  const time = newElement("time", "", scheduled ? `${isRoughHere(stop) ? "≈" : ""}${clockTime(Date.parse(scheduled), zone)}` : "");
  time.dateTime = scheduled ?? "";
  const name = newElement("span", "stop-name", stop.name ?? "");
  const platform = newElement("span", "stop-platform", (isHere ? departure.platform : null) ?? stop.platform ?? "");
  item.append(time, name, platform, newElement("span", "stop-note", notesOf(stop, index, count, { say, now, zone, vehicle, booking: isHere ? departure.booking : null }).join(" · ")));
  if (isCancelled || (isHere && isOff(departure)) || stop.stopEvent === "SKIPPED") item.classList.add("off");
  else if (expected && scheduled) item.append(...expectation(Date.parse(scheduled), Date.parse(expected), { say, zone, departure, isHere }));
  if (isHere) markHere(item, say);
  return item;
}

/** As on the board: the timetable has no time of the stop, or none to the minute. */
function isRoughHere(stop) {
  return isRough(stop) && Boolean(stop.scheduledDeparture ?? stop.scheduledArrival);
}

/** The expected time, in the board's minutes: rounded once, and shown only for delays that a board would show. */
function expectation(scheduled, expected, { say, zone, departure, isHere }) {
  const seconds = (isHere ? delaySeconds(departure) : null) ?? (expected - scheduled) / 1000;
  const minutes = (isHere ? delayMinutes(departure) : null) ?? minutesOfDelay(seconds, isTrain(departure));
  if (!isWorthSaying(seconds, minutes)) return [];
  const time = clockTime(expectedMinute(scheduled, minutes), zone);
  return [newElement("span", `stop-expected ${minutes < 0 ? "early" : "late"}`, say("expectedAt", { time }))];
}

function notesOf(stop, index, count, { say, now, zone, vehicle, booking }) {
  const isLast = index === count - 1;
  return [
    waits(stop) && !isLast ? say("arrives", { time: clockTime(Date.parse(stop.scheduledArrival), zone) }) : null,
    vehicle?.status && vehicle.stop_sequence === stop.stop_sequence ? say(VEHICLE[vehicle.status]) : null,
    uncertainty(stop, say),
    predictionError(stop, say),
    stop.occupancy && !isLast ? say(`load-${stop.occupancy}`) : null,
    stop.boarding && !isLast ? boardingInWords({ boarding: stop.boarding, booking }, { say, now, zone }).text : null,
    stop.pickup === false && !isLast ? say("alightingOnly") : null,
    stop.dropOff === false && index > 0 ? say("boardingOnly") : null,
  ].filter(Boolean);
}

/** By how much a prediction may be off, from a minute on. */
function predictionError({ predictionUncertaintySec: seconds }, say) {
  return seconds >= 60 ? say("predictionError", { minutes: Math.ceil(seconds / 60) }) : null;
}

function waits(stop) {
  if (!stop.scheduledArrival || !stop.scheduledDeparture) return false;
  return Date.parse(stop.scheduledDeparture) - Date.parse(stop.scheduledArrival) >= 120_000;
}

function markHere(item, say) {
  item.classList.add("here");
  item.setAttribute("aria-current", "location");
  item.append(newElement("span", "unseen", ` (${say("thisStop")})`));
}
