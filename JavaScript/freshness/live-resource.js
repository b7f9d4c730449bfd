// A resource that is kept fresh: the driver of one refresh machine. It carries out the machine's effects and keeps what
// the machine knows by number only. The machine decides when to request what, and what to do with the responses
// (engine.md).

import { ask } from "./response.js";
import { Engine } from "./freshness.js";
import { OriginQueue } from "./origin-queue.js";
import { sampleRecord } from "./sample-record.js";

/** The records kept for an export: eight hours of one request every fifteen seconds. */
const MOST_RECORDS = 2000;
/** The maximum number of resources whose receipts are kept. */
const MOST_RECEIPTS = 64;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** How late a timer is on a busy device, and in a hidden page, which browsers wake once a minute; one that is later fired after a sleep. */
const [LATEST_TIMER_MS, LATEST_HIDDEN_TIMER_MS] = [2000, 62_000];

export class LiveResource {
  #machine = null;
  #endsListening = null;
  #queue = null;
  #leavesQueue = null;
  #question = null;
  #context = { question: 0 };
  #inFlight = null;
  #stream = null;
  /** The place of the stream among the connections to the server: `{ number }`. */
  #place = null;
  /** The reconnection time set by the stream, and the instant before which none is reopened. */
  #reconnectionTime = 0;
  #reconnectsAt = 0;
  #timer = null;
  #copy = null;
  #incoming = null;
  #numbers = 0;
  #latest = -Infinity;
  #failure = null;
  #ring = [];
  #records = [];
  /** The evidence for the requests in flight, by number. */
  #evidence = new Map();
  #notes = [];
  /** The receipt of the newest recorded response, by the name of its subject. */
  #receipts = new Map();
  /** Whether the value changed on the server while a request was out. */
  #isOutdated = false;
  /** Whether it is being stopped: what is asked of it then has no effect. */
  #isEnding = false;
  /** Whether the page is hidden. */
  #isHidden = false;
  /** Whether it polls. */
  #isRunning = false;

  /**
   * @param {object} source - What is kept fresh: `isSame(question, other)`; `address(question, copy)`, the copy being
   *   one that the server knows, or `null`; `read(document, headers, base, newest)`: as `readAnswer`, with the copy
   *   that the address was made of and the newest one; `openStream(question, copy, listener)`: as a `BoardStream`;
   *   `occupiesNoConnection`: whether it is a WebSocket, which browsers do not count among the connections to a server;
   *   `contentOf(body)`: what people see of it; `natureOf(body)`: `hasRealtime` and `activity` of an answer;
   *   `subjectOf(question)`; `fields()`: further fields of requests; `metadata`: metadata that every answer has.
   * @param {object} options - `engine`; `policy`: as for `Engine.policy`; `clientPolicy`: that of origins, by default
   *   the same; `device`; `onChange(resource)`: something
   *   that people see changed; `onReceived(received)`: an answer came, for the clock;
   *   `onConfirmed(asOf, request)`: the copy was applied or confirmed, and made at that instant or later, by the response
   *   to a request or, if `null`, by the stream; `send`: as `fetch`; `timers`: an
   *   object with `setTimeout` and `clearTimeout`; `mostRecords`: how many samples are kept for an export.
   */
  constructor(source, { engine, policy, clientPolicy = policy, device, onChange, onReceived = () => {}, onConfirmed = () => {}, send, timers = globalThis, mostRecords = MOST_RECORDS }) {
    this.source = source;
    this.engine = engine;
    this.requestedPolicy = policy;
    this.clientPolicy = clientPolicy;
    this.policy = engine.policy(policy);
    this.device = device;
    this.onChange = onChange;
    this.onReceived = onReceived;
    this.onConfirmed = onConfirmed;
    this.send = send;
    this.timers = timers;
    this.mostRecords = mostRecords;
    this.origin = Date.now() - this.now();
  }

  /** Returns the instant of an event. Does not decrease if the clock of the device runs backward. */
  now() {
    return (this.#latest = Math.max(this.#latest, this.device.now()));
  }

  // MARK: What a page asks for

  /** Watches the subject of a request; another one clears the copy at once (R4). */
  watch(question) {
    if (this.#isEnding || (this.#question !== null && this.source.isSame(question, this.#question))) return;
    this.#question = question;
    this.#failure = null;
    if (!this.#machine) return this.#begin();
    this.#context = { question: this.#context.question + 1 };
    const hadStream = this.#stream !== null || this.#place !== null;
    this.#closeStream();
    [this.#reconnectionTime, this.#reconnectsAt] = [0, 0];
    this.#handle({ event: "contextChanged", with: this.#context });
    // The stream was for the previous subject.
    if (hadStream) this.#handle({ event: "streamLost" });
  }

  /** Ends the request, the stream and the timer, and keeps the copy. */
  pause() {
    if (!this.#listens) return;
    [this.#isOutdated, this.#isRunning] = [false, false];
    this.#handle({ event: "stopped" });
  }

  /** Continues after `pause`: requests at once (R5). */
  resume() {
    if (!this.#listens) return;
    this.#isRunning = true;
    this.#handle({ event: "started" });
  }

  /** Polls at the active interval until the effect of a local action shows (R13). */
  acted() {
    this.#listens && this.#handle({ event: "acted" });
  }

  /** Requests the current value although the schedule has time: something changed on the server. */
  invalidate() {
    if (!this.#listens) return;
    // The answer to a request that is already out may be older than the change. For a long poll nothing waits (R32).
    this.#isOutdated = this.#inFlight !== null && !this.#inFlight.isHeld;
    this.acted();
    if (!this.#isOutdated) this.#handle({ event: "refreshRequested", with: { refresh: "change" } });
  }

  /** Ends everything: request, stream, timer and copy. */
  stop() {
    const machine = this.#machine;
    // What is notified of the end may end it too.
    if (!machine || this.#isEnding) return;
    [this.#isEnding, this.#isRunning] = [true, false];
    try {
      this.#handle({ event: "stopped" });
    } finally {
      this.#endsListening();
      this.#closeStream();
      this.#leavesQueue();
      this.timers.clearTimeout(this.#timer);
      machine.destroy();
      [this.#machine, this.#question, this.#copy, this.#failure] = [null, null, null, null];
      this.#isEnding = false;
    }
  }

  /** Requests a refresh now, for the user (R5). `isForced` requests a full response and applies it in any case (R20). */
  refresh({ isForced = false } = {}) {
    if (!this.#listens) return;
    this.#handle({ event: "refreshRequested", with: { refresh: isForced ? "hardRefresh" : "person" } });
    if (this.#inFlight) this.#queue.hurry(this.#inFlight.number);
  }

  /** Applies the limits that the server imposes on all clients (R39). */
  restrain(restraint) {
    this.#listens && this.#handle({ event: "restrained", with: restraint });
  }

  /** Whether it polls, so that it has a share of the server's limit (R39). */
  get isRunning() {
    return this.#isRunning;
  }

  /** Whether there is a machine that is not being stopped. */
  get #listens() {
    return this.#machine !== null && !this.#isEnding;
  }

  // MARK: What a page shows

  get question() {
    return this.#question;
  }

  /** The generation of the request that is out, or `null`. */
  get outstanding() {
    return this.#inFlight?.generation ?? null;
  }

  /** The current body, or `null`. */
  get body() {
    return this.#copy?.body ?? null;
  }

  /** Returns the visible state of the machine, or `null` while nothing is watched. */
  appearance() {
    return this.#machine?.appearance(this.now()) ?? null;
  }

  /** The server's description of the current failure: `{ problem, reason }`. */
  get failure() {
    return this.#failure;
  }

  /** Returns the diagnostics: the last samples as records, newest last, with all other known facts. */
  diagnostics() {
    if (!this.#machine) return null;
    return {
      ring: this.#ring,
      records: this.#records,
      counters: this.#machine.counters(),
      policy: this.policy,
      appearance: this.appearance(),
      notes: this.#notes,
      now: this.now(),
    };
  }

  // MARK: Events and orders

  #begin() {
    // What may fail comes before the machine, which has to be destroyed.
    this.#queue = OriginQueue.of(this.engine, this.source.address(this.#question, null), this.clientPolicy, () => this.device.now());
    this.#machine = this.engine.machine({ policy: this.requestedPolicy, context: this.#context });
    this.#endsListening = this.device.listen((event) => this.#deviceTold(event));
    this.#leavesQueue = this.#queue.join(this);
    this.#isRunning = true;
    this.#handle({ event: "started" });
  }

  #deviceTold(event) {
    if (event.event === "lifecycle") this.#isHidden = event.with.to === "background";
    this.#handle(event);
  }

  #handle(event, now = this.now()) {
    // Listeners are notified, and may end everything, or take time.
    if (this.#prolong(event, now)) now = this.now();
    if (this.#machine === null) return;
    const effects = this.#machine.handle(event, now, Engine.random());
    if (effects.notes.length > 0) this.#notes = effects.notes;
    // Before anything that may fail, and before events of what follows: the last of them sets the timer.
    this.#arm(effects.alarm, now);
    if (effects.cancel !== null && this.#inFlight?.generation === effects.cancel) {
      this.#inFlight.abort.abort();
      const { queue, number, sentAt, timeout } = this.#inFlight;
      this.#inFlight = null;
      // Neither time in the queue nor a sleep of the device is a failure of the server (R14, R39).
      const latest = this.#isHidden ? LATEST_HIDDEN_TIMER_MS : LATEST_TIMER_MS;
      const isTooSlow = effects.notes.includes("timedOut") && sentAt !== null && now - sentAt < timeout + latest;
      if (isTooSlow) queue.tooSlow(number);
      else queue.withdraw(number);
    }
    if (effects.sample) this.#keep(effects.sample);
    this.#apply(effects, now);
    // A request that timed out at the same instant as the stream delivered has no copy.
    const isAnswered = effects.sample?.outcome === "content" || effects.sample?.outcome === "unchanged";
    if (effects.asOf !== null) this.onConfirmed(effects.asOf, isAnswered ? effects.sample.generation : null);
    if (effects.request) this.#send(effects.request, now);
    if (effects.stream === "open") this.#openStream();
    if (effects.stream === "close") this.#closeStream();
    if (effects.changes.length > 0 || effects.snapshot !== "none") this.onChange(this);
    return effects;
  }

  /** Begins the timeout of a request again that has not been sent, unless its origin is failing (R39). Returns whether it did. */
  #prolong({ event }, now) {
    const inFlight = this.#inFlight;
    if (event === "queued" || inFlight === null || inFlight.sentAt !== null || now < inFlight.deadline || inFlight.queue.isFailing) return false;
    this.#isQueued(inFlight, now);
    return true;
  }

  /** Notifies the machine, whose clock has whole milliseconds, that its request is only sent now. */
  #isQueued(inFlight, now) {
    inFlight.deadline = Math.floor(now) + inFlight.timeout;
    const { generation, context } = inFlight;
    this.#handle({ event: "queued", with: { generation, context } }, now);
  }

  #arm(alarm, now) {
    this.timers.clearTimeout(this.#timer);
    if (alarm === null) return;
    const wait = Math.min(Math.max(0, alarm - now), LONGEST_TIMER_MS);
    this.#timer = this.timers.setTimeout(() => this.#handle({ event: "woke" }), wait);
  }

  /** Applies or drops a body as the machine did. */
  #apply(effects, now) {
    const appearance = this.#machine.appearance(now);
    const incoming = this.#incoming;
    this.#incoming = null;
    if (incoming && appearance.revision === incoming.revision && effects.snapshot !== "keep") {
      // R19: the validator of a body that was not applied is never used.
      const isValid = appearance.validator !== null && appearance.validator === incoming.validator;
      this.#copy = { ...incoming, tag: isValid ? incoming.tag : null };
    }
    if (appearance.revision === null) this.#copy = null;
    if (effects.notes.includes("timedOut")) this.#failure = { problem: null, reason: null };
  }

  /** The name of the resource in records. */
  get #title() {
    return `GET ${nameOf(this.source.address(this.#question, null))}`;
  }

  /** Sends the previous receipt to a server that signs its responses, so that the recorded ones form a chain. */
  #following(generation) {
    const before = /;m=([0-9a-f]{16})[0-9a-f]{48}$/.exec(this.#receipts.get(this.#title) ?? "");
    return before ? { "X-MD-Receipt-After": `${generation};${before[1]}` } : {};
  }

  #keep(sample) {
    const evidence = this.#evidence.get(sample.generation);
    this.#evidence.clear();
    const record = sampleRecord(sample, this.#title, this.origin, evidence);
    if (evidence?.receipt) this.#receipts.set(record.resource, evidence.receipt);
    if (this.#receipts.size > MOST_RECEIPTS) this.#receipts.clear();
    const capacity = this.policy.ringCapacity;
    this.#ring = [...this.#ring, record].slice(-capacity);
    this.#records.push(record);
    if (this.#records.length > this.mostRecords) this.#records.shift();
  }

  // MARK: Requests

  /** Sends a request as soon as the origin admits it (R39). */
  #send(request, orderedAt) {
    const [machine, queue] = [this.#machine, this.#queue];
    const { generation, context, timeout, longPoll } = request;
    const inFlight = { generation, context, queue, abort: new AbortController(), number: 0, isHeld: longPoll !== null, sentAt: null, timeout, deadline: Math.floor(orderedAt) + timeout };
    inFlight.number = queue.ask(request, (isHeld) => {
      // Otherwise the place that it got would never be free again.
      if (this.#machine !== machine) return queue.withdraw(inFlight.number);
      if (inFlight.abort.signal.aborted) return;
      const now = this.now();
      // Its timeout counts from now.
      if (Math.floor(now) > Math.floor(orderedAt)) this.#isQueued(inFlight, now);
      if (longPoll !== null && !isHeld && !inFlight.abort.signal.aborted) {
        [request.longPoll, inFlight.isHeld, inFlight.timeout] = [null, false, timeout - longPoll];
        this.#handle({ event: "notHeld", with: { generation, context } }, now);
      }
      // A refresh that waits behind a long poll may have replaced it (R40).
      if (inFlight.abort.signal.aborted) return;
      inFlight.sentAt = now;
      this.#ask(request, inFlight);
    }, () => {
      if (this.#machine !== machine || this.#inFlight !== inFlight) return;
      // Not sent: one that is sent later is as good as another one after it.
      this.#inFlight = null;
      this.#isOutdated = false;
      this.#handle({ event: "answered", with: { generation, context, answer: { outcome: "cancelled" } } });
    });
    this.#inFlight = inFlight;
  }

  async #ask(request, { abort, queue, number }) {
    const machine = this.#machine;
    const why = { reason: request.reason ?? null, asked: this.source.subjectOf(this.#question) };
    const isKnown = request.validator !== null && this.#copy?.validator === request.validator;
    const base = isKnown && this.#copy.tag !== null ? this.#copy : null;
    const received = await ask(() => this.source.address(this.#question, base), {
      tag: base?.tag ?? null,
      fields: () => ({ ...this.source.fields(), ...this.#following(request.generation) }),
      read: (document, headers) => this.source.read(document, headers, base, this.#copy),
      ownsTime: this.source.ownsTime?.(this.#copy?.body) ?? false,
      wait: request.longPoll === null ? null : Math.floor(request.longPoll / 1000),
      signal: abort.signal,
      now: () => this.now(),
      send: this.send,
    });
    if (!abort.signal.aborted && received.isSent) queue.ended(number, received);
    // What the application could not send says nothing of the server.
    else if (!abort.signal.aborted) queue.withdraw(number);
    // The resource was stopped or restarted: the request is no longer current.
    if (this.#machine !== machine) return;
    if (this.#inFlight?.generation === request.generation) this.#inFlight = null;
    const { generation, context } = request;
    if (received.isOfAnotherCopy) {
      // A 304 for a copy that the client does not have confirms nothing: request the complete body.
      this.#handle({ event: "answered", with: { generation, context, answer: { outcome: "cancelled" } } });
      const refresh = { reason: "change", isUnconditional: true };
      return this.#handle({ event: "refreshRequested", with: refresh });
    }
    this.#evidence.set(generation, { ...why, ...received.evidence });
    const isCurrent = context.question === this.#context.question;
    if (isCurrent && received.outcome !== "cancelled") {
      this.#failure = { problem: received.problem, reason: received.reason ?? null };
      this.onReceived(received);
    }
    this.#handleReceived("answered", { generation, context }, this.#answer(received, isCurrent), received.answeredAt);
    if (!this.#isOutdated || this.#inFlight !== null) return;
    this.#isOutdated = false;
    if (this.#machine === machine) this.#handle({ event: "refreshRequested", with: { refresh: "change" } });
  }

  /** Passes an answer to the machine, with the time since it arrived: it grew older while it was read (R37). */
  #handleReceived(event, values, answer, arrivedAt) {
    const now = this.now();
    answer.decoding = Math.max(0, Math.round(now - arrivedAt));
    this.#handle({ event, with: { ...values, answer } }, now);
  }

  /** Converts a response for the machine. What the application cannot handle is undecodable. */
  #answer(received, isCurrent) {
    try {
      return this.#converted(received, isCurrent);
    } catch (failure) {
      this.#failure = { problem: null, reason: String(failure?.message ?? failure).slice(0, 200) };
      return this.#converted({ ...received, outcome: "undecodable" }, isCurrent);
    }
  }

  /** Equal content keeps its revision (R16). */
  #converted(received, isCurrent) {
    const answer = {
      outcome: received.outcome, status: received.status, bytes: received.bytes, hints: received.hints,
      metadata: { ...received.metadata, ...this.source.metadata }, deviceTime: Date.now(),
    };
    // R37: from sending to received, without the time in the queue.
    if (received.answeredAt !== undefined) answer.delay = Math.max(0, Math.round(received.answeredAt - received.askedAt));
    this.#numbers += 1;
    if (received.outcome === "content") {
      const isSame = isCurrent && this.#copy !== null && this.#isSameContent(received.body);
      const incoming = {
        body: received.body,
        tag: received.tag,
        revision: isSame ? this.#copy.revision : this.#numbers,
        validator: received.tag === null ? null : this.#numbers,
      };
      if (isCurrent) this.#incoming = incoming;
      answer.revision = incoming.revision;
      answer.validator = incoming.validator;
      Object.assign(answer, this.source.natureOf(received.body));
    }
    if (received.outcome === "throttled") answer.retryAfter = received.retryAfter;
    if (received.outcome === "undecodable") answer.reason = this.#numbers;
    return answer;
  }

  /** Content that cannot be compared, because it is nested too deeply or the application fails, counts as changed. */
  #isSameContent(body) {
    try {
      return this.source.contentOf(this.#copy.body) === this.source.contentOf(body);
    } catch {
      return false;
    }
  }

  // MARK: The stream

  /** Opens a stream, if the origin has a place for one (R39); otherwise it counts as lost. */
  #openStream() {
    this.#closeStream();
    if (this.source.occupiesNoConnection) return this.#startStream();
    const place = { number: null };
    place.number = this.#queue.stream(
      () => this.#place === place && this.#startStream(),
      () => {
        if (this.#place !== place) return;
        this.#place = null;
        this.#handle({ event: "streamLost" });
      },
    );
    this.#place = place;
  }

  #startStream() {
    try {
      this.#stream = this.#opened();
    } catch {
      // The application's part of it failed: the machine polls, and opens it again later.
      this.#leavePlace();
      this.#handle({ event: "streamLost" });
    }
  }

  #opened() {
    let heardAt = this.now();
    const stream = this.source.openStream(this.#question, this.#copy, {
      opened: (isResumed) => this.#handle({ event: "streamOpened", with: { isResumed } }),
      heard: () => {
        heardAt = this.now();
        this.#handle({ event: "streamHeard" }, heardAt);
      },
      gap: () => this.#handle({ event: "streamGap" }),
      delivered: (received) => this.#delivered(received, heardAt),
      current: () => this.#copy?.body ?? null,
      lost: (pause) => this.#lost(stream, pause),
      retry: (ms) => (this.#reconnectionTime = ms),
      wait: Math.max(0, this.#reconnectsAt - this.now()),
    });
    return stream;
  }

  #delivered(received, heardAt) {
    this.onReceived({ ...received, askedAt: heardAt, answeredAt: heardAt });
    this.#handleReceived("streamDelivered", { context: this.#context }, this.#answer(received, true), heardAt);
  }

  #lost(stream, pause = null) {
    if (this.#stream !== stream) return;
    // R39: of every request to the server, not of this stream alone.
    if (pause !== null) this.#queue.asksForPause(pause);
    this.#stream = null;
    this.#leavePlace();
    this.#reconnectsAt = this.now() + this.#reconnectionTime;
    this.#handle({ event: "streamLost" });
  }

  /** Closing is not a loss: the machine ordered it, or the stream is for another subject. */
  #closeStream() {
    const stream = this.#stream;
    this.#stream = null;
    stream?.close();
    this.#leavePlace();
  }

  #leavePlace() {
    const place = this.#place;
    this.#place = null;
    if (place !== null && place.number !== null) this.#queue.withdraw(place.number);
  }
}

/** Returns the host and path of a URL, for a record. */
function nameOf(address) {
  try {
    const { host, pathname, search } = new URL(address, globalThis.location?.href);
    return `${host}${pathname}${search}`;
  } catch {
    // Only the application's `fetch` knows the base of a relative URL.
    return address;
  }
}
