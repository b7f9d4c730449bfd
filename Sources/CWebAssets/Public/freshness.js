// How old what is shown is, and what it rests on. Pure: the sentence follows from the facts it is given.

import { clockTime, duration } from "./format.js";

const LIVE_FOR_SECONDS = 45;
const REDUCED_BECAUSE = {
  skipped_budget: "liveSkipped", missing_cache: "liveMissing", stale_cache: "liveStale", guarded_error: "liveError",
};
const FAILED_BECAUSE = { offline: "failedOffline", timeout: "failedTimeout", unreadable: "failedUnreadable" };

/** The state in one word: loading, timetable, live, reduced or failing. */
export function stateOf({ meta, age, failure }) {
  if (failure) return "failing";
  if (!meta) return "loading";
  if (meta.responseMode && meta.responseMode !== "full") return "reduced";
  if (meta.rtStatus === "disabled") return "timetable";
  return meta.rtStatus === "applied" && liveAge(meta, age) <= LIVE_FOR_SECONDS ? "live" : "reduced";
}

/** { state, title, detail } of the line under the station's name. */
export function freshnessLine(facts, say) {
  const state = stateOf(facts);
  if (state === "failing") return { state, title: failureTitle(facts.failure, say), detail: failureDetail(facts, say) };
  if (state === "loading") return { state, title: say("loading"), detail: "" };
  return { state, title: title(state, facts, say), detail: say("checked", { age: duration(facts.age) }) };
}

function liveAge(meta, age) {
  return (meta.rtPollAgeMs ?? meta.rtCacheAgeMs ?? 0) / 1000 + age;
}

function title(state, { meta, age }, say) {
  if (state === "live") return say("live");
  if (state === "timetable") return say("timetableOnly");
  if (meta.rtStatus === "applied" && liveAge(meta, age) > LIVE_FOR_SECONDS) {
    return say("liveAgeing", { age: duration(liveAge(meta, age)) });
  }
  if (meta.rtStatus in REDUCED_BECAUSE) return say(REDUCED_BECAUSE[meta.rtStatus]);
  return say("reduced");
}

function failureTitle(failure, say) {
  if (failure.problem?.error === "no_timetable") return say("failedNoTimetable");
  if (failure.status === 429) return say("failedBusy");
  return failure.kind in FAILED_BECAUSE ? say(FAILED_BECAUSE[failure.kind]) : say("failedServer", { status: failure.status });
}

function failureDetail({ meta, age, answeredAt, zone, retryIn }, say) {
  const shown = meta ? say("showingBoardOf", { time: clockTime(answeredAt, zone), age: duration(age) }) : "";
  const next = retryIn > 0 ? say("tryingAgainIn", { span: duration(Math.ceil(retryIn)) }) : say("tryingAgainNow");
  return [shown, next].filter(Boolean).join(" · ");
}
