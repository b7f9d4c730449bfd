// Starts the board from cached files, with and without a network. Boards are never answered from here: a copy of unknown age
// is not a board (saved-board.js keeps the last one, with its age).

const SHELL = "shell-2";
/** The files that a page or a script names. Their names change with their content. */
const NAMED = /\/assets\/[\w.-]+\.[0-9a-f]{12}\.\w+/g;
/** Messages are kept in the languages that were used. */
const MESSAGES = "/assets/messages-";
const TEXTS = /\.(?:js|webmanifest)$/;

self.addEventListener("install", (event) => {
  // Where the browser can, it takes files from the cache without starting this script, and the page from whichever is first.
  event.addRoutes?.([
    { condition: { urlPattern: new URLPattern({ pathname: "/assets/*" }) }, source: { cacheName: SHELL } },
    { condition: { urlPattern: new URLPattern({ pathname: "/" }), requestMode: "navigate" }, source: "race-network-and-fetch-handler" },
  ])?.catch(() => {});
  event.waitUntil(keepPage().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(dropOldShells().then(() => self.clients.claim()));
});

self.addEventListener("message", (event) => {
  const files = Array.isArray(event.data?.keep) ? event.data.keep.filter((path) => path.match(NAMED)?.[0] === path) : [];
  event.waitUntil(keepFiles(new Set(files)));
});

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin) return;
  if (event.request.mode === "navigate" && url.pathname === "/") event.respondWith(pageFor(event));
  else if (url.pathname.startsWith("/assets/")) event.respondWith(keptOrFetched(event.request));
});

/** Asks for the page and keeps it, with all files that it names. */
async function keepPage() {
  const response = await fetch("/", { cache: "no-cache" });
  if (response.ok) await keep(response);
}

/** Keeps a page once the files are there that it names, and drops files that it no longer names. */
async function keep(response) {
  const cache = await caches.open(SHELL);
  const known = await cache.match("/");
  const text = await response.text();
  if (known && (await known.text()) === text) return;
  const before = (await cache.keys()).map(({ url }) => new URL(url).pathname);
  const languages = new Set(before.filter((path) => path.startsWith(MESSAGES)).map(nameOf));
  const needed = await keepFiles(new Set(text.match(NAMED)), (path) => languages.has(nameOf(path)));
  await cache.put("/", new Response(text, { headers: fieldsOf(response) }));
  await Promise.all(before.filter((path) => path !== "/" && !needed.has(path)).map((path) => cache.delete(path)));
}

/** The fields of a page that it needs when it is kept: which messages it loads depends on the visit. */
function fieldsOf({ headers }) {
  return [...headers].filter(([name]) => ["content-type", "content-security-policy", "referrer-policy", "x-content-type-options"].includes(name));
}

/** The path of a file without the hash of its content. */
function nameOf(path) {
  return path.replace(/\.[0-9a-f]{12}\./, ".");
}

/** Keeps files, and those that they name in turn, of messages only the wanted ones; returns the paths of all. */
async function keepFiles(paths, isWanted = () => false) {
  const cache = await caches.open(SHELL);
  const waiting = [...paths];
  const found = new Set(waiting);
  for (let path = waiting.pop(); path; path = waiting.pop()) {
    let file = await cache.match(path);
    if (!file) {
      // The browser's own cache has what this visit has loaded.
      file = await fetch(path);
      if (!file.ok) throw new Error(`${path}: ${file.status}`);
      await cache.put(path, file.clone());
    }
    if (!TEXTS.test(path)) continue;
    for (const name of (await file.text()).match(NAMED) ?? []) {
      if (found.has(name) || (name.startsWith(MESSAGES) && !isWanted(name))) continue;
      found.add(name);
      waiting.push(name);
    }
  }
  return found;
}

async function dropOldShells() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== SHELL).map((name) => caches.delete(name)));
}

/** The kept page at once, and the newest for the next visit; without a kept one, the newest. */
async function pageFor(event) {
  const newest = fetch(event.request).then((response) => {
    if (response.ok) event.waitUntil(keep(response.clone()).catch(() => {}));
    return response;
  });
  event.waitUntil(newest.catch(() => {}));
  return (await (await caches.open(SHELL)).match("/")) ?? newest;
}

async function keptOrFetched(request) {
  return (await (await caches.open(SHELL)).match(request)) ?? fetch(request);
}
