// Why a board is empty, and what to do about it. Every answer without rows has a reason.

import { clockTime, dayInWords, minutesInWords } from "../shared/times.js";

export function reasonOfEmptiness(body, { say, locale, zone }) {
  const { reason, window } = body.noService ?? {};
  if (reason === "no_service_in_time_window" && window?.minutes && window.to) return emptyWindow(window, say, zone);
  if (reason === "stop_has_no_departures") return { title: say("emptyNever"), detail: say("emptyNeverDetail") };
  if (reason === "outside_feed_validity") {
    return { title: say("emptyValidity"), detail: say("emptyValidityDetail", validity(body.meta?.timetable, locale)) };
  }
  return { title: say("empty"), detail: say("emptyDetail") };
}

function emptyWindow({ minutes, to }, say, zone) {
  const detail = say("emptyWindowDetail", { time: clockTime(Date.parse(to), zone) });
  return { title: say("emptyWindow", { span: minutesInWords(minutes) }), detail };
}

export function validity(timetable, locale) {
  const inWords = (day) => (day ? dayInWords(day, locale) : "?");
  return { from: inWords(timetable?.validFrom), until: inWords(timetable?.validUntil) };
}

/** The words for a question that the server will not answer however often it is asked; `null` for other failures. */
export function refusalInWords(appearance, problem, stop, say) {
  if (problem?.error === "stop_not_found" || (appearance.failure === "refused" && appearance.failureStatus === 404)) {
    return { title: say("unknownStop"), detail: say("unknownStopDetail", { stop }) };
  }
  if (["refused", "gone", "unauthorised"].includes(appearance.failure)) {
    return { title: say("rejected"), detail: problem?.detail ?? problem?.title ?? "" };
  }
  return null;
}
