// The few ways in which this page touches its document. Text only ever goes in as text.

export const element = (id) => document.getElementById(id);

export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function setSign(use, name) {
  if (use.getAttribute("href") !== `#sign-${name}`) use.setAttribute("href", `#sign-${name}`);
}

export function newElement(tag, className, text = "") {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.textContent = text;
  return node;
}

export function newSign(name) {
  const space = "http://www.w3.org/2000/svg";
  const sign = document.createElementNS(space, "svg");
  sign.setAttribute("class", "sign");
  sign.setAttribute("aria-hidden", "true");
  sign.append(document.createElementNS(space, "use"));
  setSign(sign.firstChild, name);
  return sign;
}

export function paintBadge(badge, { ground, text }) {
  badge.style.setProperty("--badge-ground", ground);
  badge.style.setProperty("--badge-text", text);
}

/** Words of the document itself: data-text, data-label and data-placeholder name a sentence. */
export function fillTexts(say) {
  for (const node of document.querySelectorAll("[data-text]")) setText(node, say(node.dataset.text));
  for (const node of document.querySelectorAll("[data-placeholder]")) node.placeholder = say(node.dataset.placeholder);
  for (const node of document.querySelectorAll("[data-label]")) nameControl(node, say(node.dataset.label));
}

function nameControl(node, name) {
  node.setAttribute("aria-label", name);
  if (node.localName === "button") node.title = name;
}

/** What a person chose, kept on this device if it lets us. */
export const memory = {
  read(name) {
    try {
      return JSON.parse(localStorage.getItem(`board.${name}`));
    } catch {
      return null;
    }
  },
  write(name, value) {
    try {
      localStorage.setItem(`board.${name}`, JSON.stringify(value));
    } catch {
      // A private window or a full disk: the board works without a memory.
    }
  },
};
