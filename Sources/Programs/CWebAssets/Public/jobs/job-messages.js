// Messages about jobs, read tolerantly: what is missing or of another kind is left out, what is unknown is kept as
// such, and no message ends anything. Pure.

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const text = (value) => (typeof value === "string" && value !== "" ? value : null);

/** A number that is whole, also as a text. */
function whole(value) {
  const number = typeof value === "string" && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) ? number : null;
}

function instant(value) {
  const time = typeof value === "number" ? value : Date.parse(text(value) ?? "");
  return Number.isFinite(time) ? time : null;
}

/** Reads a message from a string; `null` if the string is not a message. */
export function readMessage(data) {
  try {
    // A byte order mark does not belong to it.
    return messageOf(JSON.parse(data.replace(/^\uFEFF/, "")));
  } catch {
    return null;
  }
}

/**
 * Reads a message from a value; `null` if the value is not a message.
 *
 * `position`: the event's number, `{ epoch, seq }`, or `null`; `covers`: the first number it covers; `body`: by
 * `kind`: started, progress, snapshot, ended, or other.
 */
export function messageOf(value) {
  if (!isObject(value) || typeof value.type !== "string") return null;
  const payload = isObject(value.payload) ? value.payload : isObject(value.data) ? value.data : value;
  const [epoch, seq] = [whole(value.epoch), whole(value.seq)];
  return {
    type: value.type,
    epoch,
    position: epoch !== null && seq !== null && seq > 0 ? { epoch, seq } : null,
    covers: whole(value.covers),
    body: bodyOf(value.type, payload),
  };
}

/** The fields of a message that the state machine needs; `null` means a message that cannot be read. */
export function factsOf(message) {
  if (!message) return { content: "unreadable" };
  const { position, epoch, covers, body } = message;
  const content = { ended: "ended", snapshot: { content: "snapshot", lastSeq: body.lastSeq, isRecovered: body.isRecovered } }[body.kind] ?? "other";
  return { position, epoch, covers, content };
}

function bodyOf(type, payload) {
  if (type === "job_started") return { kind: "started", total: whole(payload.totalCount) };
  if (type === "job_progress") return { kind: "progress", ...progressOf(payload) };
  if (type === "reconnected") {
    return { kind: "snapshot", state: text(payload.state), lastSeq: whole(payload.lastSeq), isRecovered: payload.recovered === true, ...progressOf(payload) };
  }
  if (type === "job_complete") return { kind: "ended", ending: text(payload.status) ?? "succeeded", ...completionOf(payload) };
  if (type === "error") {
    const nested = isObject(payload.error) ? payload.error : {};
    const failure = { code: text(payload.code) ?? text(nested.code), message: text(payload.message) ?? text(nested.message) };
    return { kind: "ended", ending: "failed", failure, ...completionOf(payload) };
  }
  return { kind: "other" };
}

/** How far a job is; also out of the state of a job. */
export function progressOf(payload) {
  const fraction = Number.isFinite(payload.progress) ? Math.min(Math.max(payload.progress, 0), 1) : null;
  return {
    fraction,
    sentence: text(payload.status),
    processed: whole(payload.processedCount),
    total: whole(payload.totalCount),
    current: text(payload.currentItem),
  };
}

function completionOf(payload) {
  const summary = isObject(payload.summary) ? payload.summary : payload;
  const counts = isObject(payload.counts) ? payload.counts : {};
  return {
    total: whole(summary.totalProcessed),
    successes: whole(summary.successCount),
    failures: whole(summary.failureCount),
    counts: Object.entries(counts).map(([outcome, count]) => [outcome, whole(count)]).filter(([, count]) => count > 0),
    isPartial: payload.partial === true,
    expiresAt: instant(payload.expiresAt),
  };
}

/** A position as it is written in addresses and ids. */
export const positionText = ({ epoch, seq }) => `${epoch}.${seq}`;
