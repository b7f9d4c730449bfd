// The questions that are asked once, when a person wants something: stops, and the calls of a trip. The board
// itself is the refresh machine's business (live-board.js).

import { signalWithin } from "../shared/signals.js";

const TIMEOUT_MS = 12_000;

export function wasCancelled(failure) {
  return failure?.name === "AbortError";
}

export function searchStops(query, language, signal) {
  return list("/api/stops/search", { q: query, limit: 10, lang: language }, signal);
}

export function stopsNearby({ latitude, longitude }, language, signal) {
  const place = { lat: latitude.toFixed(5), lon: longitude.toFixed(5) };
  return list("/api/stops/nearby", { ...place, limit: 10, lang: language }, signal);
}

/** The calls of a trip: `{ trip, stops }`. */
export async function passList(departure, language, signal) {
  const when = { service_date: departure.serviceDate, start_time: departure.startTime };
  const body = await ask(`/api/trips/${encodeURIComponent(departure.trip_id)}`, { ...when, lang: language }, signal);
  if (!Array.isArray(body?.stops)) throw new TypeError("the answer has no stops");
  return body;
}

async function list(path, parameters, signal) {
  const body = await ask(path, parameters, signal);
  if (!Array.isArray(body?.stops)) throw new TypeError("the answer has no stops");
  return body.stops;
}

async function ask(path, parameters, signal) {
  const present = Object.entries(parameters).filter(([, value]) => value != null);
  const response = await fetch(`${path}?${new URLSearchParams(present)}`, { signal: signalWithin(TIMEOUT_MS, signal) });
  if (!response.ok) {
    const problem = await response.json().catch(() => null);
    throw Object.assign(new Error(`the server answered ${response.status}`), { status: response.status, error: problem?.error });
  }
  return response.json();
}
