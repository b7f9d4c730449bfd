// The page of worktrees: who works, who needs somebody, who is done, and what a person can do about it.

import { ActionSheet, CreationSheet } from "./action-sheet.js";
import { DiffSheet } from "./diff-sheet.js";
import { element, part, setAttribute, setSign, setText } from "./dom.js";
import { freshnessLine } from "./freshness-line.js";
import { Engine } from "./freshness.js";
import { keysAreOn } from "./keys.js";
import { LiveResource } from "./live-resource.js";
import { nextQuestion } from "./next-question.js";
import { TokenForm } from "./token-form.js";
import { begin, WorkPage } from "./work-page.js";
import { Refusal, WorkspaceApi } from "./workspace-api.js";
import { countOf, inOrder, stateOf } from "./workspace-list.js";
import { workspaceSource } from "./workspace-source.js";
import { titleOf, WorktreeCard } from "./worktree-card.js";

const WASM = "/assets/freshness.wasm";
/** The rhythm of the stream's heartbeats on the server. */
const POLICY = { preset: "workspaces", push: { heartbeat: 15_000 } };
const SIGNS = { live: "live", ageing: "live", reduced: "reduced", stale: "reduced", held: "reduced", loading: "loading", offline: "offline", failing: "failing" };
const COUNTED = ["needs_you", "done_unseen", "working"];
/** Changes that are told to a screen reader. */
const NEWS = ["needs_you", "done_unseen"];

class WorkspacesPage extends WorkPage {
  #cards = new Map();
  #states = null;
  #shownState = null;
  #isBeginningAgain = false;

  constructor(engine) {
    super();
    this.root = element("worktree-page");
    this.parts = new Proxy({}, { get: (_, name) => part(this.root, name) });
    this.token = new TokenForm("workspaces.token", () => this.#beginAgain());
    const fields = () => this.token.fields;
    this.api = new WorkspaceApi(fields);
    this.diff = new DiffSheet(this);
    this.action = new ActionSheet(this);
    this.creation = new CreationSheet(this);
    const onArrival = (arrival) => this.clock.learn(arrival.marks.serverTime ?? null, arrival);
    this.live = new LiveResource(workspaceSource(fields), { engine, policy: POLICY, device: this.device, onChange: () => this.#changed(), onArrival });
    this.parts.refresh.addEventListener("click", () => this.live.refresh());
    this.parts.create.addEventListener("click", () => this.creation.open());
    this.speak();
    this.live.watch({});
  }

  get worktrees() {
    return this.live.body?.worktrees ?? [];
  }

  /** A token is another identity: what was shown is not its. */
  #beginAgain() {
    this.#isBeginningAgain = true;
    this.live.stop();
    this.#isBeginningAgain = false;
    this.live.watch({});
  }

  // MARK: What a person does

  #acts = {
    diff: (card) => this.diff.open(card),
    sync: (card) => this.action.open("sync", card),
    merge: (card) => this.action.open("merge", card),
    remove: (card) => this.action.open("remove", card),
    seen: (card) => this.#markSeen(card),
  };

  async #markSeen(card) {
    try {
      await this.api.seen(card.worktree.id);
      this.live.refresh();
    } catch (failure) {
      this.done(this.refusalInWords(failure).join(" "));
    }
  }

  /** Something was done, or was not; says so and looks at once. */
  done(sentence) {
    setText(this.parts.note, sentence);
    this.parts.note.hidden = false;
    this.live.refresh();
  }

  /** Why something was not done, in sentences. */
  refusalInWords(failure) {
    if (!(failure instanceof Refusal)) return [this.say(failure?.name === "TimeoutError" ? "failedTimeout" : "failedUnreachable")];
    if (failure.status === 401) {
      this.token.ask(this.say);
      return [this.say("tokenNeeded")];
    }
    const known = `refused-${failure.code}`;
    const sentence = this.say(known);
    const said = sentence === known ? [this.say("failedServer", { status: failure.status })] : [sentence];
    return failure.detail ? [...said, failure.detail] : said;
  }

  get #focused() {
    return [...this.#cards.values()].find(({ root }) => root.contains(document.activeElement)) ?? null;
  }

  #move(step) {
    const cards = [...this.parts.list.children];
    const at = cards.indexOf(this.#focused?.root);
    cards[at < 0 ? (step > 0 ? 0 : cards.length - 1) : Math.min(Math.max(at + step, 0), cards.length - 1)]?.focus();
  }

  actOf(event) {
    if (event.key === "ArrowDown") return () => this.#move(1);
    if (event.key === "ArrowUp") return () => this.#move(-1);
    if (!keysAreOn()) return null;
    const card = this.#focused;
    return {
      r: () => this.live.refresh(),
      n: () => this.creation.open(),
      "?": () => this.help(),
      ...(card && { d: () => this.#acts.diff(card) }),
      ...(card && stateOf(card.worktree) === "done_unseen" && { s: () => this.#acts.seen(card) }),
    }[event.key] ?? null;
  }

  // MARK: Showing

  speak() {
    super.speak();
    this.#show();
  }

  #changed() {
    if (this.#isBeginningAgain) return;
    const look = this.live.look();
    if (look?.failure === "unauthorised" && look.failureStatus === 401) this.token.ask(this.say);
    else if (look?.revision != null && !look.failure) this.token.hide();
    this.#show();
  }

  #show() {
    const body = this.live.body ?? null;
    const { list, empty, create } = this.parts;
    const ordered = body ? inOrder(body.worktrees) : [];
    this.#arrange(list, ordered);
    create.hidden = !body;
    empty.hidden = !body || ordered.length > 0;
    const words = COUNTED.map((state) => [state, countOf(ordered, state)]).filter(([, count]) => count > 0).map(([state, count]) => this.say(`count-${state}`, { count }));
    setText(this.parts.summary, body ? words.join(" · ") || this.say("countNone", { count: ordered.length }) : "");
    const needing = countOf(ordered, "needs_you");
    document.title = needing > 0 ? `(${needing}) ${this.say("workspacesPage")}` : this.say("workspacesPage");
    this.#announce(ordered);
    this.tick();
  }

  /** Cards stay the nodes they are, so that focus and what is unfolded stay too. */
  #arrange(list, ordered) {
    const wanted = new Set(ordered.map(({ id }) => id));
    for (const [id, card] of this.#cards) {
      if (wanted.has(id)) continue;
      card.root.remove();
      this.#cards.delete(id);
    }
    const focus = document.activeElement;
    ordered.forEach((worktree, index) => {
      let card = this.#cards.get(worktree.id);
      if (!card) this.#cards.set(worktree.id, (card = new WorktreeCard(this.#acts)));
      card.show(worktree, this.say);
      if (list.children[index] !== card.root) list.insertBefore(card.root, list.children[index] ?? null);
    });
    if (focus !== document.activeElement && focus?.isConnected) focus.focus({ preventScroll: true });
  }

  #announce(ordered) {
    const before = this.#states;
    this.#states = this.live.body ? new Map(ordered.map((worktree) => [worktree.id, stateOf(worktree)])) : null;
    if (!before || !this.#states) return;
    const news = ordered.filter((worktree) => NEWS.includes(stateOf(worktree)) && before.get(worktree.id) !== stateOf(worktree));
    const sentence = news.map((worktree) => `${titleOf(worktree)}: ${this.say(`state-${stateOf(worktree)}`)}`).join(". ");
    if (sentence) this.announcer.say(sentence, { now: this.device.now(), urgent: true });
  }

  tick() {
    const now = this.clock.now();
    for (const card of this.#cards.values()) card.tick(now, this.say);
    this.#showFreshness();
  }

  #showFreshness() {
    const look = this.live.look();
    const steady = this.device.now();
    const retryIn = look === null ? null : look.nextCause === "outstanding" ? 0 : nextQuestion({ look, now: steady }).wait;
    const { problem } = this.live.failure ?? {};
    const line = freshnessLine({ look, problem, retryIn, saved: null, shownAt: null, zone: null }, this.say);
    // What the form for the token says is not said twice.
    const isTold = line.state === "failing" && problem?.detail && look.failureStatus !== 401;
    const said = isTold ? [line.detail, problem.detail].filter(Boolean).join(" · ") : line.detail;
    setAttribute(this.root, "data-state", line.state);
    setAttribute(this.root, "data-loading", look?.isLoading ? "yes" : null);
    setSign(this.parts.sign, SIGNS[line.state] ?? "loading");
    setText(this.parts.state, line.title);
    setText(this.parts.detail, said);
    if (this.#shownState !== line.state) {
      const isNews = this.#shownState !== null && ["failing", "offline"].some((one) => one === line.state || one === this.#shownState);
      this.#shownState = line.state;
      if (isNews) this.announcer.say(line.title, { now: steady, urgent: true });
    }
  }
}

begin(async () => new WorkspacesPage(await Engine.load(fetch(WASM))));
