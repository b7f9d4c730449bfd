// What a departure says: when it leaves, with what, and what is remarkable about it. Pure functions.

import { clockTime, localDay } from "../shared/times.js";

export const ARRIVING_FROM_SECONDS = 13;
export const DEPARTED_AFTER_SECONDS = 30;
export const LONGEST_COUNTDOWN_MINUTES = 59;

// MARK: Time to departure

export function effectiveDeparture(departure) {
  return Date.parse(departure.realtimeDeparture ?? departure.scheduledDeparture);
}

export function secondsToDeparture(departure, now) {
  return (effectiveDeparture(departure) - now) / 1000;
}

export function hasDeparted(departure, now) {
  return secondsToDeparture(departure, now) < -DEPARTED_AFTER_SECONDS;
}

export function minutesToDeparture(seconds) {
  if (seconds > 60) return Math.ceil(seconds / 60);
  return seconds > 0 ? 1 : 0;
}

/** The text of the last column: none, the arriving sign, or a number of minutes. */
export function countdown(departure, now) {
  if (isOff(departure)) return { kind: "none" };
  const seconds = secondsToDeparture(departure, now);
  if (seconds <= ARRIVING_FROM_SECONDS) return { kind: "arriving" };
  const minutes = minutesToDeparture(seconds);
  return minutes > LONGEST_COUNTDOWN_MINUTES ? { kind: "none" } : { kind: "minutes", minutes };
}

// MARK: Vehicle and line

const TRAIN_CATEGORIES = new Set(["IC", "IR", "EC", "EN", "R", "RE", "S", "SN", "ICE", "TGV", "NJ", "RJ", "RJX", "PE", "GPX"]);
const MODES_OF_ROUTE_TYPES = [
  [2, 2, "train"], [100, 199, "train"], [3, 3, "bus"], [11, 11, "bus"], [200, 299, "bus"], [700, 899, "bus"],
  [0, 0, "tram"], [900, 999, "tram"], [1, 1, "metro"], [400, 699, "metro"], [4, 4, "boat"], [1000, 1099, "boat"],
  [1200, 1299, "boat"], [7, 7, "funicular"], [1400, 1499, "funicular"], [5, 6, "cableway"], [1300, 1399, "cableway"],
];

export function modeOf(departure) {
  const type = departure.routeType;
  const known = MODES_OF_ROUTE_TYPES.find(([first, last]) => type != null && type >= first && type <= last);
  if (known) return known[2];
  return TRAIN_CATEGORIES.has(departure.category) ? "train" : "other";
}

const REGIONAL_CATEGORIES = new Set(["R", "S", "SN"]);

/** A train that stops everywhere, as opposed to a long-distance one. */
export function isRegional(departure) {
  return isTrain(departure) && (REGIONAL_CATEGORIES.has(departure.category) || departure.routeType === 109);
}

export function isTrain(departure) {
  return modeOf(departure) === "train";
}

export function lineName(line) {
  return (line ?? "").trim().replace(/^([A-Za-z]*)0+(?=\d)/, "$1");
}

// MARK: Remarks

const SHOWN_DELAY_FROM_MINUTES = 2;
const EARLY_FROM_SECONDS = -60;
const ON_TIME_BELOW_SECONDS = 30;

/** Whether it is a vehicle of a headway, which has no time of its own in the timetable and so no delay. */
export function isOfHeadway(departure) {
  return departure.certainty === "headway";
}

export function delaySeconds(departure) {
  if (departure.rawDelaySec != null) return departure.rawDelaySec;
  if (departure.realtimeDeparture == null || isOfHeadway(departure)) return null;
  return (Date.parse(departure.realtimeDeparture) - Date.parse(departure.scheduledDeparture)) / 1000;
}

/** The server's minutes are the authority; seconds are only rounded here when it sent none. */
export function delayMinutes(departure) {
  if (departure.displayedDelayMin != null) return departure.displayedDelayMin;
  if (departure.delayMin != null) return departure.delayMin;
  const seconds = delaySeconds(departure);
  return seconds == null ? null : minutesOfDelay(seconds, isTrain(departure));
}

/** Seconds of delay in minutes, rounded as the server does it (Sources/Boards/StationboardServer/Board/DelayReading.swift). */
export function minutesOfDelay(seconds, ofTrain) {
  if (seconds < 0) return Math.ceil(seconds / 60) || 0;
  const minutes = seconds < ON_TIME_BELOW_SECONDS ? 0 : Math.ceil(seconds / 60);
  return ofTrain && minutes === 1 ? 0 : minutes;
}

/** Whether a delay is worth a word: as a row of a board says it, so do the calls of a trip. */
export function isWorthSaying(seconds, minutes) {
  return seconds <= EARLY_FROM_SECONDS || minutes >= SHOWN_DELAY_FROM_MINUTES;
}

/** When it leaves in whole minutes: the scheduled minute and the delay in minutes, so that the two never contradict each other. */
export function expectedMinute(scheduled, minutes) {
  return (Math.floor(scheduled / 60_000) + minutes) * 60_000;
}

export function isCancelled(departure) {
  return Boolean(departure.cancelled);
}

/** The trip runs, but it does not stop here. */
export function isSkipped(departure) {
  return departure.status === "SKIPPED_STOP" || departure.stopEvent === "SKIPPED" || hasFlag(departure, "STOP_SKIPPED");
}

/** Whether boarding is not possible here. */
export function isOff(departure) {
  return isCancelled(departure) || isSkipped(departure);
}

function hasFlag(departure, flag) {
  return departure.flags?.includes(flag) ?? false;
}

/** Whether realtime says when it leaves. */
export function isPredicted(departure) {
  return departure.realtimeDeparture != null && !isOff(departure);
}

const FRESHNESS = ["fresh", "ageing", "stale"];
const FRESH_UP_TO_SECONDS = 45;
const AGEING_UP_TO_SECONDS = 180;

/**
 * How far the prediction of a departure can be trusted: fresh, ageing, stale, or `null` without a prediction.
 *
 * Starts from the server's value and lowers it as time passes: a page without a connection ages its board itself.
 */
export function freshnessOf(departure, now) {
  if (!isPredicted(departure)) return null;
  const said = Math.max(FRESHNESS.indexOf(departure.realtimeFreshness), 0);
  const age = ageOfPrediction(departure, now);
  const aged = age === null || age <= FRESH_UP_TO_SECONDS ? 0 : age <= AGEING_UP_TO_SECONDS ? 1 : 2;
  return FRESHNESS[Math.max(said, aged)];
}

/** Seconds since the source knew it; `null` if it does not say. */
export function ageOfPrediction(departure, now) {
  const known = Date.parse(departure.realtimeAt ?? "");
  return Number.isNaN(known) ? null : (now - known) / 1000;
}

/** { kind: cancelled | skipped | early | late | delayed | none, minutes }: one of them, the gravest. */
export function punctuality(departure) {
  if (isCancelled(departure)) return { kind: "cancelled" };
  if (isSkipped(departure)) return { kind: "skipped" };
  const seconds = delaySeconds(departure);
  if (seconds != null && seconds <= EARLY_FROM_SECONDS) return { kind: "early" };
  const minutes = delayMinutes(departure);
  if (minutes == null || minutes < SHOWN_DELAY_FROM_MINUTES) return { kind: "none" };
  return isTrain(departure) ? { kind: "late", minutes } : { kind: "delayed", minutes };
}

/** Whether the timetable has no time of the stop to the minute. */
export function isRough(departure) {
  const { certainty, uncertaintySec, realtimeDeparture } = departure;
  return certainty === "interpolated" || (isOfHeadway(departure) && realtimeDeparture == null) || uncertaintySec > 0;
}

/** How far off a time of the timetable may be, in words; `null` if it is exact or nothing bounds it. */
export function uncertainty({ uncertaintySec }, say) {
  return uncertaintySec > 0 ? `± ${Math.ceil(uncertaintySec / 60)} ${say("minuteMark")}` : null;
}

/** Minutes between vehicles, where that is all the timetable says; else `null`. */
export function headwayMinutes(departure) {
  return departure.headwaySec > 0 ? Math.max(1, Math.round(departure.headwaySec / 60)) : null;
}

/** The word for what the vehicle of a departure says: that it is here, or has hardly room; `null` for anything else. */
export function vehicleWord({ vehicle, occupancy }) {
  const at = vehicle?.stopsAway === 0 ? vehicle.status : "";
  // How full it leaves here is more than how full it is now.
  const load = occupancy ?? vehicle?.occupancy ?? "";
  return at === "STOPPED_AT" || at === "INCOMING_AT" ? at : /^FULL|NOT_A/.test(load) ? "FULL" : /STANDING/.test(load) ? "STANDING" : null;
}

/**
 * How boarding is arranged: with the time until which a call is of use if that is today, and with the number; or that it is too late.
 *
 * @returns {{ text: string, name?: string, short?: string }}
 */
export function boardingInWords({ boarding, booking }, { say, now, zone }) {
  const until = boarding === "phone_agency" ? Date.parse(booking?.bookBy) : NaN;
  if (until <= now) return { text: say("bookingClosed") };
  const short = say(`boarding-${boarding}`);
  const text = until > now && localDay(until, zone) === localDay(now, zone) ? say("phoneBefore", { time: clockTime(until, zone) }) : short;
  return { text, short, name: booking?.phone ? `${text} · ${booking.phone}` : undefined };
}

/** What else is remarkable: replacement, extra, detour, shortTurn. */
export function peculiarities(departure) {
  return [
    departure.replacementType || hasFlag(departure, "REPLACEMENT_SERVICE") ? "replacement" : null,
    hasFlag(departure, "EXTRA_SERVICE") ? "extra" : null,
    hasFlag(departure, "DETOUR") ? "detour" : null,
    hasFlag(departure, "SHORT_TURN") || hasFlag(departure, "SHORT_TURN_TERMINUS") ? "shortTurn" : null,
  ].filter(Boolean);
}
