// Hooks for React 18 and later, a peer dependency.

import { createContext, createElement, useCallback, useContext, useMemo, useSyncExternalStore } from "react";
import { FreshnessClient } from "./client.js";

const ClientContext = createContext(null);

/** Provides a client to the components below: `<FreshnessProvider client={client}>`. */
export function FreshnessProvider({ client, children }) {
  return createElement(ClientContext.Provider, { value: client }, children);
}

/** Returns the client of the nearest provider, or the shared one. */
export function useFreshnessClient() {
  return useContext(ClientContext) ?? FreshnessClient.shared;
}

const NEVER = () => () => {};
const NOTHING = Object.freeze({
  value: null, state: "loading", error: null, age: null, isLoading: false, isHeld: false, isStreaming: false, isOffline: false,
  badge: "unknown", revision: null, changedAt: null, resource: null, refresh: () => {},
});
const LOADING = Object.freeze({ ...NOTHING, isLoading: true });

/**
 * Keeps a resource fresh while the component is mounted; renders again when something other than the age changes.
 *
 * @param {string | URL | null} address - The URL; `null` requests nothing.
 * @param {object} options - As of `FreshnessClient.resource`. They count when the resource is created.
 * @returns {object} Its snapshot: `value`, `state`, `error`, `isLoading`, `refresh()` and more.
 */
export function useFresh(address, options) {
  const client = useFreshnessClient();
  const key = address === null ? null : String(options?.key ?? address);
  // Options are new objects in each render; the key identifies the resource.
  const resource = useMemo(() => (key === null ? null : client.resource(address, options)), [client, key]);
  return useSyncExternalStore(resource?.subscribe ?? NEVER, () => resource?.snapshot ?? NOTHING, () => (key === null ? NOTHING : LOADING));
}

/**
 * Returns the age in whole seconds; renders again as it grows.
 *
 * @param {object} snapshot - Of `useFresh`.
 * @returns {number | null}
 */
export function useAge({ resource }) {
  const subscribe = useCallback((listener) => resource?.subscribe(listener, { ticking: true }) ?? (() => {}), [resource]);
  return useSyncExternalStore(subscribe, () => resource?.ageInSeconds ?? null, () => null);
}
