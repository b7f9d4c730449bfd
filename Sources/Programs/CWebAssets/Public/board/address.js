// The page's address: everything that is shown is in it, so that a link shows the same to another person.

import { VIEWS } from "./views.js";

export const THEMES = ["auto", "light", "dark"];
export const MODES = ["page", "wall", "embed"];
const MOST_FILTERS = 40;
const LONGEST_LIMIT = 500;

/** Reads the address: { panes: [{ stop, view, lines, platforms }], language, theme, mode, limit, stream, trip }. */
export function readAddress(search) {
  const asked = new URLSearchParams(search);
  const first = readPane(asked, "");
  const second = readPane(asked, "2");
  return {
    panes: second.stop ? [first, second] : [first],
    language: asked.get("lang"),
    theme: oneOf(THEMES, asked.get("theme")),
    mode: asked.get("view") === "wall" ? "wall" : oneOf(MODES, asked.get("mode")) ?? "page",
    limit: limitOf(asked.get("limit")),
    usesStream: asked.get("updates") === "stream",
  };
}

function readPane(asked, suffix) {
  return {
    stop: asked.get(`stop${suffix}`) || null,
    view: oneOf(VIEWS, asked.get(`view${suffix}`)) ?? "minutes",
    lines: listOf(asked.get(`lines${suffix}`)),
    platforms: listOf(asked.get(`platforms${suffix}`)),
    trip: asked.get(`trip${suffix}`) || null,
  };
}

const oneOf = (known, word) => (known.includes(word) ? word : null);
const listOf = (text) => (text ?? "").split(",").map((item) => item.trim()).filter(Boolean).slice(0, MOST_FILTERS);

function limitOf(text) {
  const limit = Number.parseInt(text ?? "", 10);
  return limit >= 1 && limit <= LONGEST_LIMIT ? limit : null;
}

/** Writes it: what is as usual is left out; what this page does not know stays. */
export function writeAddress(href, { panes, language, theme, mode, limit, usesStream }) {
  const address = new URL(href);
  const put = (name, value) => (value ? address.searchParams.set(name, value) : address.searchParams.delete(name));
  for (const index of [0, 1]) writePane(put, panes[index], index === 0 ? "" : "2");
  put("lang", language);
  put("theme", theme);
  put("mode", mode === "page" ? null : mode);
  put("limit", limit);
  put("updates", usesStream ? "stream" : null);
  // Ids and lists are easier to read and to type without escapes that no address needs.
  address.search = address.search.replaceAll("%2C", ",").replaceAll("%3A", ":");
  return address.href;
}

function writePane(put, pane, suffix) {
  put(`stop${suffix}`, pane?.stop);
  put(`view${suffix}`, pane?.stop && pane.view !== "minutes" ? pane.view : null);
  put(`lines${suffix}`, pane?.stop ? pane.lines.join(",") : null);
  put(`platforms${suffix}`, pane?.stop ? pane.platforms.join(",") : null);
  put(`trip${suffix}`, pane?.stop ? pane.trip : null);
}
