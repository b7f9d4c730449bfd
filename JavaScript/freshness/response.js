// One request to the server, and the meaning of its response for the refresh machine (engine.md R21). Never throws: a
// failure is a response too.

import { contentDigest } from "./content-digest.js";
import { digitsOf, hintsOf, metadataOfBody, metadataOfHead, throughCaches } from "./metadata.js";
import { rateLimitOf } from "./rate-limit.js";

/** More seconds of Retry-After count as these; the policy's cap is far below. */
const LONGEST_PAUSE_S = 999_999_999;
/** The maximum size of a body, in characters. */
const LARGEST_BODY = 8_000_000;

/**
 * Requests a resource.
 *
 * @param {() => string} address - Returns the URL.
 * @param {object} options - `tag`: the entity tag of the current copy, or `null`; `wait`: seconds the server may
 *   wait for a change, or `null`; `signal`: cancels the request; `now`: the monotonic clock; `fields`: returns further
 *   fields of the request; `read`: reads a document, as `readAnswer`; `ownsTime`: whether the copy itself says when it was made;
 *   `send`: as `fetch`.
 * @returns {Promise<object>} `outcome`, `isSent`: whether the request was made at all, `status`, `bytes`, `metadata`, `hints`, `body`, `tag`, `problem`, `reason`,
 *   `askedAt`, `answeredAt`, and `evidence` for a record of it.
 */
export async function ask(address, { tag, wait, signal, now, fields = () => ({}), read: readDocument = readAnswer, ownsTime = false, send = fetch }) {
  const askedAt = now();
  const received = { outcome: "unreachable", isSent: false, status: 0, bytes: 0, metadata: {}, hints: {}, body: null, tag: null, problem: null, evidence: {} };
  try {
    const headers = { ...fields(), Accept: "application/json", "Cache-Control": "no-cache" };
    if (tag !== null) headers["If-None-Match"] = tag;
    if (wait !== null) headers.Prefer = `wait=${wait}`;
    const url = address();
    received.isSent = true;
    // Not from the browser's cache: a copy that it confirms itself would have an earlier server time.
    const response = await send(url, { headers, signal, cache: "no-store" });
    await read(response, received, { sentTag: tag, readDocument, ownsTime, taken: now() - askedAt, now });
  } catch (failure) {
    if (signal.aborted) received.outcome = "cancelled";
    else received.reason = String(failure?.message ?? failure).slice(0, 200);
  }
  return { ...received, askedAt, answeredAt: received.answeredAt ?? now() };
}

async function read(response, received, { sentTag, readDocument, ownsTime, taken, now }) {
  const { status, headers } = response;
  received.status = status;
  const ofHead = metadataOfHead(headers);
  received.metadata = throughCaches(ofHead, headers, { taken });
  received.hints = hintsOf(null, headers);
  received.rateLimit = rateLimitOf(headers);
  received.evidence = {
    requestId: headers.get("x-md-request-id") ?? headers.get("x-request-id"),
    entityTag: headers.get("etag"),
    receipt: headers.get("x-md-receipt"),
  };
  if (status === 304 || status === 204) {
    received.outcome = "unchanged";
    // The fields describe the server's own copy.
    if (ownsTime) Object.assign(received.metadata, { fetchedAt: null, cacheAge: null });
    received.isOfAnotherCopy = status === 304 && sentTag !== null && !confirms(headers.get("etag"), sentTag);
    return;
  }
  const text = await response.text();
  // What follows is decoding.
  received.answeredAt = now();
  received.bytes = digitsOf(headers, "content-length") || text.length;
  if (text !== "") received.evidence.digest = contentDigest(text);
  const document = text.length <= LARGEST_BODY ? parsed(text) : null;
  received.outcome = outcomeOf(status, headers);
  if (received.outcome !== "content") {
    received.problem = document;
    received.retryAfter = received.outcome === "throttled" ? retryAfter(headers) : null;
    return;
  }
  const found = document === null ? null : readDocument(document, headers);
  if (found === null || found.unreadable !== undefined) {
    received.outcome = "undecodable";
    received.reason = found?.unreadable ?? (document === null ? "no JSON" : "not what was asked for");
    return;
  }
  received.body = found.body;
  received.evidence.answered = found.answered ?? null;
  received.tag = found.tag;
  const saysTime = (found.metadata?.serverTime ?? null) !== null;
  received.metadata = throughCaches({ ...ofHead, ...found.metadata }, headers, { taken, saysTime });
  received.hints = { ...received.hints, ...found.hints };
}

/** Reads a document: `body`, `tag`, `metadata`, `hints`. Its `meta` has its freshness, if present. */
export function readAnswer(document, headers) {
  return {
    body: document,
    tag: headers.get("etag") ?? document.meta?.entityTag ?? null,
    metadata: definite(metadataOfBody(document)),
    hints: hintsOf(document, null),
  };
}

function definite(values) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns whether a 304 refers to the current copy: weak comparison (RFC 9110 section 8.8.3.2). */
function confirms(answered, sent) {
  const opaque = (tag) => tag.trim().replace(/^W\//, "");
  return answered === null || opaque(answered) === opaque(sent);
}

/** Returns the outcome of a status in the engine's terms (R21). */
export function outcomeOf(status, headers) {
  if (status === 206 || status < 200 || (status >= 300 && status < 400)) return "undecodable";
  if (status < 300) return "content";
  if ([401, 403, 407].includes(status)) return "unauthorised";
  if (status === 408) return "timedOut";
  if (status === 410) return "gone";
  if (status === 429 || (status === 503 && retryAfter(headers) !== null)) return "throttled";
  if (status === 421 || status === 425) return "serverError";
  return status < 500 ? "refused" : "serverError";
}

/** Reads Retry-After for the machine: seconds, or a date on the server's clock (RFC 9110 section 10.2.3). */
export function retryAfter(headers) {
  const text = headers.get("retry-after")?.trim();
  if (!text) return null;
  if (/^\d+$/.test(text)) return { seconds: Math.min(Number(text), LONGEST_PAUSE_S) };
  // Browsers read "1.5" as a date too.
  const date = /[a-z]/i.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? null : { date };
}
