// One board on the page: a stop, its departures, how fresh they are, and what of them is shown.

import { Banners } from "./banners.js";
import { ServerClock } from "../engine/clock.js";
import { isTrain } from "./departure.js";
import { fillTexts, fromTemplate, nameControl, partsOf, setAttribute, setSign, setText } from "../shared/dom.js";
import { reasonOfEmptiness, refusalInWords } from "./emptiness.js";
import { freshnessLine } from "../shared/freshness-line.js";
import { LiveBoard } from "./live-board.js";
import { clockSeconds, clockTime } from "../shared/times.js";
import { pressGuard } from "../shared/press-guard.js";
import { platformWord, Rows } from "./rows.js";
import { savedBoard, saveBoard } from "./saved-board.js";
import { arrange, viewsOf } from "./views.js";

const USUAL_LIMIT = 60;
const LONGEST_LIMIT = 300;
const USUAL_ROWS = 20;
/** How often the line that says "12 s ago" may be off: the page ticks every second. */
const SIGNS = {
  live: "live", ageing: "live", timetable: "timetable", reduced: "reduced", stale: "reduced", kept: "reduced",
  saved: "timetable", unconfirmed: "timetable", loading: "loading", offline: "offline", failing: "failing", none: "loading",
};

/** One clock for all boards of the page: they are of one server, and show one time. */
const SERVER_CLOCK = new ServerClock();

let offersOf = null;
/** Loads what says in words what changed on a board; a board that has just come changes later. */
export const loadChanges = () => import("./board-changes.js");

export class Pane {
  #clock = SERVER_CLOCK;
  #rows;
  #banners;
  #live;
  #saved = null;
  #shown = { state: "none", departures: null };
  #most = USUAL_ROWS;
  #limit;
  #savedAt = 0;
  #linkedTrip = null;

  /**
   * @param {object} page - What panes share: `engine`, `policy`, `device`, `announcer`, `say()`, `language`, `locale`,
   *   `mode`, `limit`, `settingsChanged(pane)`, `openTrip(departure, pane)`, `findStop(pane)`, `favourites`.
   * @param {object} settings - `stop`: `{ id, name }` or `null`, `view`, `lines`, `platforms`.
   */
  constructor(page, settings) {
    this.page = page;
    this.settings = settings;
    this.#limit = page.limit ?? USUAL_LIMIT;
    this.root = fromTemplate("pane-template");
    this.parts = partsOf(this.root);
    this.parts.board.setAttribute("aria-label", "");
    this.#rows = new Rows(this.parts.rows, { onOpen: (departure) => page.openTrip(departure, this), onToggle: () => page.mode === "wall" && this.#show() });
    this.#banners = new Banners(this.parts.banners);
    const { engine, policy, device } = page;
    const onReceived = (received) => this.#clock.learnFrom(received);
    this.#live = new LiveBoard({ engine, policy, device, onChange: () => pressGuard.run(this, () => this.#changed()), onReceived });
    this.parts.refresh.addEventListener("click", () => this.refresh());
    this.parts.more.addEventListener("click", () => this.#more());
    this.parts.star.addEventListener("click", () => page.favourites.toggle(this.settings.stop));
    this.parts.filters.addEventListener("click", () => page.openFilters(this));
    this.parts.change.addEventListener("click", () => page.findStop(this));
    this.parts.close.addEventListener("click", () => page.closePane(this));
    this.parts.jump.addEventListener("click", () => page.neighbourOf(this)?.comeIntoView());
    this.parts.views.addEventListener("change", (event) => this.choose({ view: event.target.value }));
    this.speak();
  }

  get live() {
    return this.#live;
  }

  get clock() {
    return this.#clock;
  }

  get zone() {
    return this.body?.station?.timezone;
  }

  /** What runs here for those who book it; its script comes with the first of them. */
  #offers() {
    if (!this.body?.onDemand?.length) return [];
    offersOf ?? import("./on-demand.js").then((script) => ((offersOf = script.offersOf), this.#show()), () => {});
    return offersOf?.(this.body, this.zone, this.page.language) ?? [];
  }

  /** The board that is shown: of this visit, or of an earlier one. */
  get body() {
    return this.#live.body ?? this.#saved?.body ?? null;
  }

  get departures() {
    return this.body?.departures ?? [];
  }

  // MARK: What a person does

  open(stop) {
    this.settings = { ...this.settings, stop, lines: [], platforms: [], view: "minutes", trip: null };
    this.start();
    this.page.settingsChanged({ asNewPage: true });
  }

  /** Begins with the settings as they are. */
  start() {
    const { stop } = this.settings;
    this.page.showMode();
    this.#linkedTrip = this.settings.trip;
    this.#rows.clear();
    this.#shown = { state: "none", departures: null };
    this.#most = USUAL_ROWS;
    this.#limit = this.page.limit ?? USUAL_LIMIT;
    this.#saved = stop ? savedBoard(stop.id) : null;
    this.#savedAt = this.page.device.now();
    if (stop) this.#ask();
    else this.#live.stop();
    this.#show();
    this.page.showTime();
  }

  close() {
    this.#live.stop();
    this.root.remove();
  }

  refresh({ isForced = false } = {}) {
    this.#live.refresh({ isForced });
  }

  /** Another view, or other filters. */
  choose(change) {
    Object.assign(this.settings, change);
    this.#rows.release();
    this.page.settingsChanged();
    this.#show();
  }

  move(step) {
    this.#rows.move(step);
  }

  /** After the language or the mode changed. */
  speak() {
    fillTexts(this.page.say, this.root);
    if (this.settings.stop && this.#live.question) this.#ask();
    this.#rows.release();
    this.#show();
  }

  #ask() {
    this.#live.watch({ stopId: this.settings.stop.id, language: this.page.language, limit: this.#limit });
  }

  #more() {
    this.#most += USUAL_ROWS;
    if (this.#most > this.#arranged().length && this.#limit < LONGEST_LIMIT) {
      this.#limit = Math.min(LONGEST_LIMIT, Math.max(this.#limit * 2, this.#most));
      this.#ask();
    }
    this.#show();
  }

  // MARK: What the machine says

  #changed() {
    const { body } = this.#live;
    if (body?.station?.name && this.settings.stop && this.settings.stop.name !== body.station.name) {
      this.settings.stop = { ...this.settings.stop, name: body.station.name };
      this.page.stopNamed(this);
    }
    if (body) {
      this.#saved = null;
      const age = this.#live.appearance().label.age ?? 0;
      const { stop } = this.settings;
      saveBoard({ stop: stop.id, language: this.page.language, body, age, now: this.page.device.now() });
    }
    this.#show();
    this.page.showTime();
    if (body) this.#openLinkedTrip();
  }

  /** The address may name a trip: it opens with the first board. */
  #openLinkedTrip() {
    const departure = this.#linkedTrip && this.departures.find(({ key }) => key === this.#linkedTrip);
    this.#linkedTrip = null;
    if (departure) this.page.openTrip(departure, this);
  }

  #announce() {
    const { say, announcer, device } = this.page;
    const before = this.#shown.departures;
    const { departures } = this;
    if (this.#live.body && before !== departures) {
      this.#shown.departures = departures;
      if (before === null) return announcer.say(say("loaded", { station: this.name, count: this.#rows.count }), { now: device.now(), urgent: true });
      const context = { say, now: this.#clock.now(), zone: this.zone };
      loadChanges().then((script) => announcer.say(script.changesInWords(before, departures, context), { now: device.now(), urgent: false }), () => {});
    }
  }

  // MARK: Showing

  get name() {
    return this.settings.stop?.name || this.body?.station?.name || this.settings.stop?.id || "";
  }

  /** The id of a link says nothing to people; the server will tell the name. */
  get #title() {
    return this.settings.stop?.name || this.body?.station?.name || this.page.say("departures");
  }

  #arranged() {
    return arrange(this.departures, this.settings);
  }

  #show() {
    const { parts, page } = this;
    const { say } = page;
    setText(parts.station, this.#title);
    parts.tools.hidden = !this.settings.stop;
    const isFavourite = page.favourites.has(this.settings.stop?.id);
    parts.star.hidden = !isFavourite && !this.body && this.#live.failure?.problem?.error === "stop_not_found";
    setAttribute(parts.star, "aria-pressed", String(isFavourite));
    nameControl(parts.star, say(isFavourite ? "removeFavourite" : "addFavourite"));
    this.#showViews();
    this.#showFilters();
    const arranged = this.#arranged();
    // The parts around the rows come first: a wall has as many of them as it leaves room for.
    this.#banners.show([...(this.body?.banners ?? []), ...this.#offers()]);
    this.#showFreshness();
    page.boardShown(this);
    const most = page.mode === "wall" ? this.#fits() : this.#most;
    this.#rows.show(arranged, { most, now: this.#clock.now(), zone: this.zone, town: this.#town, say });
    this.#describeColumns(arranged);
    const canBeLonger = arranged.length > this.#most || (this.departures.length >= this.#limit && this.#limit < LONGEST_LIMIT);
    parts.moreline.hidden = page.mode !== "page" || this.#rows.count === 0 || !canBeLonger;
    this.#showMessage(arranged);
    this.#announce();
  }

  /** The town of the stop: the part before the comma. */
  get #town() {
    return this.body?.station?.name?.split(", ")[0] ?? null;
  }

  /** As many rows as a wall has room for; nothing scrolls there. */
  #fits() {
    // What is not shown has no place yet.
    this.parts.board.hidden = false;
    const style = getComputedStyle(document.documentElement);
    const least = Number.parseFloat(style.fontSize) * Number.parseFloat(style.getPropertyValue("--row-least"));
    const { top } = this.parts.rows.getBoundingClientRect();
    const end = this.parts.banners.hidden ? this.root.getBoundingClientRect().bottom : this.parts.banners.getBoundingClientRect().top;
    return Math.max(3, Math.floor((end - Math.max(top, 0) - this.#rows.openHeight) / least));
  }

  #showViews() {
    const { views } = this.parts;
    const offered = viewsOf(this.departures);
    const chosen = offered.includes(this.settings.view) ? offered : [...offered, this.settings.view];
    views.closest("label").hidden = this.departures.length === 0;
    const written = `${this.page.language} ${chosen}`;
    if (views.dataset.written !== written) {
      views.dataset.written = written;
      views.replaceChildren(...chosen.map((view) => new Option(this.page.say(`view-${view}`), view)));
    }
    views.value = this.settings.view;
  }

  #showFilters() {
    const { lines, platforms } = this.settings;
    const count = lines.length + platforms.length;
    setAttribute(this.parts.filters, "data-active", count > 0 ? "yes" : null);
    setText(this.parts.filtercount, count > 0 ? [...lines, ...platforms].join(", ") : "");
    this.parts.filters.hidden = this.departures.length === 0;
  }

  #describeColumns(arranged) {
    const { board } = this.parts;
    board.hidden = this.#rows.count === 0;
    setAttribute(board, "aria-label", this.page.say("pair", { name: this.page.say("departures"), value: this.name }));
    board.classList.toggle("no-platforms", this.departures.every(({ platform }) => !platform));
    setText(this.parts.columnplatform, platformWord(arranged.find(isTrain) ?? arranged[0], this.page.say));
  }

  #showMessage(arranged) {
    const { message, messagetitle, messagedetail, messageaction } = this.parts;
    const words = this.#message(arranged);
    message.hidden = words === null;
    if (words === null) return;
    setText(messagetitle, words.title);
    setText(messagedetail, words.detail);
    messageaction.hidden = !words.action;
    if (words.action) setText(messageaction, words.action.label);
    messageaction.onclick = words.action?.act ?? null;
  }

  #message(arranged) {
    const { say } = this.page;
    const find = { label: say("backToSearch"), act: () => this.page.findStop(this) };
    if (!this.settings.stop) return { title: say("welcome"), detail: say("welcomeDetail") };
    if (this.#rows.count > 0) return null;
    if (this.departures.length > 0 && arranged.length < this.departures.length) {
      const clear = () => this.choose({ view: "minutes", lines: [], platforms: [] });
      return { title: say("emptyFilter"), detail: say("emptyFilterDetail"), action: { label: say("clearFilters"), act: clear } };
    }
    if (this.body) return reasonOfEmptiness(this.body, { say, locale: this.page.locale, zone: this.zone });
    const appearance = this.#live.appearance();
    if (!appearance?.failure) return null;
    const refusal = refusalInWords(appearance, this.#live.failure?.problem, this.settings.stop.id, say);
    if (refusal) return { ...refusal, action: find };
    const again = { label: say("refresh"), act: () => this.refresh() };
    return { title: say("emptyNoAnswer"), detail: say("emptyNoAnswerDetail"), action: again };
  }

  // MARK: Every second

  tick(now) {
    this.#showClock(now);
    this.#showFreshness();
    const before = this.#rows.count;
    this.#rows.tick(now);
    this.#banners.tick(this.page.device.now(), { turns: this.page.mode === "wall" });
    if (this.#rows.count !== before) this.#show();
    this.#showJump();
  }

  /** On a phone the other board lies below or above: a button says so and leads there. */
  #showJump() {
    const other = this.page.neighbourOf(this);
    if (!other) return;
    setText(this.parts.jumpname, this.page.say("showBoard", { stop: other.#title }));
    setAttribute(this.parts.jump, "data-to", other.root.previousElementSibling === this.root ? "below" : "above");
  }

  comeIntoView() {
    this.root.scrollIntoView();
    this.parts.jump.focus({ preventScroll: true });
  }

  #showClock(now) {
    setText(this.parts.clockminutes, this.zone ? clockTime(now, this.zone) : "");
    setText(this.parts.clockseconds, this.zone ? `:${clockSeconds(now)}` : "");
  }

  #showFreshness() {
    const { parts, page } = this;
    const appearance = this.settings.stop ? this.#live.appearance() : null;
    const now = page.device.now();
    const saved = this.#saved && { age: this.#saved.age + now - this.#savedAt };
    const { state, title, detail } = freshnessLine({
      appearance,
      problem: this.#live.failure?.problem,
      retryIn: timeToNextQuestion(appearance, now),
      saved,
      shownAt: this.#shownAt(appearance, saved, now),
      zone: this.zone,
      coverage: this.body?.meta?.rtCoverage ?? null,
      count: this.departures.length,
    }, page.say);
    parts.freshness.hidden = state === "none";
    setAttribute(this.root, "data-state", state);
    setAttribute(this.root, "data-loading", appearance?.isLoading ? "yes" : null);
    setSign(parts.sign, SIGNS[state]);
    setText(parts.state, title);
    setText(parts.detail, detail);
    this.#announceState(state, title);
  }

  /** The time of day at which what is shown was true. */
  #shownAt(appearance, saved, now) {
    const age = appearance?.label.age ?? saved?.age ?? null;
    return age === null ? null : this.#clock.at(now) - age;
  }

  #announceState(state, title) {
    const before = this.#shown.state;
    if (before === state) return;
    this.#shown.state = state;
    const isQuiet = ["none", "loading"].includes(before) && ["live", "timetable", "loading", "none"].includes(state);
    const isSmall = [before, state].every((one) => ["live", "ageing"].includes(one));
    if (!isQuiet && !isSmall) this.page.announcer.say(this.page.say("pair", { name: this.name, value: title }), { now: this.page.device.now(), urgent: true });
  }
}

/** Milliseconds to the next question: none while one is out, `null` if none is due. */
function timeToNextQuestion(appearance, now) {
  if (appearance?.nextCause === "outstanding") return 0;
  return appearance?.nextDue == null ? null : Math.max(0, appearance.nextDue - now);
}
