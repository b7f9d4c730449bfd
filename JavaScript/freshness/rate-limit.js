// Reads the rate limit that a server reports (RateLimit header fields for HTTP), in the same way as
// Sources/Engine/FreshnessRuntime/RateLimit+Fields.swift.

const LONGEST_RESET_S = 86_400;
const MOST_REMAINING = 1_000_000_000;

/** Returns `{ remaining, reset }`, the reset in milliseconds, or `null`. Of several limits the tightest counts. */
export function rateLimitOf(headers) {
  const limit = limitOf(headers.get("ratelimit") ?? "");
  if (limit) return limit;
  for (const prefix of ["ratelimit", "x-ratelimit"]) {
    const found = both(whole(headers.get(`${prefix}-remaining`), MOST_REMAINING), untilReset(headers, `${prefix}-reset`));
    if (found) return found;
  }
  return null;
}

function limitOf(value) {
  let tightest = null;
  const older = {};
  for (const item of value.split(",")) {
    const found = {};
    for (const part of item.split(";")) {
      const [key, text] = part.split("=", 2).map((half) => half.trim());
      if (key === "r") found.remaining = whole(text, MOST_REMAINING);
      if (key === "t") found.reset = whole(text, LONGEST_RESET_S);
      if (key === "remaining") older.remaining = whole(text, MOST_REMAINING);
      if (key === "reset") older.reset = whole(text, LONGEST_RESET_S);
    }
    const limit = both(found.remaining, found.reset);
    if (limit && (tightest === null || limit.remaining < tightest.remaining)) tightest = limit;
  }
  return tightest ?? both(older.remaining, older.reset);
}

/** Seconds, or the seconds from `Date` to an instant of Unix time, which some servers send. */
function untilReset(headers, name) {
  const reset = whole(headers.get(name), Number.MAX_SAFE_INTEGER);
  if (reset === null || reset <= LONGEST_RESET_S) return reset;
  const left = reset - Math.floor(Date.parse(headers.get("date") ?? "") / 1000);
  return left >= 0 && left <= LONGEST_RESET_S ? left : null;
}

const both = (remaining, reset) => (remaining == null || reset == null ? null : { remaining, reset: reset * 1000 });

function whole(text, limit) {
  const number = /^\d{1,15}$/.test(text?.trim() ?? "") ? Number(text) : null;
  return number === null || number > limit ? null : number;
}
