// Hooks for React 18 and later. React is the application's own; nothing else is needed.

import { createContext, createElement, useCallback, useContext, useMemo, useSyncExternalStore } from "react";
import { FreshnessClient } from "./client.js";

const ClientContext = createContext(null);

/** Gives the components below it a client of their own: `createElement(FreshnessProvider, { client }, …)`. */
export function FreshnessProvider({ client, children }) {
  return createElement(ClientContext.Provider, { value: client }, children);
}

/** The client of the nearest provider, or the shared one. */
export function useFreshnessClient() {
  return useContext(ClientContext) ?? FreshnessClient.shared;
}

const NEVER = () => () => {};
const NOTHING = Object.freeze({
  value: null, state: "loading", error: null, age: null, isLoading: false, isHeld: false, isStreaming: false, isOffline: false,
  badge: "unknown", revision: null, changedAt: null, resource: null, refresh: () => {},
});
/** What a server renders, and the browser at first: nothing that a clock or a network could make different. */
const onServer = () => NOTHING;

/**
 * Keeps a resource fresh while the component is there, and draws it again when something other than the age changes.
 *
 * @param {string | URL | null} address - Where; `null` for nothing yet.
 * @param {object} options - As of `FreshnessClient.resource`. They count when the resource is first named.
 * @returns {object} Its snapshot: `value`, `state`, `error`, `isLoading`, `refresh()` and more.
 */
export function useFresh(address, options) {
  const client = useFreshnessClient();
  const key = address === null ? null : String(options?.key ?? address);
  // The options of another rendering are other objects, and mean the same.
  const resource = useMemo(() => (key === null ? null : client.resource(address, options)), [client, key]);
  return useSyncExternalStore(resource?.subscribe ?? NEVER, () => resource?.snapshot ?? NOTHING, onServer);
}

/**
 * The age of what a snapshot shows, in whole seconds; draws the component again as it grows.
 *
 * @param {object} snapshot - Of `useFresh`.
 * @returns {number | null}
 */
export function useAge({ resource }) {
  const subscribe = useCallback((listener) => resource?.subscribe(listener, { ticking: true }) ?? (() => {}), [resource]);
  return useSyncExternalStore(subscribe, () => resource?.ageInSeconds ?? null, () => null);
}
