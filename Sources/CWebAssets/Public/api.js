// The server's questions and answers. Every failure is one RequestFailure that says what to do about it.

import { steadyClock } from "./clock.js";

const TIMEOUT_MS = 12_000;
const WORTH_ANOTHER_TRY = new Set([408, 425, 429]);

export class RequestFailure extends Error {
  /** kind: offline, timeout, unreadable, server (worth another try) or rejected (it is not). */
  constructor(kind, { status = null, problem = null, retryAfter = null } = {}) {
    super(kind);
    Object.assign(this, { kind, status, problem, retryAfter });
  }
}

export function wasCancelled(failure) {
  return failure?.name === "AbortError";
}

export function stationboard({ stopId, language, limit }, signal) {
  return ask("/api/stationboard", { stop_id: stopId, lang: language, limit, include_alerts: 1 }, signal, "departures");
}

export function searchStops(query, language, signal) {
  return ask("/api/stops/search", { q: query, limit: 10, lang: language }, signal, "stops");
}

export function stopsNearby({ latitude, longitude }, language, signal) {
  const place = { lat: latitude.toFixed(5), lon: longitude.toFixed(5) };
  return ask("/api/stops/nearby", { ...place, limit: 10, lang: language }, signal, "stops");
}

export function passList(departure, language, signal) {
  const when = { service_date: departure.serviceDate, start_time: departure.startTime };
  return ask(`/api/trips/${encodeURIComponent(departure.trip_id)}`, { ...when, lang: language }, signal, "stops");
}

/** Not from the browser's cache: a revalidated copy would carry the server's time of an earlier answer. */
async function ask(path, parameters, signal, list) {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const askedAt = steadyClock.now();
  try {
    const response = await fetch(address(path, parameters), { signal: bounded, cache: "no-store" });
    const body = await response.json().catch(rethrowUnlessUnreadable);
    if (!response.ok) throw refusal(response, body);
    if (!Array.isArray(body?.[list])) throw new RequestFailure("unreadable");
    return { body, askedAt, answeredAt: steadyClock.now() };
  } catch (failure) {
    throw named(failure, signal);
  }
}

function address(path, parameters) {
  const present = Object.entries(parameters).filter(([, value]) => value != null);
  return `${path}?${new URLSearchParams(present)}`;
}

function rethrowUnlessUnreadable(failure) {
  if (failure instanceof SyntaxError) return null;
  throw failure;
}

function refusal(response, problem) {
  const again = response.status >= 500 || WORTH_ANOTHER_TRY.has(response.status);
  const retryAfter = secondsOf(response.headers.get("Retry-After"));
  return new RequestFailure(again ? "server" : "rejected", { status: response.status, problem, retryAfter });
}

function secondsOf(retryAfter) {
  if (!retryAfter) return null;
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}

function named(failure, signal) {
  if (failure instanceof RequestFailure || signal.aborted) return failure;
  return new RequestFailure(failure.name === "TimeoutError" ? "timeout" : "offline");
}
