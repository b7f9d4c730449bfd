// The messages of the operators: one bar at the foot of a board, which opens to all of them. It lies over the
// board's end rather than above its beginning, so that a message that comes moves no row.

import { newElement, part, setAttribute, setText } from "../shared/dom.js";

const EACH_MS = 12_000;
const MOST = 20;

export class Banners {
  #banners = [];
  #at = 0;
  #isOpen = false;
  #since = 0;

  constructor(root) {
    this.root = root;
    this.toggle = part(root, "banner-toggle");
    this.title = part(root, "banner-title");
    this.count = part(root, "banner-count");
    this.list = part(root, "banner-list");
    this.toggle.addEventListener("click", () => this.#open(!this.#isOpen));
    root.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.#isOpen) return;
      this.#open(false);
      this.toggle.focus();
      event.stopPropagation();
    });
  }

  show(banners) {
    const known = new Set();
    const text = ({ header, description }) => `${header ?? ""}\n${description ?? ""}`;
    this.#banners = (banners ?? []).filter((banner) => {
      const isNew = text(banner).trim() && !known.has(text(banner));
      known.add(text(banner));
      return isNew;
    }).slice(0, MOST);
    this.root.hidden = this.#banners.length === 0;
    if (this.#at >= this.#banners.length) this.#at = 0;
    if (this.#banners.length === 0) this.#isOpen = false;
    this.#draw();
  }

  /** On a wall no button is pressed: it shows one message after the other. */
  tick(now, { turns }) {
    if (!turns || this.#banners.length < 2 || now - this.#since < EACH_MS) return;
    this.#since = now;
    this.#at = (this.#at + 1) % this.#banners.length;
    this.#draw();
  }

  #open(isOpen) {
    this.#isOpen = isOpen;
    this.#draw();
  }

  #draw() {
    const banner = this.#banners[this.#at];
    setAttribute(this.toggle, "aria-expanded", String(this.#isOpen));
    this.list.hidden = !this.#isOpen;
    if (!banner) return;
    setText(this.title, banner.header || banner.description);
    setText(this.count, this.#banners.length > 1 ? `${this.#at + 1}/${this.#banners.length}` : "");
    setAttribute(this.root, "data-severity", banner.severity ?? "");
    const written = JSON.stringify(this.#banners);
    if (!this.#isOpen || this.list.dataset.written === written) return;
    this.list.dataset.written = written;
    this.list.replaceChildren(...this.#banners.map(newItem));
  }
}

function newItem({ header, description }) {
  const item = newElement("li", "");
  if (header) item.append(newElement("strong", "", header));
  if (description && description !== header) item.append(newElement("p", "", description));
  return item;
}
