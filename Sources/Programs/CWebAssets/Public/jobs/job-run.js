// One job that is followed: carries out the follower's orders over WebSocket, server-sent events or polling, and
// keeps what is known of the job. The end is told once.

import { steadyClock } from "../engine/clock.js";
import { readEventStream } from "../engine/event-stream.js";
import { bearer } from "./job-api.js";
import { JobFollower } from "./job-follower.js";
import { messageOf, positionText, progressOf, readMessage } from "./job-messages.js";

const TOKEN_PROTOCOL = "freshet-auth.";
const TERMINAL = ["succeeded", "failed", "canceled", "expired"];

// The time of day when the page began, and what went by since: a clock that is set moves nothing.
const begin = Date.now() - steadyClock.now();
const now = () => begin + steadyClock.now();
const draw = () => crypto.getRandomValues(new Uint32Array(1))[0];

export class JobRun {
  #follower;
  #timer = null;
  #leave = null;
  #tag = null;
  #isStopped = false;
  #wasLive = false;

  /**
   * @param {object} job - `{ id, token, tokenExpiry, pipeline, name, startedAt }`; its token is renewed in place.
   * @param {object} options - `api`; `onChange(run)`: something that people see changed; `onKeep(run)`: the token is
   *   another one; `onEnd(run)`: it is over.
   */
  constructor(job, { api, onChange, onKeep, onEnd }) {
    this.job = job;
    this.api = api;
    this.onChange = onChange;
    this.onKeep = onKeep;
    this.onEnd = onEnd;
    this.state = "queued";
    this.progress = progressOf({});
    this.completion = null;
    /** How following ended: ended, unknownJob, expired, unauthorized, or `null` before. */
    this.ending = null;
    this.heardAt = null;
    this.#follower = new JobFollower({ tokenExpiry: job.tokenExpiry ?? null });
  }

  get transport() {
    return this.#follower.transport;
  }

  get isLive() {
    return this.#follower.isLive;
  }

  get isOver() {
    return this.ending !== null;
  }

  start() {
    this.#obey(this.#follower.start(now()));
  }

  /** Follows no more; the job goes on. */
  stop() {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#disconnect();
  }

  /** Asks the job to stop. */
  async cancel() {
    const answer = await this.api.cancel(this.job);
    if (!this.isOver && typeof answer?.state === "string") this.#stand(answer.state);
    this.onChange(this);
  }

  /** Gets a new token, for a question that the old one was refused for. */
  async renew() {
    const answer = await this.api.refresh(this.job);
    this.#keepToken(answer);
    this.#obey(this.#follower.tokenRefreshed(this.job.tokenExpiry, now()));
  }

  /** The server said that the results are gone: nothing else is final about that. */
  markGone() {
    this.ending = "expired";
    this.onChange(this);
  }

  // MARK: Orders

  #obey(orders) {
    if (this.#isStopped) return;
    const wasLive = this.#wasLive;
    for (const { order, ...with_ } of orders) this.#carryOut(order, with_);
    this.#wasLive = this.isLive;
    if (this.#wasLive !== wasLive && !this.isOver) this.onChange(this);
  }

  #carryOut(order, { transport, after, attempt, message, ending }) {
    if (order === "connect") this.#connect(transport, after, attempt);
    if (order === "disconnect") this.#disconnect();
    if (order === "poll") this.#poll(after, attempt);
    if (order === "refreshToken") this.#refresh();
    if (order === "wake") this.#wakeAfter(after);
    if (order === "deliver") this.#deliver(message);
    if (order === "finish") this.#finish(ending);
  }

  #wakeAfter(wait) {
    clearTimeout(this.#timer);
    const follower = this.#follower;
    this.#timer = setTimeout(() => this.#obey(follower.woke(now(), draw())), wait);
  }

  #connect(transport, after, attempt) {
    this.#disconnect();
    if (transport === "webSocket") this.#openSocket(after, attempt);
    else this.#openStream(after, attempt);
    this.onChange(this);
  }

  #disconnect() {
    const leave = this.#leave;
    this.#leave = null;
    leave?.();
  }

  #openSocket(after, attempt) {
    const follower = this.#follower;
    const query = new URLSearchParams({ jobId: this.job.id, ...(after ? { after: positionText(after) } : {}) });
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    let socket;
    try {
      socket = new WebSocket(`${scheme}//${location.host}/ws/progress?${query}`, [TOKEN_PROTOCOL + this.job.token]);
    } catch {
      // Not now: the follower is still handing out its orders.
      queueMicrotask(() => this.#obey(follower.ended({}, attempt, now(), draw())));
      return;
    }
    socket.onopen = () => this.#obey(follower.opened(attempt, now()));
    socket.onmessage = ({ data }) => {
      this.#heard();
      const message = typeof data === "string" ? readMessage(data) : null;
      if (message) this.#obey(follower.received(message, attempt, now(), draw()));
      else follower.unreadable(attempt, now());
    };
    socket.onclose = ({ code }) => this.#obey(follower.ended(code === 1006 ? {} : { code }, attempt, now(), draw()));
    this.#leave = () => {
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close();
    };
  }

  async #openStream(after, attempt) {
    const follower = this.#follower;
    const abort = new AbortController();
    this.#leave = () => abort.abort();
    const tell = (act) => abort.signal.aborted || act();
    let trouble = {};
    try {
      await readEventStream(`/v1/jobs/${encodeURIComponent(this.job.id)}/events`, {
        lastId: after ? positionText(after) : null,
        fields: bearer(this.job.token),
        signal: abort.signal,
        onOpen: () => tell(() => this.#obey(follower.opened(attempt, now()))),
        onLife: () => tell(() => {
          this.#heard();
          follower.heard(attempt, now());
        }),
        onRetry: (ms) => tell(() => follower.reconnectsAfter(ms, attempt)),
        onEvent: ({ data }) => tell(() => {
          const message = readMessage(data);
          if (message) this.#obey(follower.received(message, attempt, now(), draw()));
          else follower.unreadable(attempt, now());
        }),
      });
    } catch (failure) {
      // Only the parser throws so: an event is too long.
      trouble = { status: failure.status, isUnreadable: failure instanceof RangeError };
    }
    tell(() => this.#obey(follower.ended(trouble, attempt, now(), draw())));
  }

  async #poll(after, attempt) {
    const follower = this.#follower;
    const abort = new AbortController();
    this.#leave = () => abort.abort();
    let orders;
    try {
      const answer = await this.api.state(this.job, after && positionText(after), this.#tag, abort.signal);
      if (abort.signal.aborted) return;
      this.#heard();
      if (answer === null) {
        orders = follower.unchanged(attempt);
      } else {
        this.#tag = answer.tag;
        orders = this.#polled(answer.document, follower, attempt);
      }
    } catch (failure) {
      if (abort.signal.aborted) return;
      orders = follower.pollFailed({ status: failure.status, isUnreadable: failure instanceof SyntaxError }, attempt, now(), draw());
    }
    this.#obey(orders);
    this.onChange(this);
  }

  #polled(document, follower, attempt) {
    if (typeof document?.state !== "string") throw new SyntaxError("the answer is no state");
    const events = Array.isArray(document.events) ? document.events.map(messageOf) : [];
    if (!TERMINAL.includes(document.state)) this.#stand(document.state);
    return follower.polled(events, document.state, attempt, now(), draw());
  }

  async #refresh() {
    const follower = this.#follower;
    try {
      const answer = await this.api.refresh(this.job);
      this.#keepToken(answer);
    } catch (failure) {
      return this.#obey(follower.tokenNotRefreshed({ status: failure.status }, now(), draw()));
    }
    this.#obey(follower.tokenRefreshed(this.job.tokenExpiry, now()));
  }

  #keepToken(answer) {
    if (typeof answer?.token !== "string") throw new TypeError("the answer has no token");
    this.job.token = answer.token;
    this.job.tokenExpiry = expiryOf(answer);
    this.onKeep(this);
  }

  // MARK: What is known

  #heard() {
    this.heardAt = performance.now();
  }

  #stand(state) {
    // What was asked to stop is not shown as running again by a message from before.
    if (this.state === "canceling" && state === "running") return;
    this.state = state;
  }

  #deliver({ body }) {
    if (body.kind === "started") this.#stand("running");
    if (body.kind === "progress") this.#stand("running");
    if (body.kind === "snapshot" && body.state && !TERMINAL.includes(body.state)) this.#stand(body.state);
    if (body.kind === "progress" || body.kind === "snapshot") this.#advance(body);
    if (body.kind === "ended") {
      this.completion = body;
      this.state = TERMINAL.includes(body.ending) ? body.ending : "succeeded";
      if (body.ending === "succeeded") this.progress = { ...this.progress, fraction: 1 };
    }
    this.onChange(this);
  }

  /** What a message leaves out stays as it was. */
  #advance(body) {
    const told = Object.entries(progressOf({})).map(([name]) => [name, body[name]]).filter(([, value]) => value !== null);
    this.progress = { ...this.progress, current: null, ...Object.fromEntries(told) };
  }

  #finish(ending) {
    clearTimeout(this.#timer);
    this.ending = ending;
    this.onEnd(this);
    this.onChange(this);
  }
}

/** When a token ends, by the clock of this page. */
export function expiryOf({ expiresIn }) {
  return Number.isFinite(expiresIn) ? now() + expiresIn * 1000 : null;
}
