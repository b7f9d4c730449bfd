// A sample of the refresh machine as a line of JSON Lines: the same members, in the same order, as the
// exports of the native clients (Sources/Engine/FreshnessRuntime/SampleRecord.swift), so that one report reads both.

import { wireWord } from "./metadata.js";

const REASONS = { catchUp: "catch_up" };
const OUTCOMES = { serverError: "server_error", timedOut: "timed_out" };

/** Returns the age on received, as the machine computes it (engine.md R26, R27). */
export function ageAtArrival({ cacheAge, serverTime, fetchedAt, transit }) {
  if (cacheAge !== null) return Math.max(cacheAge, 0) + transit;
  if (serverTime === null || fetchedAt === null) return null;
  return Math.max(serverTime - fetchedAt, 0) + transit;
}

function statusOf({ status, appliedFlag, reason }) {
  return status ?? (appliedFlag === true ? "applied" : reason);
}

/**
 * Returns the record of a sample.
 *
 * @param {object} sample - As reported by the machine.
 * @param {string} resource - The method and the URL.
 * @param {number} origin - The wall time at which the monotonic clock was 0.
 * @param {object} evidence - `reason` of the request, `asked`, `answered` (the stop),
 *   `requestId`, `entityTag`, `receipt`, `digest`.
 */
export function sampleRecord(sample, resource, origin, evidence = {}) {
  const { metadata, context } = sample;
  return {
    resource,
    context: `${context.question}.${context.identity}`,
    generation: sample.generation,
    origin: REASONS[evidence.reason] ?? evidence.reason ?? null,
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
    serverTime: metadata.serverTime,
    rtFetchedAt: metadata.fetchedAt,
    rtCacheAgeMs: metadata.cacheAge,
    ageMs: ageAtArrival(metadata),
    responseMode: wireWord(metadata.mode),
    rtStatus: wireWord(statusOf(metadata)),
    skewMs: sample.skew,
    bytes: sample.bytes,
    conditional: sample.isConditional,
    changed: sample.isChange,
    changeToScreenMs: sample.changeToScreen,
    cadenceMs: sample.cadence,
  };
}

/** Returns the record as one line, without a line end; unknown members are omitted. */
export function recordLine(record) {
  const known = Object.entries(record).filter(([, value]) => value !== null);
  return JSON.stringify(Object.fromEntries(known));
}
