// Hooks for React 18 and later, a peer dependency.

import { createContext, createElement, useCallback, useContext, useMemo, useRef, useState, useSyncExternalStore } from "react";
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
  value: null, state: "loading", error: null, age: null, isLoading: false, isKept: false, isUnconfirmed: false, isStreaming: false,
  isOffline: false, badge: "unknown", revision: null, changedAt: null, resource: null, refresh: () => {},
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
  const key = address == null ? null : String(options?.key ?? address);
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

/**
 * Sends a request that changes something on the server, and shows the change before the server has confirmed it.
 *
 * @param {(variables: any, options: { signal?: AbortSignal }) => any} send - Sends the request.
 * @param {object} options - `snapshot`: of the `useFresh` whose value changes; `optimistic(value, variables)`: the changed
 *   value; `invalidates`: tags.
 * @returns {object} `mutate(variables)`, a promise of what `send` returned; `isPending`; `error`; `reset()`.
 */
export function useMutation(send, { snapshot = null, optimistic = undefined, invalidates = [] } = {}) {
  const client = useFreshnessClient();
  const [state, setState] = useState({ pending: 0, error: null });
  const latest = useRef(null);
  // The functions of the newest render count.
  latest.current = { client, send, optimistic, invalidates, resource: snapshot?.resource ?? null };
  const mutate = useCallback(async (variables) => {
    const { client: owner, send: act, optimistic: change, invalidates: tags, resource } = latest.current;
    setState(({ pending }) => ({ pending: pending + 1, error: null }));
    const ended = (error) => setState(({ pending }) => ({ pending: pending - 1, error }));
    try {
      const changes = resource && change ? [[resource, (value) => change(value, variables)]] : [];
      const result = await owner.mutate((options) => act(variables, options), { changes, invalidates: tags });
      ended(null);
      return result;
    } catch (failure) {
      ended(failure);
      throw failure;
    } finally {
      // Without a change to show, the value is requested all the same.
      if (!change) resource?.invalidate();
    }
  }, []);
  const reset = useCallback(() => setState(({ pending }) => ({ pending, error: null })), []);
  return { mutate, reset, isPending: state.pending > 0, error: state.error };
}
