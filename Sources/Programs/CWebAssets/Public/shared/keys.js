// The keys of the page. Those that are single letters can be switched off, and do nothing while the user types.

import { element } from "./dom.js";
import { memory } from "./memory.js";

export function keysAreOn() {
  return memory.read("keys") !== false;
}

/** Listens; `actOf(page, event)` says what a key does, or `null`. */
export function listenToKeys(page, actOf = actOfBoard) {
  const choice = element("keys");
  choice.checked = keysAreOn();
  choice.addEventListener("change", () => memory.write("keys", choice.checked ? null : false));
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    const act = actOf(page, event);
    if (!act) return;
    event.preventDefault();
    act();
  });
}

function isTyping(target) {
  return target.closest?.("input:not([type=checkbox]), select, textarea, [contenteditable]") != null;
}

function actOfBoard(page, event) {
  if (event.key === "ArrowDown") return () => page.current?.move(1);
  if (event.key === "ArrowUp") return () => page.current?.move(-1);
  if (event.key === "Escape") return () => page.escape();
  if (!keysAreOn()) return null;
  return {
    "/": () => page.focusSearch(),
    "?": () => page.help(),
    r: () => page.current?.refresh(),
    R: () => page.current?.refresh({ isForced: true }),
    f: () => page.current?.settings.stop && page.openFilters(page.current),
    d: () => page.toggleDiagnostics(),
  }[event.key];
}
