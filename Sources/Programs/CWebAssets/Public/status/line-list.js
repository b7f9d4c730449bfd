// Lines of today: the least punctual ones, and those with trips that realtime did not mention.

import { badgeColours } from "../board/colours.js";
import { newElement, paintBadge } from "../shared/dom.js";
import { legend, OTHERS, shareBar, SHARES } from "./shares.js";

const MOST = 8;

/** The table of the least punctual lines. */
export function worstLines(lines, { say, number }) {
  const columns = [["line", ""], ["delays", "line-bar"], ["punctual", "figure"], ["median", "figure wide-only"], ["departuresShort", "figure wide-only"]];
  return table(lines.slice(0, MOST), columns, say, "noWorst", (line) => [
    shareBar(line, say),
    line.punctualPercent === null || line.punctualPercent === undefined ? "–" : `${number(line.punctualPercent, 0)}\u00a0%`,
    delayInWords(line.medianDelaySec),
    number(line.predicted),
  ], true);
}

/** The table of the lines with missing trips. */
export function missingLines(lines, { say, number }) {
  const most = Math.max(1, ...lines.map(({ tripsMissing }) => tripsMissing));
  const columns = [["line", ""], ["missing", "line-bar"], ["missingTrips", "figure"], ["tripsShort", "figure"]];
  return table(lines.slice(0, MOST), columns, say, "noMissing", (line) => {
    const bar = newElement("div", "share-bar");
    const [part, rest] = [newElement("span"), newElement("span")];
    part.style.setProperty("--key", "var(--over-10)");
    rest.style.setProperty("--key", "transparent");
    part.style.flexGrow = String(line.tripsMissing);
    rest.style.flexGrow = String(most - line.tripsMissing);
    bar.setAttribute("aria-hidden", "true");
    bar.append(part, ...(line.tripsMissing < most ? [rest] : []));
    return [bar, number(line.tripsMissing), number(line.trips)];
  }, false);
}

function table(lines, columns, say, nothing, cells, hasLegend) {
  const card = newElement("div", "line-card");
  if (lines.length === 0) {
    card.append(newElement("p", "soft", say(nothing)));
    return card;
  }
  const grid = newElement("table");
  const head = newElement("tr");
  head.append(...columns.map(([name, style]) => {
    const cell = newElement("th", style, say(`column-${name}`));
    cell.scope = "col";
    return cell;
  }));
  const body = newElement("tbody");
  for (const line of lines) {
    const row = newElement("tr");
    const name = newElement("th");
    name.scope = "row";
    name.append(nameOf(line, say));
    row.append(name, ...cells(line).map((content, index) => {
      const cell = newElement("td", columns[index + 1][1]);
      cell.append(content);
      return cell;
    }));
    body.append(row);
  }
  const top = newElement("thead");
  top.append(head);
  grid.append(top, body);
  card.append(...(hasLegend ? [legend(say, [...SHARES, ...OTHERS])] : []), grid);
  return card;
}

function nameOf(line, say) {
  const box = newElement("div", "line-name");
  const badge = newElement("span", "badge", line.line ?? say("other"));
  paintBadge(badge, badgeColours(line));
  box.append(badge, newElement("span", "", line.operator ?? ""));
  return box;
}

/** A delay as +1:05; nothing known is a dash. */
export function delayInWords(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  const whole = Math.abs(seconds);
  return `${seconds < 0 ? "−" : "+"}${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
