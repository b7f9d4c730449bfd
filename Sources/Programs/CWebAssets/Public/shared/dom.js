// The few ways in which this page touches its document. Text only ever goes in as text.

/** @type {(id: string) => any} The element with an id, of the kind that the page gives it. */
export const element = (id) => document.getElementById(id);

/** @type {(root: Element, name: string) => any} The part of a component that is marked with data-part. */
export const part = (root, name) => root.querySelector(`[data-part="${name}"]`);

/**
 * The parts of a component by name; each is looked for once.
 *
 * @param {Element} root
 * @returns {Record<string, any>}
 */
export function partsOf(root) {
  return new Proxy({}, { get: (known, name) => (known[name] ??= part(root, String(name))) });
}

/** Characters that reorder the text behind them: embeddings, overrides and isolates (Unicode Bidirectional Algorithm). */
const REORDERING = /[\u202A-\u202E\u2066-\u2069]/g;
/** The attributes that people read. */
const READ = ["title", "aria-label", "placeholder"];

/** A text in which characters that reorder others are shown, so that nothing reads otherwise than it is. */
export function shown(text) {
  return String(text).replace(REORDERING, (character) => `<U+${character.charCodeAt(0).toString(16).toUpperCase()}>`);
}

export function setText(node, text) {
  const safe = shown(text);
  if (node.textContent !== safe) node.textContent = safe;
}

export function setAttribute(node, name, value) {
  if (value != null && READ.includes(name)) value = shown(value);
  if (value == null) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

export function setSign(use, name) {
  setAttribute(use, "href", `#sign-${name}`);
}

export function newElement(tag, className, text = "") {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.textContent = shown(text);
  return node;
}

export function newButton(className, text, act) {
  const button = newElement("button", className, text);
  button.type = "button";
  button.addEventListener("click", act);
  return button;
}

const SVG = "http://www.w3.org/2000/svg";

export function newShape(tag, attributes = {}) {
  const shape = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) shape.setAttribute(name, value);
  return shape;
}

export function newSign(name) {
  const sign = newShape("svg", { class: "sign", "aria-hidden": "true" });
  sign.append(newShape("use", { href: `#sign-${name}` }));
  return sign;
}

export function paintBadge(badge, { ground, text }) {
  if (badge.style.getPropertyValue("--badge-ground") !== ground) badge.style.setProperty("--badge-ground", ground);
  if (badge.style.getPropertyValue("--badge-text") !== text) badge.style.setProperty("--badge-text", text);
}

export function fromTemplate(id) {
  return element(id).content.firstElementChild.cloneNode(true);
}

/** Words of the document itself: data-text, data-label and data-placeholder name a sentence. */
export function fillTexts(say, root = document) {
  /** @type {(selector: string) => Iterable<any>} */
  const nodes = (selector) => root.querySelectorAll(selector);
  for (const node of nodes("[data-text]")) setText(node, say(node.dataset.text));
  for (const node of nodes("[data-placeholder]")) node.placeholder = say(node.dataset.placeholder);
  for (const node of nodes("[data-label]")) nameControl(node, say(node.dataset.label));
}

/** Gives a control without words its name, and a button a tooltip with its key. */
export function nameControl(node, control) {
  const name = shown(control);
  setAttribute(node, "aria-label", name);
  if (node.localName !== "button") return;
  const title = node.dataset.key ? `${name} (${node.dataset.key})` : name;
  if (node.title !== title) node.title = title;
}

/** A dialog that closes with its button, with Escape, and by a press outside. */
export function makeDialog(dialog) {
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog || event.target.closest("[data-close]")) dialog.close();
  });
  return dialog;
}
