// Keeps a press on its target: what a person presses neither moves nor changes until the press has ended.
// A browser sends no click if the pressed element is moved in the document, or is elsewhere, when the pointer is released.

/** The longest press in milliseconds that delays changes; what takes longer is not a click. */
const LONGEST_PRESS_MS = 10_000;
/** How long after its release a touch may become a click, in milliseconds. */
const CLICK_DELAY_MS = 100;
/** A mouse that has not moved for this many milliseconds is not about to press. */
export const POINTER_REST_MS = 10_000;

class PressGuard {
  #isPressed = false;
  #timer = null;
  /** The latest change of each owner. */
  #waiting = new Map();

  constructor() {
    addEventListener("pointerdown", () => this.#press(), true);
    addEventListener("pointerup", () => this.#endWithin(CLICK_DELAY_MS), true);
    addEventListener("click", () => this.#endWithin(0), true);
    for (const name of ["pointercancel", "dragend", "blur"]) addEventListener(name, () => this.#end(), true);
  }

  /**
   * Makes a change now, or when the press that is under way has ended.
   *
   * @param {object} owner - What changes; of several changes of one owner only the latest is made.
   * @param {() => void} change
   */
  run(owner, change) {
    if (this.#isPressed) this.#waiting.set(owner, change);
    else change();
  }

  #press() {
    this.#isPressed = true;
    this.#endWithin(LONGEST_PRESS_MS);
  }

  #endWithin(delay) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(), delay);
  }

  #end() {
    clearTimeout(this.#timer);
    this.#isPressed = false;
    const changes = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const change of changes) change();
  }
}

/** The guard of this page. */
export const pressGuard = new PressGuard();

/** Keeps the part of a list under the mouse where it is while the list changes. */
export class HoverAnchor {
  #list;
  #movedAt = -Infinity;
  #point = null;

  /**
   * @param {HTMLElement} list - Its children are the entries.
   * @param {object} options - `now()`: the time in milliseconds; `onLeave()`: the mouse has left the list.
   */
  constructor(list, { now, onLeave }) {
    this.#list = list;
    this.now = now;
    const isMouse = ({ pointerType }) => pointerType === "mouse";
    list.addEventListener("pointermove", (event) => {
      if (!isMouse(event)) return;
      this.#movedAt = this.now();
      this.#point = [event.clientX, event.clientY];
    }, { passive: true });
    list.addEventListener("pointerleave", (event) => {
      if (!isMouse(event)) return;
      this.#point = null;
      this.#setRoom(0, 0);
      onLeave();
    });
  }

  /** Whether the mouse is over the list and has moved lately: its entries then keep their order. */
  get isActive() {
    return this.#point !== null && this.now() - this.#movedAt < POINTER_REST_MS;
  }

  /** Changes the list, and scrolls so that the entry under the mouse, or its button, stays under it. */
  keep(change) {
    const anchor = this.isActive ? this.#underMouse() : null;
    const before = anchor?.getBoundingClientRect().top ?? 0;
    change();
    if (!anchor?.isConnected) return;
    const moved = () => anchor.getBoundingClientRect().top - before;
    if (moved() === 0) return;
    scrollBy(0, moved());
    const rest = moved();
    // Where the page cannot scroll far enough, the list gets room until the mouse leaves it.
    if (Math.abs(rest) < 1) return;
    this.#setRoom(rest < 0 ? -rest : 0, rest > 0 ? rest : 0);
    if (rest > 0) scrollBy(0, rest);
  }

  #underMouse() {
    const [x, y] = this.#point;
    const node = document.elementFromPoint(x, y);
    if (!node || !this.#list.contains(node)) return null;
    return node.closest("button, summary, a") ?? [...this.#list.children].find((entry) => entry.contains(node)) ?? null;
  }

  /** Adds room above and below the entries, in pixels; none takes it away. */
  #setRoom(above, below) {
    const set = (side, more) => {
      const name = `padding-${side}`;
      const had = Number.parseFloat(this.#list.style.getPropertyValue(name)) || 0;
      if (above === 0 && below === 0) this.#list.style.removeProperty(name);
      else if (more > 0) this.#list.style.setProperty(name, `${had + more}px`);
    };
    set("top", above);
    set("bottom", below);
  }
}
