// Has the service worker keep the page for visits without a network.

/** Registers the service worker and names the files that this visit has loaded, so that they are kept. */
export async function keepShell() {
  try {
    const { serviceWorker } = navigator;
    if (!serviceWorker) return;
    // Its own file is asked for again when it is no longer fresh, not with each visit.
    await serviceWorker.register("/service-worker.js", { updateViaCache: "all" });
    const { active } = await serviceWorker.ready;
    const loaded = performance.getEntriesByType("resource").map(({ name }) => new URL(name));
    const files = loaded.filter(({ origin, pathname }) => origin === location.origin && pathname.startsWith("/assets/"));
    active.postMessage({ keep: files.map(({ pathname }) => pathname) });
  } catch {
    // A private window: the page works without.
  }
}
