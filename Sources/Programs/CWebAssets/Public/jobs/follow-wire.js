// Written by Scripts/generate-jobs-wire from Sources/Jobs/JobsWasm/wire.json: the records and choices of the wire form.

export const VERSION = 1;

export const RECORDS = {
  position: { epoch: "integer", seq: "integer" },
  policy: { backoff: "[integer:1-64]", failuresBeforeFallback: "count", retryBestAfter: "integer", pollInterval: "integer", tokenMargin: "integer", silence: "integer", longestReconnection: "integer", attemptsBeforeSkipping: "count" },
  message: { position: "position?", epoch: "integer?", covers: "integer?", at: "integer?", content: "content" },
  creation: { policy: "policy", after: "position?", tokenExpiry: "integer?", transport: "transport" },
  step: { now: "integer", random: "bits", event: "event" },
  orders: { orders: "[order:0-1024]" },
  status: { transport: "transport", position: "position?", isLive: "flag", isOver: "flag" },
};

/** A case is its number, from 1, and its values. */
export const CHOICES = {
  transport: { webSocket: {}, eventStream: {}, polling: {} },
  content: { other: {}, unreadable: {}, snapshot: { lastSeq: "integer?", isRecovered: "flag" }, token: { expiresAt: "integer?" }, ended: {} },
  trouble: { status: { status: "count" }, broken: {}, closed: { code: "code", isLimit: "flag" }, unreadable: {} },
  event: { start: {}, opened: { attempt: "count" }, received: { message: "message", attempt: "count" }, heard: { attempt: "count" }, reconnects: { after: "integer", attempt: "count" }, ended: { trouble: "trouble", attempt: "count" }, polled: { messages: "[message:0-512]", isOver: "flag", attempt: "count" }, unchanged: { attempt: "count" }, pollFailed: { trouble: "trouble", attempt: "count" }, tokenRefreshed: { expiresAt: "integer?" }, tokenNotRefreshed: { trouble: "trouble" }, woke: {} },
  order: { connect: { transport: "transport", after: "position?", attempt: "count" }, disconnect: {}, poll: { after: "position?", attempt: "count" }, refreshToken: {}, wake: { after: "integer" }, deliver: { index: "count" }, deliverEnd: {}, finish: { ending: "ending" } },
  ending: { ended: {}, unknownJob: {}, expired: {}, unauthorized: {} },
};
