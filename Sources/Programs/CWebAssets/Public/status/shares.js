// The shares of delays, in the order in which they are read, with their colours.

import { newElement } from "../shared/dom.js";

export const SHARES = [
  ["early", "var(--early)"], ["onTime", "var(--on-time)"], ["upTo3", "var(--up-to-3)"], ["upTo5", "var(--up-to-5)"], ["upTo10", "var(--up-to-10)"], ["over10", "var(--over-10)"],
];
/** What else may become of a departure. */
export const OTHERS = [["cancelled", "var(--called-off)"], ["unpredicted", "var(--unknown)"]];

export function legend(say, shares) {
  const list = newElement("ul", "plot-legend");
  list.append(...shares.map(([name, colour]) => {
    const item = newElement("li", "", say(`share-${name}`));
    item.style.setProperty("--key", colour);
    return item;
  }));
  return list;
}

/** The shares of a line as a bar; the numbers are in its name. */
export function shareBar(counts, say) {
  const bar = newElement("div", "share-bar");
  const shares = [...SHARES, ...OTHERS].filter(([name]) => countOf(counts, name) > 0);
  bar.setAttribute("role", "img");
  bar.setAttribute("aria-label", shares.map(([name]) => `${say(`share-${name}`)}: ${countOf(counts, name)}`).join(", "));
  bar.append(...shares.map(([name, colour]) => {
    const part = newElement("span");
    part.style.setProperty("--key", colour);
    part.style.flexGrow = String(countOf(counts, name));
    part.title = `${say(`share-${name}`)}: ${countOf(counts, name)}`;
    return part;
  }));
  return bar;
}

/** What is left out counts as canceled here. */
function countOf(counts, name) {
  return name === "cancelled" ? counts.cancelled + (counts.skipped ?? 0) : counts[name];
}
