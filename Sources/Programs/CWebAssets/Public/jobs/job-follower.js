// Follows one job to its end as a value: what happens and a moment go in, orders come out. The rules are those of
// the native clients (Sources/Jobs/Jobs/Machines/JobFollower.swift): each event at most once and in order, the end
// exactly once; what was lost is asked for again, and what is missing or unreadable every time is passed over; a
// transport that never opens gives way to the next one; a token is renewed beside an open stream, again and again
// until it worked. Pure.

import { messageOf } from "./job-messages.js";

export const TRANSPORTS = ["webSocket", "eventStream", "polling"];

export const USUAL_WAITS = {
  /** The longest waits before the first attempts after a failure; the last one counts for all later. */
  backoff: [1_000, 2_000, 4_000, 8_000, 16_000, 30_000],
  /** How often a transport may fail to open before the next one is tried. */
  failuresBeforeFallback: 2,
  /** After how long on a lesser transport the best one is tried again. */
  retryBestAfter: 60_000,
  pollInterval: 2_000,
  /** How long before its end a token is renewed. */
  tokenMargin: 60_000,
  /** After how long without a sign of life a stream counts as lost. */
  silence: 62_500,
  /** The longest reconnection time of a stream that is kept. */
  longestReconnection: 300_000,
  /** How often what comes next may be missing or not to be read before it is passed over. */
  stumblesBeforePassing: 2,
};

/** What a client does after a close of a WebSocket; anything else: connect again. */
const AFTER_CLOSE = { 1000: "ask", 1009: "unreadable", 4401: "token", 4419: "token", 4404: "ask", 4410: "ask" };
/** The number of an event that no log has: asked what comes behind it, a server says the state. */
const BEHIND_ALL = Number.MAX_SAFE_INTEGER;
const TERMINAL = ["succeeded", "failed", "canceled", "expired"];

const isSame = (one, other) => one?.epoch === other?.epoch && one?.seq === other?.seq;

/**
 * Its orders: `{ order: "connect", transport, after, attempt }`, `disconnect`, `{ poll, after, attempt }`,
 * `refreshToken` (beside a stream if one is open), `{ wake, after }`, `{ deliver, message }`, `{ finish, ending }` with
 * the ending ended, unknownJob, expired or unauthorized. Troubles: `{ status }`, `{ code }` of a close,
 * `{ isUnreadable }` for what is too long or no answer, or `{}` for a connection that broke.
 */
export class JobFollower {
  #waits;
  #phase = "idle";
  #transport = 0;
  #position = null;
  #attempt = 0;
  #failures = 0;
  #openFailures = 0;
  #refreshFailures = 0;
  /** How often in a row the token was refused. */
  #refusals = 0;
  #tokenExpiry;
  /** From when on a new token is wanted, or `null`. */
  #renewAt;
  #lesserSince = null;
  #openedAt = 0;
  #heardAt = 0;
  #hasHeard = false;
  /** Whether the stream said something that could not be read, and nothing new since. */
  #hasUnreadable = false;
  /** The shortest wait before a stream of events is opened again, as the last one said (`retry:`). */
  #reconnectionTime = 0;
  /** `{ place, times }`: behind which event something is missing or cannot be read, and how often that was so. */
  #stumble = null;
  /** The state that the job is over with, if the server said it. */
  #endState = null;
  #isRenewing = false;
  #isTokenRefused = false;

  /** @param {object} options - `waits`: as `USUAL_WAITS`; `tokenExpiry`: in milliseconds, or `null`. */
  constructor({ waits = {}, tokenExpiry = null } = {}) {
    this.#waits = { ...USUAL_WAITS, ...waits };
    this.#tokenExpiry = tokenExpiry;
    this.#renewAt = tokenExpiry === null ? null : tokenExpiry - this.#waits.tokenMargin;
  }

  get transport() {
    return TRANSPORTS[this.#transport];
  }

  /** Whether news would come now: a stream is open, or the last question was answered. */
  get isLive() {
    return this.#phase === "open" || (this.transport === "polling" && this.#failures === 0 && this.#phase !== "refreshing");
  }

  get position() {
    return this.#position;
  }

  get isOver() {
    return this.#phase === "over";
  }

  start(now) {
    return this.#phase === "idle" ? this.#connect(now) : [];
  }

  /** A stream is open. */
  opened(attempt, now) {
    if (this.#phase !== "connecting" || attempt !== this.#attempt) return [];
    this.#phase = "open";
    [this.#openedAt, this.#heardAt] = [now, now];
    return [this.#wakeFor(now)];
  }

  received(message, attempt, now, draw) {
    return this.#phase === "open" && attempt === this.#attempt ? this.#take(message, now, draw) : [];
  }

  /** A message came that cannot be read. */
  unreadable(attempt, now) {
    if (attempt !== this.#attempt) return;
    this.heard(attempt, now);
    [this.#openFailures, this.#hasUnreadable] = [0, true];
  }

  /** A heartbeat arrived. */
  heard(attempt, now) {
    if (attempt !== this.#attempt) return;
    this.#heardAt = now;
    this.#hasHeard = true;
  }

  /** The stream of events named its reconnection time. */
  reconnectsAfter(ms, attempt) {
    if (attempt === this.#attempt) this.#reconnectionTime = Math.min(Math.max(0, ms), this.#waits.longestReconnection);
  }

  /** A stream could not be opened, or it ended. */
  ended(trouble, attempt, now, draw) {
    if (!["connecting", "open"].includes(this.#phase) || attempt !== this.#attempt) return [];
    // A stream that lasted was a good one.
    if (this.#phase === "open" && now - this.#openedAt >= this.#waits.backoff.at(-1)) [this.#failures, this.#refusals] = [0, 0];
    const { status, code } = trouble;
    if (status === 401 || status === 403 || AFTER_CLOSE[code] === "token") return this.#refuseToken();
    if (status === 410) return this.#finish("expired");
    if (status === 404) {
      // A server without this transport answers so too: the state tells.
      this.#fallBack(now);
      return this.#poll();
    }
    if (status === 204 || AFTER_CLOSE[code] === "ask") return this.#poll();
    if (trouble.isUnreadable || AFTER_CLOSE[code] === "unreadable" || this.#hasUnreadable) return this.#stumbled(now, draw);
    return this.#broke(now, draw);
  }

  /** The state came, with the events that were missed; what cannot be read of them is `null`. `state`: its name, or `null`. */
  polled(messages, state, attempt, now, draw) {
    if (this.#phase !== "polling" || attempt !== this.#attempt) return [];
    [this.#failures, this.#refusals] = [0, 0];
    this.#endState = TERMINAL.includes(state) ? state : null;
    const orders = [];
    for (const message of messages.filter(Boolean)) {
      orders.push(...this.#take(message, now, draw));
      if (this.#phase !== "polling") return orders;
    }
    return [...orders, ...this.#afterPoll()];
  }

  /** The state is the same as before. */
  unchanged(attempt) {
    if (this.#phase !== "polling" || attempt !== this.#attempt) return [];
    [this.#failures, this.#refusals] = [0, 0];
    return this.#afterPoll();
  }

  pollFailed({ status, isUnreadable = false }, attempt, now, draw) {
    if (this.#phase !== "polling" || attempt !== this.#attempt) return [];
    if (status === 401 || status === 403) return this.#refuseToken();
    if (status === 404) return this.#finish("unknownJob");
    if (status === 410) return this.#finish("expired");
    if (isUnreadable) this.#stumbles();
    return this.#back(now, draw);
  }

  /** A new token was issued, to this follower or to another client. */
  tokenRefreshed(expiresAt, now) {
    if (["idle", "over"].includes(this.#phase)) return [];
    [this.#isRenewing, this.#isTokenRefused] = [false, false];
    this.#setToken(expiresAt, now);
    if (this.#phase === "refreshing") return this.#connect(now);
    return this.#phase === "open" ? [this.#wakeFor(now)] : [];
  }

  /** No new token was issued. An open stream continues with the old one while that is valid. */
  tokenNotRefreshed({ status }, now, draw) {
    if (!this.#isRenewing || this.#phase === "over") return [];
    this.#isRenewing = false;
    const ending = { 401: "unauthorized", 403: "unauthorized", 404: "unknownJob", 410: "expired" }[status];
    if (ending && this.#phase === "refreshing") return this.#finish(ending);
    this.#refreshFailures += 1;
    this.#renewAt = ending || this.#tokenExpiry === null ? null : now + this.#renewalWait(this.#tokenExpiry - now);
    if (this.#phase === "refreshing") return this.#isTokenRefused ? this.#back(now, draw) : this.#connect(now);
    if (this.#phase === "waiting" && this.#renewAt !== null) return [{ order: "wake", after: this.#renewAt - now }];
    return this.#phase === "open" ? [this.#wakeFor(now)] : [];
  }

  /** The time of the last `wake` has come. */
  woke(now, draw) {
    if (this.#phase === "waiting") return this.#connect(now);
    if (this.#phase !== "open") return [];
    if (this.#heardAt + this.#waits.silence <= now) return [{ order: "disconnect" }, ...this.#broke(now, draw)];
    return [...(this.#wantsToken(now) ? this.#renewal() : []), this.#wakeFor(now)];
  }

  // MARK: Steps

  #take(message, now, draw) {
    this.#heardAt = now;
    this.#hasHeard = true;
    // A transport that speaks is a good one.
    this.#openFailures = 0;
    const { position: at, body } = message;
    const before = this.#position;
    const isEnd = body.kind === "ended";
    if (at) {
      const last = before?.epoch === at.epoch ? before.seq : 0;
      if (at.seq <= last && !isEnd) return [];
      const isNext = at.seq === last + 1 || (message.covers ?? at.seq) <= last + 1;
      // The end stands for everything before it; and what is missing every time does not come.
      if (!isNext && !isEnd && !this.#stumbles()) return [{ order: "disconnect" }, ...this.#back(now, draw)];
      this.#position = at;
    } else if (body.kind === "snapshot" && body.lastSeq !== null && !body.isRecovered) {
      this.#position = { epoch: message.epoch ?? before?.epoch ?? 0, seq: body.lastSeq };
    }
    if (!isSame(this.#position, before)) [this.#failures, this.#refusals, this.#hasUnreadable] = [0, 0, false];
    return isEnd ? this.#end(message) : [{ order: "deliver", message }];
  }

  #end(message) {
    return [{ order: "deliver", message }, ...this.#finish("ended")];
  }

  #connect(now) {
    if (this.#lesserSince !== null && now - this.#lesserSince >= this.#waits.retryBestAfter) {
      [this.#transport, this.#openFailures, this.#lesserSince] = [0, 0, null];
    }
    if (this.#isTokenRefused || this.#wantsToken(now)) {
      this.#phase = "refreshing";
      return this.#renewal();
    }
    if (this.transport === "polling") return this.#poll();
    this.#attempt += 1;
    [this.#phase, this.#hasHeard, this.#hasUnreadable] = ["connecting", false, false];
    return [{ order: "connect", transport: this.transport, after: this.#position, attempt: this.#attempt }];
  }

  #poll() {
    this.#attempt += 1;
    this.#phase = "polling";
    // Where the events themselves were of no use: behind one that there is not comes the state.
    const isStuck = this.#timesHere() >= this.#waits.stumblesBeforePassing;
    const after = isStuck ? { epoch: this.#position?.epoch ?? 0, seq: BEHIND_ALL } : this.#position;
    return [{ order: "disconnect" }, { order: "poll", after, attempt: this.#attempt }];
  }

  #afterPoll() {
    if (this.#endState !== null && this.#stumbles() && this.#stumble.times > this.#waits.stumblesBeforePassing) {
      // It is over, and the message that says how cannot be had, nor with the state in place of events.
      return this.#end(messageOf({ type: "job_complete", payload: { status: this.#endState } }));
    }
    this.#phase = "waiting";
    return [{ order: "wake", after: this.#waits.pollInterval }];
  }

  #timesHere() {
    return this.#stumble !== null && isSame(this.#stumble.place, this.#position) ? this.#stumble.times : 0;
  }

  /** Counts what is missing or not to be read behind the last event; whether it is to be passed over. */
  #stumbles() {
    this.#stumble = { place: this.#position, times: this.#timesHere() + 1 };
    return this.#stumble.times >= this.#waits.stumblesBeforePassing;
  }

  /** A stream ended over something that cannot be read. */
  #stumbled(now, draw) {
    if (!this.#stumbles()) return this.#back(now, draw);
    // The state did not lead on either: this way is not gone again for a while.
    if (this.#stumble.times > this.#waits.stumblesBeforePassing) {
      this.#transport = TRANSPORTS.length - 1;
      this.#lesserSince ??= now;
    }
    return this.#poll();
  }

  /** A stream ended; one that said nothing counts as one that did not open. */
  #broke(now, draw) {
    if (!this.#hasHeard) {
      this.#openFailures += 1;
      if (this.#openFailures >= this.#waits.failuresBeforeFallback) this.#fallBack(now);
    }
    return this.#back(now, draw);
  }

  #wantsToken(now) {
    return this.#renewAt !== null && this.#renewAt <= now;
  }

  /** Asks for a new token, if it was not asked for before. */
  #renewal() {
    if (this.#isRenewing) return [];
    this.#isRenewing = true;
    return [{ order: "refreshToken" }];
  }

  /** How long to wait after a renewal that failed: longer each time, but not over the end of the token. */
  #renewalWait(left) {
    const { backoff } = this.#waits;
    const longest = backoff[Math.min(this.#refreshFailures, backoff.length) - 1];
    return left > 0 ? Math.min(longest, Math.max(backoff[0], left / 2)) : longest;
  }

  /** A token that is good for a short time only is used for half of it at least. */
  #setToken(expiry, now) {
    [this.#refreshFailures, this.#tokenExpiry] = [0, expiry];
    this.#renewAt = expiry !== null && expiry > now ? Math.max(expiry - this.#waits.tokenMargin, now + (expiry - now) / 2) : null;
  }

  /** An open stream is to be looked at when it may be silent, or the token old. */
  #wakeFor(now) {
    const silent = this.#heardAt + this.#waits.silence - now;
    const old = this.#isRenewing || this.#renewAt === null ? Infinity : this.#renewAt - now;
    return { order: "wake", after: Math.max(0, Math.min(silent, old)) };
  }

  #refuseToken() {
    // A token that was renewed a moment ago and is refused again is refused for good.
    if (this.#refusals >= this.#waits.backoff.length) return this.#finish("unauthorized");
    this.#isTokenRefused = true;
    this.#refusals += 1;
    this.#phase = "refreshing";
    return [{ order: "disconnect" }, ...this.#renewal()];
  }

  #fallBack(now) {
    this.#openFailures = 0;
    this.#lesserSince ??= now;
    this.#transport = Math.min(this.#transport + 1, TRANSPORTS.length - 1);
  }

  /**
   * Waits with full jitter: anything up to the longest wait of this attempt, but not over the end of the token. The
   * reconnection time of a stream of events comes first: clients that lost one at once do not come back at once.
   */
  #back(now, draw) {
    const { backoff } = this.#waits;
    const longest = backoff[Math.min(this.#failures, backoff.length - 1)];
    this.#failures += 1;
    this.#phase = "waiting";
    const least = this.transport === "eventStream" ? this.#reconnectionTime : 0;
    const wait = least + draw % Math.max(1, longest);
    const renewal = this.#isRenewing || this.#renewAt === null ? Infinity : Math.max(0, this.#renewAt - now);
    return [{ order: "wake", after: Math.min(wait, renewal) }];
  }

  #finish(ending) {
    this.#phase = "over";
    return [{ order: "disconnect" }, { order: "finish", ending }];
  }
}
