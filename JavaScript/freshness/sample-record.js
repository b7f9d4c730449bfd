// A sample of the refresh machine as a line of JSON Lines: the same members, in the same order, as the
// exports of the native clients (Sources/Engine/FreshnessRuntime/SampleRecord.swift), so that one report reads both.

import { wireWord } from "./marks.js";

const ORIGINS = { catchUp: "catch_up" };
const OUTCOMES = { serverError: "server_error", timedOut: "timed_out" };

/** The age on arrival, as the machine counts it (engine.md R26, R27). */
export function ageAtArrival({ cacheAge, serverTime, fetchedAt, transit }) {
  if (cacheAge !== null) return Math.max(cacheAge, 0) + transit;
  if (serverTime === null || fetchedAt === null) return null;
  return Math.max(serverTime - fetchedAt, 0) + transit;
}

function statusOf({ status, appliedFlag, reason }) {
  return status ?? (appliedFlag === true ? "applied" : reason);
}

/**
 * The record of a sample.
 *
 * @param {object} sample - As the machine gives it.
 * @param {string} resource - Method and address.
 * @param {number} origin - The wall time at which the steady clock was 0.
 * @param {object} evidence - What makes it checkable: `origin` (why it was asked), `asked`, `answered` (the stop),
 *   `requestId`, `entityTag`, `receipt`, `digest`.
 */
export function sampleRecord(sample, resource, origin, evidence = {}) {
  const { marks, context } = sample;
  return {
    resource,
    context: `${context.question}.${context.identity}`,
    generation: sample.generation,
    origin: ORIGINS[evidence.origin] ?? evidence.origin ?? null,
    asked: evidence.asked ?? null,
    answered: evidence.answered ?? null,
    requestId: evidence.requestId ?? null,
    entityTag: evidence.entityTag ?? null,
    receipt: evidence.receipt ?? null,
    digest: evidence.digest ?? null,
    startedAt: Math.round(origin + sample.startedAt),
    endedAt: Math.round(origin + sample.endedAt),
    durationMs: sample.duration,
    status: sample.status,
    outcome: OUTCOMES[sample.outcome] ?? sample.outcome,
    verdict: sample.verdict,
    serverTime: marks.serverTime,
    rtFetchedAt: marks.fetchedAt,
    rtCacheAgeMs: marks.cacheAge,
    ageMs: ageAtArrival(marks),
    responseMode: wireWord(marks.mode),
    rtStatus: wireWord(statusOf(marks)),
    skewMs: sample.skew,
    bytes: sample.bytes,
    conditional: sample.isConditional,
    changed: sample.isChange,
    changeToScreenMs: sample.changeToScreen,
    cadenceMs: sample.cadence,
  };
}

/** The record as one line, without a line end; what is not known is left out. */
export function recordLine(record) {
  const known = Object.entries(record).filter(([, value]) => value !== null);
  return JSON.stringify(Object.fromEntries(known));
}
