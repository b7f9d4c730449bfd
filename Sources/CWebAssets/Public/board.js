// The page: which stop, which words, what is shown. The parts it is made of do the work.

import { stationboard } from "./api.js";
import { everySecond, ServerClock, steadyClock } from "./clock.js";
import { element, fillTexts, memory, setSign, setText } from "./dom.js";
import { clockSeconds, clockTime, dayInWords, isPastItsValidity, minutesInWords } from "./format.js";
import { freshnessLine } from "./freshness.js";
import { BoardRefresh } from "./refresh.js";
import { Rows } from "./rows.js";
import { StopSearch } from "./search.js";
import { languageOf, LOCALES, sentences } from "./texts.js";
import { TripDialog } from "./trip.js";

const USUAL_LIMIT = 20;
const WALL_LIMIT = 30;
const LONGEST_LIMIT = 100;
const THEMES = ["auto", "light", "dark"];

const clock = new ServerClock();
const page = readPage();
let say = sentences(page.language);
let answer = null; // the last good one: { station, departures, meta, noService, answeredAt }
let failure = null; // of the questions asked since then
let announcedState = null;

const rows = new Rows({ onOpen: (departure) => trip.open(departure, words()) });
const trip = new TripDialog();
const search = new StopSearch({ context: words, onChoose: choose });
const refresh = new BoardRefresh({ ask: stationboard, onAnswer: takeAnswer, onFailure: takeFailure, onRejected: showRejection });

function words() {
  return { say, language: page.language, locale: LOCALES[page.language], zone: zone() };
}

function zone() {
  return answer?.station?.timezone;
}

// MARK: What the address and this device's memory ask for

function readPage() {
  const asked = new URLSearchParams(location.search);
  const wall = asked.get("view") === "wall";
  return {
    stop: stopOfAddress() ?? memory.read("stop"),
    language: languageOf(asked.get("lang"), memory.read("language"), ...(navigator.languages ?? [navigator.language])),
    theme: [asked.get("theme"), memory.read("theme")].find((theme) => THEMES.includes(theme)) ?? "auto",
    limit: limitOf(asked.get("limit")) ?? (wall ? WALL_LIMIT : USUAL_LIMIT),
    wall,
  };
}

function stopOfAddress() {
  const id = new URLSearchParams(location.search).get("stop");
  const last = memory.read("stop");
  return id ? { id, name: last?.id === id ? last.name : "" } : null;
}

function limitOf(text) {
  const limit = Number.parseInt(text ?? "", 10);
  return limit >= 1 && limit <= 500 ? limit : null;
}

function writeAddress(changes, { asNewPage = false } = {}) {
  const address = new URL(location.href);
  for (const [name, value] of Object.entries(changes)) {
    if (value == null) address.searchParams.delete(name);
    else address.searchParams.set(name, value);
  }
  history[asNewPage ? "pushState" : "replaceState"](null, "", address);
}

/** A choice is kept on the device; the address follows only if it already said something about it. */
function keepChoice(parameter, name, value) {
  memory.write(name, value);
  if (new URLSearchParams(location.search).has(parameter)) writeAddress({ [parameter]: value });
}

// MARK: Choosing

function choose(stop) {
  writeAddress({ stop: stop.id }, { asNewPage: true });
  openStop(stop);
}

function openStop(stop) {
  page.stop = stop;
  [answer, failure, announcedState] = [null, null, null];
  trip.close();
  rows.clear();
  scrollTo(0, 0);
  showTheme();
  showStation();
  showNotices();
  if (!stop) return showWelcome();
  showRowsOrReason();
  hideMessage();
  askAgain();
  tick();
}

function askAgain() {
  if (page.stop) refresh.start({ stopId: page.stop.id, language: page.language, limit: page.limit });
}

function chooseLanguage(language) {
  page.language = language;
  keepChoice("lang", "language", language);
  speak();
  if (!page.stop) return showWelcome();
  showBoard();
  askAgain();
}

function chooseTheme(theme) {
  page.theme = theme;
  keepChoice("theme", "theme", theme);
  showTheme();
}

function chooseWall(wall) {
  page.wall = wall;
  if (wall) page.limit = Math.max(page.limit, WALL_LIMIT);
  writeAddress({ view: wall ? "wall" : null });
  showTheme();
  showBoard();
  askAgain();
}

function askForMore() {
  page.limit = Math.min(page.limit + USUAL_LIMIT, LONGEST_LIMIT);
  askAgain();
}

// MARK: Answers

function takeAnswer({ body, askedAt, answeredAt }) {
  clock.learn(body.meta?.serverTime, { askedAt, answeredAt });
  answer = { ...body, meta: body.meta ?? {}, answeredAt };
  failure = null;
  page.stop.name = body.station?.name ?? page.stop.id;
  memory.write("stop", page.stop);
  showBoard();
  if (announcedState == null) announce(say("loaded", { station: page.stop.name, count: rows.count }));
  tick();
}

function takeFailure(reason) {
  failure = reason;
  showBoard();
  tick();
}

/** The question itself is wrong: asking it again would not help. */
function showRejection({ problem }) {
  [answer, failure] = [null, null];
  rows.clear();
  const unknown = problem?.error === "stop_not_found";
  if (unknown && memory.read("stop")?.id === page.stop.id) memory.write("stop", null);
  const detail = unknown ? say("unknownStopDetail", { stop: page.stop.id }) : problem?.detail ?? problem?.title ?? "";
  page.stop = null;
  showTheme();
  showStation();
  showNotices();
  showMessage(say(unknown ? "unknownStop" : "rejected"), detail, { label: say("backToSearch"), act: () => search.focus() });
  tick();
}

// MARK: Showing

function showBoard() {
  showStation();
  showNotices();
  if (answer) rows.show(answer.departures, { now: clock.now(), zone: zone(), say });
  showRowsOrReason();
}

function showRowsOrReason() {
  element("board").hidden = rows.count === 0;
  const canBeLonger = answer?.departures.length >= page.limit && page.limit < LONGEST_LIMIT;
  element("more-line").hidden = rows.count === 0 || !canBeLonger || page.wall;
  if (rows.count > 0) hideMessage();
  else if (answer) showMessage(...reasonOfEmptiness());
  else if (failure) showMessage(say("emptyNoAnswer"), say("emptyNoAnswerDetail"));
  fitWall();
}

function reasonOfEmptiness() {
  const { reason, window } = answer.noService ?? {};
  if (reason === "no_service_in_time_window") return emptyWindow(window);
  if (reason === "stop_has_no_departures") return [say("emptyNever"), say("emptyNeverDetail")];
  if (reason === "outside_feed_validity") return [say("emptyValidity"), say("emptyValidityDetail", validity())];
  return [say("empty"), say("emptyDetail")];
}

function emptyWindow(window) {
  if (!window?.minutes || !window.to) return [say("empty"), say("emptyDetail")];
  const until = clockTime(Date.parse(window.to), zone());
  return [say("emptyWindow", { span: minutesInWords(window.minutes) }), say("emptyWindowDetail", { time: until })];
}

function showStation() {
  setText(element("station"), page.stop?.name || say("departures"));
  document.title = page.stop?.name ? `${page.stop.name} · ${say("departures")}` : say("departures");
}

function showWelcome() {
  refresh.stop();
  showStation();
  showMessage(say("welcome"), say("welcomeDetail"));
  tick();
}

function showMessage(title, detail, action) {
  setText(element("message-title"), title);
  setText(element("message-detail"), detail);
  element("message-action").hidden = !action;
  if (action) setText(element("message-action"), action.label);
  element("message-action").onclick = action?.act ?? null;
  element("board").hidden = element("more-line").hidden = true;
  element("message").hidden = false;
}

function hideMessage() {
  element("message").hidden = true;
}

function validity() {
  const { validFrom, validUntil } = answer?.meta.timetable ?? {};
  const inWords = (day) => (day ? dayInWords(day, LOCALES[page.language]) : "?");
  return { from: inWords(validFrom), until: inWords(validUntil) };
}

/** The footer's words about the timetable, and the warning when it has ended. */
function showNotices() {
  const timetable = answer?.meta.timetable;
  const parts = timetable ? [say("timetable", { publisher: timetable.publisher ?? "", ...validity() })] : [];
  if (timetable?.version) parts.push(say("timetableVersion", { version: timetable.version }));
  if (zone()) parts.push(say("zone", { zone: zone() }));
  setText(element("timetable"), parts.join(" · "));
  const past = isPastItsValidity(timetable, clock.now(), zone());
  element("warning").hidden = !past;
  setText(element("warning"), past ? say("timetablePast", validity()) : "");
}

/** Without a stop even a wall needs the search, so it looks like any page until it has one. */
function showTheme() {
  document.documentElement.dataset.theme = page.theme;
  document.documentElement.classList.toggle("wall", page.wall && page.stop != null);
  element("theme").value = page.theme;
  setText(element("wall"), say(page.wall ? "leaveWall" : "wall"));
}

function speak() {
  say = sentences(page.language);
  document.documentElement.lang = page.language;
  element("language").value = page.language;
  fillTexts(say);
  showTheme();
}

/** A wall does not scroll: it shows the rows that fit. */
function fitWall() {
  const listed = [...element("rows").children];
  element("rows").classList.remove("full");
  for (const row of listed) row.hidden = false;
  if (!page.wall) return;
  const end = element("departures").getBoundingClientRect().bottom + 1;
  const fits = listed.map((row) => row.getBoundingClientRect().bottom <= end);
  listed.forEach((row, index) => (row.hidden = !fits[index]));
  element("rows").classList.toggle("full", fits.includes(false));
}

// MARK: Every second

function tick() {
  showClock();
  showFreshness();
  if (rows.tick({ now: clock.now(), say })) showRowsOrReason();
}

function showClock() {
  const known = zone() || !page.stop;
  setText(element("clock-minutes"), known ? clockTime(clock.now(), zone()) : "");
  setText(element("clock-seconds"), known ? `:${clockSeconds(clock.now())}` : "");
}

function showFreshness() {
  element("freshness").hidden = !page.stop;
  if (!page.stop) return (element("boardhead").dataset.state = "none");
  const { state, title, detail } = freshnessLine(freshnessFacts(), say);
  element("boardhead").dataset.state = state;
  setSign(element("freshness-sign"), state);
  setText(element("freshness-state"), title);
  setText(element("freshness-detail"), detail && `· ${detail}`);
  if (announcedState && announcedState !== state) announce(title);
  announcedState = state === "loading" ? null : state;
}

function freshnessFacts() {
  const answeredAt = answer ? clock.at(answer.answeredAt) : null;
  const age = answer ? (steadyClock.now() - answer.answeredAt) / 1000 : null;
  return { meta: answer?.meta, age, answeredAt, failure, zone: zone(), retryIn: refresh.secondsToNext };
}

function announce(sentence) {
  setText(element("announcement"), sentence);
}

function everySecondOfThePage() {
  if (steadyClock.notice() && !document.hidden) refresh.resume();
  tick();
}

// MARK: The beginning

function listen() {
  element("language").addEventListener("change", (event) => chooseLanguage(event.target.value));
  element("theme").addEventListener("change", (event) => chooseTheme(event.target.value));
  element("wall").addEventListener("click", () => chooseWall(!page.wall));
  element("refresh").addEventListener("click", () => refresh.refreshNow());
  element("more").addEventListener("click", askForMore);
  addEventListener("popstate", () => openStop(stopOfAddress()));
  addEventListener("online", () => refresh.refreshNow());
  addEventListener("resize", fitWall);
  document.addEventListener("visibilitychange", () => (document.hidden ? refresh.pause() : refresh.resume()));
}

function begin() {
  speak();
  listen();
  if (page.stop) writeAddress({ stop: page.stop.id });
  openStop(page.stop);
  everySecond(clock, everySecondOfThePage);
}

begin();
