// The first script of a page in a demonstration: puts the panel into it, sets the page's clock, and drops lists of books on it.
// The panel is a frame of another origin; the two send messages to each other.

(() => {
  const script = /** @type {HTMLScriptElement} */ (document.currentScript);
  const origin = new URL(script.src).origin;
  const PAGES = { "/": "board", "/workspaces": "worktrees", "/jobs": "jobs" };
  const page = PAGES[location.pathname] ?? "all";

  let isReady = false;

  // MARK: The clock of the page

  let ahead = 0;
  const Wall = Date;
  globalThis.Date = new Proxy(Wall, {
    construct: (target, values, made) => Reflect.construct(target, values.length > 0 ? values : [Wall.now() + ahead], made),
    apply: () => new Wall(Wall.now() + ahead).toString(),
    get: (target, name) => (name === "now" ? () => Wall.now() + ahead : Reflect.get(target, name)),
  });

  // MARK: The last board that the page received

  const send = globalThis.fetch;
  let last = null;

  globalThis.fetch = async (...question) => {
    const answer = await send.apply(globalThis, question);
    const made = Date.parse(answer.headers.get("x-md-rt-fetched-at") ?? "");
    if (answer.url.includes("/api/stationboard?") && (answer.ok || answer.status === 304)) {
      last = { at: performance.now(), made };
      report();
    }
    return answer;
  };

  /** Tells the panel of the last board: when it came, and when it says that its data was made. */
  function report() {
    if (isReady && last) frame.contentWindow?.postMessage({ answeredAgo: Math.max(0, Math.round(performance.now() - last.at)), stated: last.made }, origin);
  }

  // MARK: The panel

  const frame = document.createElement("iframe");
  frame.src = `${origin}/panel?page=${page}`;
  frame.title = "Break something";
  frame.id = "demo-panel";
  const place = {
    position: "fixed", right: "0", bottom: "0", width: "13rem", height: "3.5rem", border: "0", zIndex: "2147483647",
    maxWidth: "100vw", maxHeight: "100dvh", background: "transparent",
  };

  function scheme() {
    const theme = document.documentElement.dataset.theme;
    const isDark = theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
    return isDark ? "dark" : "light";
  }

  /** Tells the panel whether the page is light or dark; before it is ready, its frame has another document. */
  function tell() {
    frame.style.colorScheme = scheme();
    if (isReady) frame.contentWindow?.postMessage({ scheme: scheme() }, origin);
  }

  /** Gives a list of books to the page as a person does, who drops a file on it. */
  async function drop({ name, text }) {
    while (document.documentElement.dataset.ready !== "yes") await new Promise((done) => setTimeout(done, 50));
    const dropped = new DataTransfer();
    dropped.items.add(new File([text], name, { type: "text/csv" }));
    document.querySelector("#drop")?.dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, bubbles: true, cancelable: true }));
  }

  addEventListener("message", (event) => {
    if (event.origin !== origin || event.source !== frame.contentWindow) return;
    const { width, height, clock, books } = event.data;
    if (event.data.isReady) {
      isReady = true;
      tell();
      report();
    }
    if (width) frame.style.width = `${width}px`;
    if (height) {
      frame.style.height = `${height}px`;
      // What the folded panel covers can be scrolled to.
      document.documentElement.style.setProperty("scroll-padding-bottom", `${height}px`);
    }
    if (clock !== undefined) ahead = clock * 1000;
    if (books) drop(books);
  });

  /** Puts the panel above a bar that the page has at the bottom of the window, such as the search on phones. */
  function settle() {
    const bar = document.elementsFromPoint(innerWidth / 2, innerHeight - 2).find((found) => found !== frame && ["fixed", "sticky"].includes(getComputedStyle(found).position));
    const height = bar ? innerHeight - bar.getBoundingClientRect().top : 0;
    // A bar, and not a dialog over all of the page.
    const bottom = height < innerHeight / 3 ? height : 0;
    frame.style.bottom = `${bottom}px`;
    frame.style.maxHeight = `calc(100dvh - ${bottom}px)`;
  }

  addEventListener("DOMContentLoaded", () => {
    Object.assign(frame.style, place);
    frame.style.colorScheme = scheme();
    document.body.append(frame);
    settle();
    addEventListener("resize", settle);
    addEventListener("load", settle);
    new MutationObserver(tell).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tell);
  });
})();
