// Whether realtime fits the timetable, and why not; and the timetables that serve.

import { newElement } from "../shared/dom.js";
import { dayInWords, localDay } from "../shared/times.js";

/** How the trip updates of one feed fit, with reasons and examples. */
export function matchCard(match, { say, number, feedsAreSeveral }) {
  const card = newElement("article", "match");
  const wanted = match.matched + match.unmatched;
  const share = newElement("p", "match-share");
  share.append(
    newElement("strong", "", wanted === 0 ? "–" : `${number((100 * match.matched) / wanted, 1)}\u00a0%`),
    newElement("span", "", say("matchSentence", { matched: number(match.matched), wanted: number(wanted), count: match.matched })),
  );
  if (feedsAreSeveral) card.append(newElement("h3", "", match.feed));
  card.append(share);
  const found = [
    match.byAffix > 0 ? say("foundByAffix", { count: number(match.byAffix) }) : null,
    match.byStart > 0 ? say("foundByStart", { count: number(match.byStart) }) : null,
    match.added > 0 ? say("foundAdded", { count: number(match.added) }) : null,
  ].filter(Boolean);
  if (found.length > 0) card.append(newElement("p", "soft", found.join(" · ")));
  if (match.hint) {
    const hint = newElement("p", "grave-text", match.hint);
    hint.lang = "en";
    card.append(hint);
  }
  if (match.reasons.length > 0) card.append(reasons(match.reasons, say, number));
  if (match.lines.length > 0) {
    const names = match.lines.map(({ line, unmatched }) => `${line} (${number(unmatched)})`).join(", ");
    card.append(newElement("p", "", say("unmatchedLines", { lines: names })));
  }
  return card;
}

function reasons(list, say, number) {
  const table = newElement("table");
  const body = newElement("tbody");
  const head = newElement("thead");
  const names = newElement("tr");
  names.append(...["reason", "updates", "examples"].map((name, index) => {
    const cell = newElement("th", index === 1 ? "figure" : "", say(`column-${name}`));
    cell.scope = "col";
    return cell;
  }));
  head.append(names);
  for (const { reason, count, examples } of list) {
    const row = newElement("tr");
    const known = say(`reason-${reason}`);
    const name = newElement("th", "", known === `reason-${reason}` ? reason : known);
    name.scope = "row";
    const cell = newElement("td");
    const items = newElement("ul");
    items.append(...examples.map((example) => {
      const item = newElement("li");
      item.append(newElement("code", "", example));
      return item;
    }));
    cell.append(items);
    row.append(name, newElement("td", "figure", number(count)), cell);
    body.append(row);
  }
  table.append(head, body);
  return table;
}

/** How long a timetable is still valid: `good`, `warning` or `grave`. */
export function verdictOnTimetable({ daysLeft }) {
  return daysLeft < 0 ? "grave" : daysLeft < 7 ? "warning" : "good";
}

/** A timetable that serves. */
export function timetableCard(timetable, { say, number, locale, now }) {
  const card = newElement("li", "timetable-card");
  card.dataset.level = verdictOnTimetable(timetable);
  card.append(newElement("h3", "", [timetable.publisher, timetable.publisher ? null : timetable.feed].filter(Boolean).join(" ")));
  const [from, until] = [timetable.validFrom, timetable.validUntil].map((day) => dayInWords(day, locale));
  const left = timetable.daysLeft < 0 ? say("timetableOver") : say("daysLeft", { count: timetable.daysLeft, days: number(timetable.daysLeft) });
  card.append(newElement("p", "", `${from} – ${until} · ${left}`));
  const bar = newElement("div", "validity");
  bar.setAttribute("aria-hidden", "true");
  const today = Date.parse(localDay(now, timetable.timezone));
  const [first, last] = [Date.parse(timetable.validFrom), Date.parse(timetable.validUntil)];
  const part = newElement("span");
  part.style.width = `${Math.min(100, Math.max(0, (100 * (today - first)) / Math.max(last - first, 1)))}%`;
  bar.append(part);
  card.append(bar);
  const counts = ["stops", "routes", "trips", "departures"].map((name) => say(`count-${name}`, { count: timetable[name], number: number(timetable[name]) }));
  card.append(newElement("p", "soft", counts.join(" · ")));
  const imported = new Date(timetable.importedAt).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short", timeZone: timetable.timezone });
  card.append(newElement("p", "soft", [say("importedAt", { time: imported }), timetable.version ? say("feedVersion", { version: timetable.version }) : null].filter(Boolean).join(" · ")));
  card.append(...standing(timetable, { say, number, locale }));
  return card;
}

/** The lines, and likewise the stops, that are named of those that lose departures. */
const NAMED = 5;

/** What is held back and why, what waits, and how the source fares. */
function standing(timetable, { say, number, locale }) {
  const time = (instant) => new Date(instant).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short", timeZone: timetable.timezone });
  const found = [];
  const { held, losses, source } = timetable;
  if (held) {
    found.push(newElement("p", "grave-text", say("timetableHeld")));
    const known = say(`held-${held}`, { share: losses ? `${number(losses.lostPercent, 1)}\u00a0%` : "–" });
    found.push(newElement("p", "", known));
    if (held === "losses" && losses) found.push(...losers(losses, { say, number, locale }));
    const how = newElement("p", "soft", say("heldHow"));
    how.append(" ", newElement("code", "", `freshet feeds accept${timetable.feed === "default" ? "" : ` --prefix ${timetable.feed}`}`));
    found.push(how);
  }
  if (timetable.waiting) {
    const day = timetable.waitingFrom ? dayInWords(timetable.waitingFrom, locale) : null;
    found.push(newElement("p", "", day ? say("timetableWaitsFor", { day }) : say("timetableWaiting")));
  }
  if (source) {
    const asked = [say("sourceChecked", { time: time(source.checkedAt) }), source.nextCheckAt ? say("sourceNext", { time: time(source.nextCheckAt) }) : null];
    found.push(newElement("p", "soft", asked.filter(Boolean).join(" · ")));
    if (source.state === "failing") {
      found.push(newElement("p", "grave-text", source.answeredAt ? say("sourceFailing", { time: time(source.answeredAt) }) : say("sourceSilent")));
    }
    if (source.state === "refused") found.push(newElement("p", "grave-text", say("sourceRefused")));
  }
  return found;
}

/** The lines and the stops that lose most. */
function losers({ lines, losingLines, stations = [], losingStations }, { say, number, locale }) {
  const loses = ({ before, lost }) => say("lineLoses", { share: `${number((100 * lost) / Math.max(before, 1), 1)}\u00a0%` });
  const ofLine = (one) => {
    const days = one.goneOn.slice(0, NAMED).map((day) => dayInWords(day, locale)).join(", ") + (one.goneOn.length > NAMED ? ", …" : "");
    return one.isGone ? say("lineGone") : one.goneOn.length > 0 ? say("lineGoneOn", { days }) : loses(one);
  };
  const list = (named, all, more) => {
    const rows = named.slice(0, NAMED).map(([name, what]) => {
      const row = newElement("li");
      row.append(newElement("strong", "", name), newElement("span", "", what));
      return row;
    });
    if (all > rows.length) rows.push(newElement("li", "soft", say(more, { count: all - rows.length, number: number(all - rows.length) })));
    const list = newElement("ul", "lost-lines");
    list.append(...rows);
    return list;
  };
  return [
    list(lines.map((one) => [one.line, ofLine(one)]), losingLines, "linesMore"),
    stations.length > 0 ? list(stations.map((one) => [one.station, one.isGone ? say("stopGone") : loses(one)]), losingStations, "stopsMore") : null,
  ].filter(Boolean);
}
