// Follows one job to its end as a value: what happens and a moment go in, orders come out. The rules are those of
// the native clients (Sources/Jobs/Machines/JobFollower.swift): each event at most once and in order, the end
// exactly once; what was lost is asked for again; a transport that never opens gives way to the next one. Pure.

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
};

/** What a client does after a close of a WebSocket; anything else: connect again. */
const AFTER_CLOSE = { 1000: "ask", 4401: "token", 4419: "token", 4404: "ask", 4410: "ask" };

/**
 * Its orders: `{ order: "connect", transport, after, attempt }`, `disconnect`, `{ poll, attempt }`, `refreshToken`,
 * `{ wake, after }`, `{ deliver, message }`, `{ finish, ending }` with the ending ended, unknownJob, expired or
 * unauthorized. Troubles: `{ status }`, `{ code }` of a close, or `{}` for a connection that broke.
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
  #tokenExpiry;
  #lesserSince = null;
  #heardAt = 0;
  #hasHeard = false;
  #isTokenRefused = false;

  /** @param {object} options - `waits`: as `USUAL_WAITS`; `tokenExpiry`: in milliseconds, or `null`. */
  constructor({ waits = {}, tokenExpiry = null } = {}) {
    this.#waits = { ...USUAL_WAITS, ...waits };
    this.#tokenExpiry = tokenExpiry;
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
    this.#heardAt = now;
    return [{ order: "wake", after: this.#waits.silence }];
  }

  received(message, attempt, now, draw) {
    return this.#phase === "open" && attempt === this.#attempt ? this.#take(message, now, draw) : [];
  }

  /** A sign of life came that is no message. */
  heard(attempt, now) {
    if (attempt !== this.#attempt) return;
    this.#heardAt = now;
    this.#hasHeard = true;
  }

  /** A stream could not be opened, or it ended. */
  ended(trouble, attempt, now, draw) {
    if (!["connecting", "open"].includes(this.#phase) || attempt !== this.#attempt) return [];
    const wasOpen = this.#phase === "open";
    const { status, code } = trouble;
    if (status === 401 || status === 403 || AFTER_CLOSE[code] === "token") return this.#refuseToken();
    if (status === 410) return this.#finish("expired");
    if (status === 404) {
      // A server without this transport answers so too: the state tells.
      this.#fallBack(now);
      return this.#poll();
    }
    if (status === 204 || AFTER_CLOSE[code] === "ask") return this.#poll();
    if (!wasOpen || !this.#hasHeard) {
      this.#openFailures += 1;
      if (this.#openFailures >= this.#waits.failuresBeforeFallback) this.#fallBack(now);
    }
    return this.#back(draw);
  }

  /** The state came, with the events that were missed. */
  polled(messages, attempt, now, draw) {
    if (this.#phase !== "polling" || attempt !== this.#attempt) return [];
    this.#failures = 0;
    const orders = [];
    for (const message of messages) {
      orders.push(...this.#take(message, now, draw));
      if (this.#phase !== "polling") return orders;
    }
    return [...orders, ...this.#afterPoll()];
  }

  /** The state is the same as before. */
  unchanged(attempt) {
    if (this.#phase !== "polling" || attempt !== this.#attempt) return [];
    this.#failures = 0;
    return this.#afterPoll();
  }

  pollFailed({ status }, attempt, draw) {
    if (this.#phase !== "polling" || attempt !== this.#attempt) return [];
    if (status === 401 || status === 403) return this.#refuseToken();
    if (status === 404) return this.#finish("unknownJob");
    if (status === 410) return this.#finish("expired");
    return this.#back(draw);
  }

  tokenRefreshed(expiresAt, now) {
    if (this.#phase !== "refreshing") return [];
    [this.#tokenExpiry, this.#isTokenRefused, this.#refreshFailures] = [expiresAt, false, 0];
    return this.#connect(now);
  }

  tokenNotRefreshed({ status }, draw) {
    if (this.#phase !== "refreshing") return [];
    if (status === 401 || status === 403) return this.#finish("unauthorized");
    if (status === 404) return this.#finish("unknownJob");
    if (status === 410) return this.#finish("expired");
    this.#refreshFailures += 1;
    return this.#back(draw);
  }

  /** The time of the last `wake` has come. */
  woke(now, draw) {
    if (this.#phase === "waiting") return this.#connect(now);
    if (this.#phase !== "open") return [];
    const rest = this.#heardAt + this.#waits.silence - now;
    return rest > 0 ? [{ order: "wake", after: rest }] : [{ order: "disconnect" }, ...this.#back(draw)];
  }

  // MARK: Steps

  #take(message, now, draw) {
    this.#heardAt = now;
    this.#hasHeard = true;
    // A transport that speaks is a good one.
    [this.#openFailures, this.#failures] = [0, 0];
    const { position: at, body } = message;
    const isEnd = body.kind === "ended";
    if (at) {
      const last = this.#position?.epoch === at.epoch ? this.#position.seq : 0;
      if (at.seq <= last && !isEnd) return [];
      const isNext = at.seq === last + 1 || (message.covers ?? at.seq) <= last + 1;
      // The end stands for everything before it.
      if (!isNext && !isEnd) return [{ order: "disconnect" }, ...this.#back(draw)];
      this.#position = at;
    } else if (body.kind === "snapshot" && body.lastSeq !== null && !body.isRecovered) {
      this.#position = { epoch: message.epoch ?? this.#position?.epoch ?? 0, seq: body.lastSeq };
    }
    if (!isEnd) return [{ order: "deliver", message }];
    this.#phase = "over";
    return [{ order: "deliver", message }, { order: "disconnect" }, { order: "finish", ending: "ended" }];
  }

  #connect(now) {
    if (this.#lesserSince !== null && now - this.#lesserSince >= this.#waits.retryBestAfter) {
      [this.#transport, this.#openFailures, this.#lesserSince] = [0, 0, null];
    }
    const isOld = this.#tokenExpiry !== null && this.#tokenExpiry - now <= this.#waits.tokenMargin;
    if (this.#isTokenRefused || (isOld && this.#refreshFailures === 0)) {
      this.#phase = "refreshing";
      return [{ order: "refreshToken" }];
    }
    if (this.transport === "polling") return this.#poll();
    this.#attempt += 1;
    [this.#phase, this.#hasHeard] = ["connecting", false];
    return [{ order: "connect", transport: this.transport, after: this.#position, attempt: this.#attempt }];
  }

  #poll() {
    this.#attempt += 1;
    this.#phase = "polling";
    return [{ order: "disconnect" }, { order: "poll", after: this.#position, attempt: this.#attempt }];
  }

  #afterPoll() {
    this.#phase = "waiting";
    return [{ order: "wake", after: this.#waits.pollInterval }];
  }

  #refuseToken() {
    // A token that was renewed a moment ago and is refused again is refused for good.
    if (this.#failures >= this.#waits.backoff.length) return this.#finish("unauthorized");
    this.#isTokenRefused = true;
    this.#failures += 1;
    this.#phase = "refreshing";
    return [{ order: "disconnect" }, { order: "refreshToken" }];
  }

  #fallBack(now) {
    this.#openFailures = 0;
    this.#lesserSince ??= now;
    this.#transport = Math.min(this.#transport + 1, TRANSPORTS.length - 1);
  }

  /** Waits with full jitter: anything up to the longest wait of this attempt. */
  #back(draw) {
    const { backoff } = this.#waits;
    const longest = backoff[Math.min(this.#failures, backoff.length - 1)];
    this.#failures += 1;
    this.#phase = "waiting";
    return [{ order: "wake", after: draw % Math.max(1, longest) }];
  }

  #finish(ending) {
    this.#phase = "over";
    return [{ order: "disconnect" }, { order: "finish", ending }];
  }
}
