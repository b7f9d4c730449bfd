// Follows one job: carries out the state machine's commands over WebSocket, server-sent events or polling, and
// keeps the known state of the job. Reports the end once.

import { steadyClock } from "../engine/clock.js";
import { readEventStream } from "../engine/event-stream.js";
import { signalWithin } from "../shared/signals.js";
import { FollowMachine, MOST_MESSAGES } from "./follow-machine.js";
import { bearer } from "./job-api.js";
import { factsOf, messageOf, positionText, progressOf, readMessage } from "./job-messages.js";

/** The machine, which is loaded when the first job is started or followed. */
const WASM = "/assets/jobs.wasm";
const WASM_PATIENCE_MS = 30_000;
/** The wait before the module is asked for again. */
const WASM_AGAIN_MS = 3_000;
/** The status that a WebSocket has if it broke without a close. */
const NO_CLOSE = 1006;

const TOKEN_PROTOCOL = "freshet-auth.";
const TERMINAL = ["succeeded", "failed", "canceled", "expired"];

// The time of day when the page began, and what went by since: a clock that is set moves nothing.
const begin = Date.now() - steadyClock.now();
const now = () => begin + steadyClock.now();
const random = () => crypto.getRandomValues(new Uint32Array(1))[0];

/** @typedef {string | { trouble: string, status: number }} Trouble */

let compiling = null;

/** The compiled module; after a failure the next use tries again. */
function compiled() {
  compiling ??= compile().catch((failure) => {
    compiling = null;
    throw failure;
  });
  return compiling;
}

/** Loads the machine for a job that is about to be followed. */
export function prepareToFollow() {
  compiled().catch(() => {});
}

async function compile() {
  const answer = await fetch(WASM, { signal: signalWithin(WASM_PATIENCE_MS) });
  if (!answer.ok) throw new TypeError(`the module answered ${answer.status}`);
  return WebAssembly.compile(await answer.arrayBuffer());
}

export class JobRun {
  /** The machine, once it is loaded. */
  #follower = null;
  #timer = null;
  #leave = null;
  #tag = null;
  /** The state that the server said last. */
  #lastState = null;
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
  }

  get transport() {
    return this.#follower?.status.transport ?? "webSocket";
  }

  get isLive() {
    return this.#follower?.status.isLive ?? false;
  }

  get isOver() {
    return this.ending !== null;
  }

  async start() {
    try {
      this.#follower = await FollowMachine.create(await compiled(), { tokenExpiry: this.job.tokenExpiry ?? null });
    } catch {
      if (!this.#isStopped) this.#timer = setTimeout(() => this.start(), WASM_AGAIN_MS);
      return;
    }
    this.#handle({ event: "start" });
  }

  /** Stops following; the job continues. */
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
    this.#handle({ event: "tokenRefreshed", expiresAt: this.job.tokenExpiry });
  }

  /** The server said that the results are gone: nothing else is final about that. */
  markGone() {
    this.ending = "expired";
    this.onChange(this);
  }

  // MARK: Orders

  /** Tells the machine what happened, and carries out its orders; `messages`: those of the event. */
  #handle(event, messages = []) {
    if (this.#isStopped || !this.#follower) return;
    const wasLive = this.#wasLive;
    for (const order of this.#follower.handle(event, now(), random())) this.#carryOut(order, messages);
    this.#wasLive = this.isLive;
    if (this.#wasLive !== wasLive && !this.isOver) this.onChange(this);
  }

  #carryOut({ order, transport, after, attempt, index, ending }, messages) {
    if (order === "connect") this.#connect(transport, after, attempt);
    if (order === "disconnect") this.#disconnect();
    if (order === "poll") this.#poll(after, attempt);
    if (order === "refreshToken") this.#refresh();
    if (order === "wake") this.#wakeAfter(after);
    if (order === "deliver") this.#deliver(messages[index]);
    if (order === "deliverEnd") this.#deliver(messageOf({ type: "job_complete", payload: { status: this.#lastState } }));
    if (order === "finish") this.#finish(ending);
  }

  #wakeAfter(wait) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#handle({ event: "woke" }), wait);
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
    const query = new URLSearchParams({ jobId: this.job.id, ...(after ? { after: positionText(after) } : {}) });
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    let socket;
    try {
      socket = new WebSocket(`${scheme}//${location.host}/ws/progress?${query}`, [TOKEN_PROTOCOL + this.job.token]);
    } catch {
      // Not now: the orders of the event before are still carried out.
      queueMicrotask(() => this.#handle({ event: "ended", trouble: "broken", attempt }));
      return;
    }
    socket.onopen = () => this.#handle({ event: "opened", attempt });
    socket.onmessage = ({ data }) => {
      this.#heard();
      this.#receive(typeof data === "string" ? data : "", attempt);
    };
    socket.onclose = ({ code, reason }) => {
      const trouble = code === NO_CLOSE ? "broken" : { trouble: "closed", code, isLimit: /limit|too many/i.test(reason) };
      this.#handle({ event: "ended", trouble, attempt });
    };
    this.#leave = () => {
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close();
    };
  }

  #receive(data, attempt) {
    const message = readMessage(data);
    this.#handle({ event: "received", message: factsOf(message), attempt }, [message]);
  }

  async #openStream(after, attempt) {
    const abort = new AbortController();
    this.#leave = () => abort.abort();
    const tell = (event) => abort.signal.aborted || this.#handle({ ...event, attempt });
    /** @type {Trouble} */
    let trouble = "broken";
    try {
      await readEventStream(`/v1/jobs/${encodeURIComponent(this.job.id)}/events`, {
        lastId: after ? positionText(after) : null,
        fields: bearer(this.job.token),
        signal: abort.signal,
        onOpen: () => tell({ event: "opened" }),
        onLife: () => {
          if (abort.signal.aborted) return;
          this.#heard();
          tell({ event: "heard" });
        },
        onRetry: (wait) => tell({ event: "reconnects", after: wait }),
        onEvent: ({ data }) => abort.signal.aborted || this.#receive(data, attempt),
      });
    } catch (failure) {
      trouble = troubleOf(failure);
    }
    tell({ event: "ended", trouble });
  }

  async #poll(after, attempt) {
    const abort = new AbortController();
    this.#leave = () => abort.abort();
    try {
      const answer = await this.api.state(this.job, after && positionText(after), this.#tag, abort.signal);
      if (abort.signal.aborted) return;
      this.#heard();
      if (answer === null) this.#handle({ event: "unchanged", attempt });
      else this.#polled(answer, attempt);
    } catch (failure) {
      if (abort.signal.aborted) return;
      this.#handle({ event: "pollFailed", trouble: troubleOf(failure), attempt });
    }
    this.onChange(this);
  }

  #polled({ document, tag }, attempt) {
    if (typeof document?.state !== "string") return this.#handle({ event: "pollFailed", trouble: "unreadable", attempt });
    const { state } = document;
    this.#lastState = state;
    const all = Array.isArray(document.events) ? document.events.map(messageOf) : [];
    const messages = all.slice(0, MOST_MESSAGES);
    // What is too much at once is asked for again, behind what was taken.
    const isWhole = messages.length === all.length;
    this.#tag = isWhole ? tag : null;
    const isOver = TERMINAL.includes(state);
    if (!isOver) this.#stand(state);
    this.#handle({ event: "polled", messages: messages.map(factsOf), isOver: isOver && isWhole, attempt }, messages);
  }

  async #refresh() {
    try {
      const answer = await this.api.refresh(this.job);
      this.#keepToken(answer);
    } catch (failure) {
      return this.#handle({ event: "tokenNotRefreshed", trouble: troubleOf(failure) });
    }
    this.#handle({ event: "tokenRefreshed", expiresAt: this.job.tokenExpiry });
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

  /** Takes a message; what could not be read is `null`. */
  #deliver(message) {
    if (!message) return;
    const { body } = message;
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

/**
 * Why a stream or a question failed, for the machine.
 *
 * @returns {Trouble}
 */
function troubleOf(failure) {
  // Only the parser throws so: an event is too long.
  if (failure instanceof RangeError) return "unreadable";
  return Number.isInteger(failure.status) ? { trouble: "status", status: failure.status } : "broken";
}

/** When a token ends, by the clock of this page. */
export function expiryOf({ expiresIn }) {
  return Number.isFinite(expiresIn) ? now() + expiresIn * 1000 : null;
}
