// The shell of the page, kept for when there is no network. Boards are never answered from here: a copy that
// nobody knows the age of is no board (saved-board.js keeps the last one, with its age).

const SHELL = "shell-1";
/** How long the network may take before the kept shell is served instead. */
const PATIENCE_MS = 3000;

self.addEventListener("install", (event) => {
  event.waitUntil(keepShell().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(dropOldShells().then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin) return;
  if (event.request.mode === "navigate" && url.pathname === "/") event.respondWith(newestOrKept(event.request, "/"));
  else if (url.pathname.startsWith("/assets/")) event.respondWith(newestOrKept(event.request, url.pathname));
});

/** Everything that the page names, so that this list cannot lag behind it. */
async function keepShell() {
  const cache = await caches.open(SHELL);
  const page = await fetch("/", { cache: "no-cache" });
  const names = (await page.clone().text()).matchAll(/(?:href|src)="(\/assets\/[^"#]+)"/g);
  await cache.put("/", page);
  await cache.addAll([...new Set([...names].map(([, path]) => path))]);
}

async function dropOldShells() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== SHELL).map((name) => caches.delete(name)));
}

async function newestOrKept(request, key) {
  const cache = await caches.open(SHELL);
  const kept = await cache.match(key);
  const newest = fetch(request).then((response) => {
    if (response.ok) cache.put(key, response.clone());
    return response;
  });
  if (!kept) return newest;
  // A server that fails, or does not answer, does not take the page away.
  const patience = new Promise((resolve) => setTimeout(() => resolve(kept), PATIENCE_MS));
  const answer = newest.then((response) => (response.ok || response.status === 304 ? response : kept)).catch(() => kept);
  return Promise.race([answer, patience]);
}
