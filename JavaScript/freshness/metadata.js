// What a response says about its freshness, in the terms of the refresh machine (engine.md R26, R27, R31).

const MODES = {
  full: "full", degraded_static: "degradedStatic", stale_cache_fallback: "staleCacheFallback",
  static_timeout_fallback: "staticTimeoutFallback",
};
const STATUSES = {
  applied: "applied", partial: "partial", degraded: "partial", mixed: "partial", skipped_budget: "skippedBudget",
  disabled: "disabled", missing_cache: "missingCache", stale_cache: "staleCache", guarded_error: "guardedError",
};

const wordOf = (table, word) => (word == null ? null : Object.hasOwn(table, word) ? table[word] : "unknown");

/** Returns the value on the wire of a mode or a status of the machine. */
export function wireWord(name) {
  if (name == null) return null;
  const known = [...Object.entries(MODES), ...Object.entries(STATUSES)].find(([, machine]) => machine === name);
  return known ? known[0] : "unknown";
}

/** Reads a time in milliseconds. Without an offset it is UTC, as servers mean it, wherever the device is. */
export function instant(text) {
  const time = Date.parse(/[t ][\d:.]+$/i.test(text ?? "") ? `${text}Z` : text ?? "");
  return Number.isNaN(time) ? null : time;
}

/** Returns how far a server's clock may be behind: a text without a fraction, such as `Date`, counts whole seconds (R37). */
export const truncationOf = (text) => (/:\d\d\.\d/.test(String(text)) ? 0 : 999);

/** More milliseconds count as these: 2^31 seconds (RFC 9111 section 1.2.2). */
const LONGEST_MS = 2 ** 31 * 1000;

const bounded = (ms) => Math.max(-LONGEST_MS, Math.min(ms, LONGEST_MS));

function whole(value) {
  return Number.isFinite(value) ? bounded(Math.trunc(value)) : null;
}

/** Returns the freshness metadata of a body: `meta`, and the older `rt` if a server sends no status. */
export function metadataOfBody(body, transit = 0) {
  const meta = body.meta ?? {};
  const serverTime = instant(meta.serverTime);
  return {
    serverTime,
    // Without a time of its own the body counts from `Date`.
    truncation: serverTime === null ? null : truncationOf(meta.serverTime),
    fetchedAt: instant(meta.rtFetchedAt),
    cacheAge: whole(meta.rtCacheAgeMs),
    transit,
    mode: wordOf(MODES, meta.responseMode),
    status: wordOf(STATUSES, meta.rtStatus),
    appliedFlag: typeof body.rt?.applied === "boolean" ? body.rt.applied : null,
    reason: null,
  };
}

/** Returns the freshness metadata of a response without a body, without the time in caches. */
export function metadataOfHead(headers) {
  return {
    serverTime: instant(headers.get("date")),
    truncation: truncationOf(),
    fetchedAt: instant(headers.get("x-md-rt-fetched-at")),
    cacheAge: digitsOf(headers, "x-md-rt-age-ms"),
    status: wordOf(STATUSES, headers.get("x-md-rt-status")),
  };
}

/** Returns when the server made a response, by its own clock: as it says, or the source time and the age that it says. */
function servedAt({ serverTime, truncation, fetchedAt = null, cacheAge = null }, saysTime) {
  if (saysTime) return { time: serverTime, isCut: truncation > 0 };
  return fetchedAt === null || cacheAge === null ? null : { time: fetchedAt + cacheAge, isCut: fetchedAt % 1000 === 0 };
}

/** Returns the number of a field that is 1 to 12 digits, or `null`. */
export function digitsOf(headers, name) {
  const text = headers?.get(name) ?? "";
  return /^\d{1,12}$/.test(text) ? Number(text) : null;
}

/** How far the clocks of a server and of a cache in front of it may differ. */
const CLOCK_DIFFERENCE_MS = 100;

/**
 * Adds the time in intermediate caches: from `Age` (RFC 9111 section 5.1), or as `Date` reveals it (engine.md R37).
 *
 * A cache that forwards responses without `Age` often adds its own `Date`. The server's own time is then older than that,
 * by as long as the response was cached: more than the whole request took, or a second if the server's time may itself be
 * cut. `Date` counts whole seconds, so up to a second and the delay stay unseen.
 *
 * @param {object} metadata - Of the response. Their `serverTime` is that of `Date`, unless `saysTime`.
 * @param {Headers} headers - Its fields.
 * @param {object} options - `taken`: how long the request took, in milliseconds; `saysTime`: whether the server's time is its own.
 */
export function throughCaches(metadata, headers, { taken, saysTime = false }) {
  // RFC 9111 section 5.1: of several members the first one counts.
  const age = /^\s*(\d+)\s*(?:,|$)/.exec(headers.get("age") ?? "");
  // An `Age` of 0 means any time within its second.
  const told = age === null ? 0 : Math.max(bounded(Number(age[1]) * 1000), 1);
  const [date, served] = [instant(headers.get("date")), servedAt(metadata, saysTime)];
  const hidden = date === null || served === null ? 0 : date - served.time;
  const isSeen = hidden >= 1000 || (hidden > taken + CLOCK_DIFFERENCE_MS && !served.isCut);
  if (!isSeen || hidden <= told) return { ...metadata, transit: told };
  // The second that Date covers counts with the time in caches; that of the server's time is between the two.
  return { ...metadata, serverTime: served.time, truncation: 0, transit: bounded(hidden) };
}

/**
 * Returns when the next change is expected, and the period after it over which clients should spread: from the body,
 * else from the response head, where the standard field comes last (R31).
 */
export function hintsOf(body, headers) {
  const hints = {};
  const expected = instant(body?.meta?.nextExpectedAt);
  if (expected !== null) hints.nextExpectedAt = expected;
  const spread = whole(body?.meta?.nextExpectedSpreadMs) ?? digitsOf(headers, "x-md-rt-spread-ms");
  if (spread !== null) hints.spread = Math.max(spread, 0);
  const next = digitsOf(headers, "x-md-rt-next-ms");
  if (next !== null) return { ...hints, maxAge: next };
  const control = headers?.get("cache-control") ?? "";
  const age = /(?:^|,)\s*max-age\s*=\s*"?(\d+)/i.exec(control);
  if (age && Number(age[1]) > 0 && !/no-store|no-cache/i.test(control)) hints.maxAge = bounded(Number(age[1]) * 1000);
  return hints;
}
