// The age of the data shown, and its sources. Pure: the text depends only on the engine's appearance (R26–R28).

import { clockTime, duration } from "./times.js";

const STATUS_WORDS = {
  partial: "livePartial", skippedBudget: "liveSkipped", disabled: "timetableOnly", missingCache: "liveMissing",
  staleCache: "liveStale", guardedError: "liveError", unknown: "liveUnknown",
};
const MODE_WORDS = {
  degradedStatic: "modeDegraded", staleCacheFallback: "modeCopy", staticTimeoutFallback: "modeTimeout", unknown: "liveUnknown",
};
const FAILURE_WORDS = {
  timedOut: "failedTimeout", unreachable: "failedUnreachable", undecodable: "failedUnreadable", missingBody: "failedUnreadable",
  throttled: "failedBusy", refused: "failedRefused", unauthorised: "failedUnauthorised", gone: "failedGone",
};

/**
 * The line under the station's name.
 *
 * @param {object} facts - `appearance`: what the machine shows; `problem`: the server's message about a failure; `retryIn`:
 *   milliseconds to the next request, or `null`; `saved`: `{ age }` of a board of an earlier visit, in milliseconds,
 *   while no newer one is there; `shownAt`: the time of day of the board shown; `zone`; `coverage`: `meta.rtCoverage` of the
 *   board; `count`: how many departures it has.
 * @returns {{ state: string, title: string, detail: string }} `state`: none, loading, live, ageing, timetable,
 *   reduced, stale, kept, offline, failing, saved or unconfirmed.
 */
export function freshnessLine({ appearance, problem, retryIn, saved, shownAt, zone, coverage, count }, say) {
  if (!appearance) return { state: "none", title: "", detail: "" };
  const age = appearance.label.age ?? saved?.age ?? null;
  const provenance = saved ? "disk" : appearance.label.provenance;
  const facts = { appearance, problem, retryIn, age, provenance, shownAt, zone };
  if (appearance.connectivity === "offline") return line("offline", say("offline"), [aged(facts, say), boardOf(facts, say)]);
  if (appearance.failure) return failing(facts, say);
  if (appearance.revision === null) {
    return saved ? line("saved", aged(facts, say), [say("savedBoard")]) : line("loading", say("loading"), []);
  }
  // R38: what no server said is never live, and is said to be what it is.
  if (provenance === "disk") return line("saved", aged(facts, say), [say("savedBoard")]);
  if (provenance === "local") return line("unconfirmed", say("unconfirmed"), [updated(age, say)]);
  if (appearance.label.isKept) return line("kept", say("kept"), [updated(age, say)]);
  return labelled(appearance, { coverage, count }, say);
}

function line(state, title, details) {
  return { state, title, detail: details.filter(Boolean).join(" · ") };
}

function failing(facts, say) {
  const { appearance, problem, retryIn } = facts;
  // However often it is asked for, it is not there.
  if (problem?.error === "stop_not_found") return line("failing", say("failedNoStop"), [aged(facts, say)]);
  const title = problem?.error === "no_timetable" ? say("failedNoTimetable")
    : say(FAILURE_WORDS[appearance.failure] ?? "failedServer", { status: appearance.failureStatus });
  const next = retryIn === null ? null : retryIn > 500 ? say("tryingAgainIn", { span: duration(Math.ceil(retryIn / 1000)) }) : say("tryingAgainNow");
  return line("failing", title, [aged(facts, say), next]);
}

/** How old it is, and whose it is if it is not the server's (R38). */
function aged({ age, provenance }, say) {
  if (age === null) return null;
  if (provenance === "disk") return say("fromDisk", { age: duration(age / 1000) });
  return provenance === "local" ? say("unconfirmed") : updated(age, say);
}

function boardOf({ age, shownAt, zone }, say) {
  return age === null || shownAt == null ? null : say("boardOf", { time: clockTime(shownAt, zone) });
}

/** R26: the status first, then the mode, then the age. */
function labelled(appearance, board, say) {
  const { marker, badge, age } = appearance.label;
  const ago = [updated(age, say)];
  const status = marker.reduced?.status;
  const known = realtimeLabel(status ?? (marker === "none" || marker.reduced ? null : "applied"), board);
  if (known && known.words !== "live") {
    if (known.state !== "live") return line(known.state, say(known.words), ago);
    if (badge === "unavailable") return line("stale", say("liveOld"), ago);
    return line(badge === "partial" ? "ageing" : "live", say(known.words, known), ago);
  }
  if (status === "disabled") return line("timetable", say("timetableOnly"), [checked(appearance, say)]);
  if (status) return line(status === "partial" || status === "skippedBudget" ? "reduced" : "stale", say(STATUS_WORDS[status] ?? "liveUnknown"), ago);
  if (marker.reduced) return line("reduced", say(MODE_WORDS[marker.reduced.mode] ?? "liveUnknown"), ago);
  if (marker === "none") return line("timetable", say("timetableOnly"), [checked(appearance, say)]);
  if (badge === "live") return line("live", say("live"), ago);
  return badge === "partial" ? line("ageing", say("live"), ago) : line("stale", say("liveOld"), ago);
}

/**
 * The sources of a board, derived from its departures (Sources/Boards/StationboardClient/RealtimeLabel.swift). Old
 * predictions are never labeled as the timetable, and data without realtime is never labeled live.
 */
function realtimeLabel(status, { coverage, count }) {
  if (!coverage) return null;
  const { departures, live, old, tripUpdates, matched, added = 0, withoutEffect = {} } = coverage;
  const fitsNothing = matched === 0 && added === 0 && !withoutEffect.says_nothing && tripUpdates > 0;
  if (status === "applied" || status === "partial") {
    if (live >= departures && live > 0) return { state: "live", words: "live" };
    if (live > 0) return { state: "live", words: "liveFor", live, count: departures };
    if (status === "partial" && fitsNothing) return { state: "reduced", words: "liveNoMatch" };
    if (departures > 0) return { state: "timetable", words: "liveNone" };
    return count > 0 ? { state: "timetable", words: "liveNotYet" } : { state: "live", words: "live" };
  }
  if (live + old === 0) return status === "staleCache" && fitsNothing ? { state: "reduced", words: "liveNoMatch" } : null;
  if (status === "staleCache") return { state: "stale", words: "liveOld" };
  return status === "guardedError" ? { state: "stale", words: "liveOldError" } : null;
}

/** R28: in seconds, minutes and hours, as the machine counts them. */
export function updated(age, say) {
  return age === null ? null : say("updatedAgo", { age: duration(age / 1000) });
}

function checked({ label }, say) {
  return label.age === null ? null : say("checkedAgo", { age: duration(label.age / 1000) });
}
