// The page of worktrees: which agents work, need a person, or are done, and what a person can do about it.

import { ActionSheet, CreationSheet } from "./action-sheet.js";
import { reasonInWords } from "./agent-reason.js";
import { Deferred } from "../shared/deferred.js";
import { element, newElement, partsOf, setAttribute, setSign, setText } from "../shared/dom.js";
import { showFault } from "../shared/fault.js";
import { freshnessLine } from "../shared/freshness-line.js";
import { Engine } from "../engine/freshness.js";
import { keysAreOn } from "../shared/keys.js";
import { LiveResource } from "../engine/live-resource.js";
import { nextQuestion } from "../engine/next-question.js";
import { Notices } from "./notices.js";
import { OmissionList } from "./omission-list.js";
import { HoverAnchor, pressGuard } from "../shared/press-guard.js";
import { RestoreList } from "./restore-list.js";
import { TokenForm } from "../shared/token-form.js";
import { begin, WorkPage } from "../shared/work-page.js";
import { Refusal, WorkspaceApi } from "./workspace-api.js";
import { countOf, inOrder, stateOf } from "./workspace-list.js";
import { workspaceSource } from "./workspace-source.js";
import { isTrusted, titleOf, WorktreeCard } from "./worktree-card.js";

const WASM = "/assets/freshness.wasm";
/** The messages by language: one is loaded, and another when it is chosen. */
const MESSAGES = {
  fr: () => import("../messages/fr/worktrees.js"),
  de: () => import("../messages/de/worktrees.js"),
  it: () => import("../messages/it/worktrees.js"),
  en: () => import("../messages/en/worktrees.js"),
};
/** The rhythm of the stream's heartbeats on the server. */
const POLICY = { preset: "workspaces", push: { heartbeat: 15_000 } };
const SIGNS = { live: "live", ageing: "live", reduced: "reduced", stale: "reduced", kept: "reduced", loading: "loading", offline: "offline", failing: "failing" };
/** How long the result of an action is shown. */
const NOTE_MS = 30_000;
const COUNTED = ["needs_you", "done_unseen", "working"];
/** States whose start a screen reader announces. */
const ANNOUNCED = ["needs_you", "done_unseen"];
/** Codes whose message is too vague: the server's own text follows it. */
const VAGUE = ["git_failed", "invalid_body", "invalid_parameter"];

class WorkspacesPage extends WorkPage {
  #cards = new Map();
  #states = null;
  #shownState = null;
  #isBeginningAgain = false;
  /** Whether the cards are in an order of before, because the mouse is over them. */
  #isOrderHeld = false;
  #noteTimer = null;

  constructor(engine, words) {
    super(words);
    this.root = element("worktree-page");
    this.parts = partsOf(this.root);
    this.token = new TokenForm("workspaces.token", () => this.#beginAgain());
    const fields = () => this.token.fields;
    this.api = new WorkspaceApi(fields);
    // A difference is asked of the server anyway, so its script is not loaded ahead.
    const diff = async () => new (await import("./diff-sheet.js")).DiffSheet(this);
    this.diff = new Deferred(diff, (failure) => showFault(this.say, "pageFault", failure));
    this.action = new ActionSheet(this);
    this.creation = new CreationSheet(this);
    const onReceived = (received) => this.clock.learnFrom(received);
    this.live = new LiveResource(workspaceSource(fields), { engine, policy: POLICY, device: this.device, onChange: () => this.#changed(), onReceived });
    this.notices = new Notices(this, (id) => this.#cards.get(id)?.root.focus());
    this.anchor = new HoverAnchor(this.parts.list, { now: () => this.device.now(), onLeave: () => this.#show() });
    for (const name of ["refresh", "again"]) this.parts[name].addEventListener("click", () => this.live.refresh());
    this.parts.create.addEventListener("click", () => this.creation.open());
    this.restores = new RestoreList(this, this.parts);
    this.omissions = new OmissionList(this, this.parts);
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
    diff: (card) => this.diff.use((sheet) => sheet.open(card)),
    sync: (card) => this.action.open("sync", card),
    merge: (card) => this.action.open("merge", card),
    remove: (card) => this.action.open("remove", card),
    trust: (card) => this.action.open(isTrusted(card.worktree) ? "distrust" : "trust", card),
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

  /** Something was done, or was not; says so, offers to take it back, and looks at once. */
  done(sentence, point = null) {
    this.restores.offer(point);
    setText(this.parts.note, sentence);
    this.parts.note.hidden = false;
    clearTimeout(this.#noteTimer);
    this.#noteTimer = setTimeout(() => {
      this.parts.note.hidden = true;
      this.restores.offer(null);
    }, NOTE_MS);
    this.live.refresh();
  }

  /** Why something was not done, in sentences. */
  refusalInWords(failure) {
    if (!(failure instanceof Refusal)) return [this.say(failure?.name === "TimeoutError" ? "failedTimeout" : "failedUnreachable")];
    if (failure.status === 401) {
      this.token.ask(this.say);
      return [this.say("tokenNeeded")];
    }
    const sentence = this.#sentenceOf(failure.code);
    if (failure.processes.length > 0) {
      const names = failure.processes.map(({ name, pid }) => `${name} (${pid})`).join(", ");
      return [this.say("processesLive", { names })];
    }
    if (sentence && !VAGUE.includes(failure.code)) return [sentence];
    return [sentence ?? this.say("failedServer", { status: failure.status }), failure.detail].filter(Boolean);
  }

  /** What a code of the server says; `null` for one without a sentence. */
  #sentenceOf(code) {
    const known = `refused-${code}`;
    const sentence = this.say(known);
    return sentence === known ? null : sentence;
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
    this.notices.speak();
    this.omissions.list();
    this.#show();
  }

  #changed() {
    if (this.#isBeginningAgain) return;
    const appearance = this.live.appearance();
    if (appearance?.failure === "unauthorised" && appearance.failureStatus === 401) this.token.ask(this.say);
    else if (appearance?.revision != null && !appearance.failure) this.token.hide();
    this.#show();
  }

  /** Tells what the server said last, and shows it once a press that is under way has ended. */
  #show() {
    const body = this.live.body ?? null;
    const ordered = body ? inOrder(body.worktrees) : [];
    const needing = countOf(ordered, "needs_you");
    document.title = needing > 0 ? `(${needing}) ${this.say("workspacesPage")}` : this.say("workspacesPage");
    this.#announce(ordered);
    pressGuard.run(this, () => this.anchor.keep(() => this.#showList(body, ordered)));
  }

  #showList(body, ordered) {
    const { list, empty, create } = this.parts;
    this.#isOrderHeld = this.anchor.isActive && list.children.length > 0;
    this.#arrange(list, this.#isOrderHeld ? this.#inShownOrder(ordered) : ordered);
    create.hidden = ordered.length === 0;
    this.parts.restores.hidden = !body;
    if (body) this.omissions.show(ordered.length === 0);
    empty.hidden = !body || ordered.length > 0;
    this.#summarise(body, ordered);
    this.tick();
  }

  #summarise(body, ordered) {
    const counts = COUNTED.map((state) => [state, countOf(ordered, state)]).filter(([, count]) => count > 0);
    const words = counts.map(([state, count]) => [state, this.say(`count-${state}`, { count })]);
    if (body && ordered.length > 0 && words.length === 0) words.push(["none", this.say("countNone", { count: ordered.length })]);
    if (this.parts.summary.dataset.written === String(words)) return;
    this.parts.summary.dataset.written = String(words);
    this.parts.summary.replaceChildren(...words.map(([state, text]) => {
      const item = newElement("li", "", text);
      item.dataset.state = state;
      return item;
    }));
  }

  /** In the order of the cards that are shown; what is new comes last. */
  #inShownOrder(worktrees) {
    const places = new Map([...this.parts.list.children].map((card, index) => [card.dataset.id, index]));
    const place = ({ id }) => places.get(id) ?? places.size;
    return [...worktrees].sort((one, other) => place(one) - place(other));
  }

  /** Cards stay the nodes they are, so that focus and what is unfolded stay too. */
  #arrange(list, ordered) {
    const wanted = new Set(ordered.map(({ id }) => id));
    for (const [id, card] of this.#cards) {
      if (wanted.has(id)) continue;
      card.root.remove();
      this.#cards.delete(id);
    }
    const focus = /** @type {HTMLElement | null} */ (document.activeElement);
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
    const changed = ordered.filter((worktree) => ANNOUNCED.includes(stateOf(worktree)) && before.get(worktree.id) !== stateOf(worktree));
    const sentence = changed.map((worktree) => `${titleOf(worktree)}: ${this.say(`state-${stateOf(worktree)}`)}`).join(". ");
    if (sentence) this.announcer.say(sentence, { now: this.device.now(), urgent: true });
    for (const worktree of changed) {
      const title = `${titleOf(worktree)}: ${this.say(`state-${stateOf(worktree)}`)}`;
      this.notices.notify({ id: worktree.id, title, text: reasonInWords(worktree.activity.reason, this.say) || worktree.latest_claude_message || "" });
    }
  }

  tick() {
    // A mouse that has stopped moving no longer keeps the order.
    if (this.#isOrderHeld && !this.anchor.isActive) this.#show();
    const now = this.clock.now();
    for (const card of this.#cards.values()) card.tick(now, this.say, this.locale);
    this.#showFreshness();
  }

  #showFreshness() {
    const appearance = this.live.appearance();
    const steady = this.device.now();
    const retryIn = appearance === null ? null : appearance.nextCause === "outstanding" ? 0 : nextQuestion({ appearance, now: steady }).wait;
    const { problem } = this.live.failure ?? {};
    const line = freshnessLine({ appearance, problem, retryIn, saved: null, shownAt: null, zone: null }, this.say);
    // What the form for the token says is not said twice.
    const sentence = line.state === "failing" ? this.#sentenceOf(problem?.error) : null;
    const isTold = line.state === "failing" && problem?.detail && !sentence && appearance.failureStatus !== 401;
    // Without a list, the reason takes the list's place; the line has its short form.
    const isBare = !this.live.body && ["failing", "offline"].includes(line.state) && !this.token.isShown;
    const said = isTold && !isBare ? [line.detail, problem.detail].filter(Boolean).join(" · ") : line.detail;
    // The title of the line has no final period.
    const title = sentence?.replace(/\.$/, "") ?? line.title;
    this.parts.trouble.hidden = !isBare;
    setText(this.parts.troubletitle, title);
    setText(this.parts.troubletext, isTold ? problem.detail : this.say("nothingYet"));
    setAttribute(this.root, "data-state", line.state);
    setAttribute(this.root, "data-loading", appearance?.isLoading ? "yes" : null);
    setSign(this.parts.sign, SIGNS[line.state] ?? "loading");
    setText(this.parts.state, isBare ? line.title : title);
    setText(this.parts.detail, said);
    if (this.#shownState !== line.state) {
      const isChange = this.#shownState !== null && ["failing", "offline"].some((one) => one === line.state || one === this.#shownState);
      this.#shownState = line.state;
      if (isChange) this.announcer.say(title, { now: steady, urgent: true });
    }
  }
}

begin(MESSAGES, async (words) => {
  const [engine, loaded] = await Promise.all([Engine.load(fetch(WASM)), words]);
  return new WorkspacesPage(engine, loaded);
});
