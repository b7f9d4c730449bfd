// Hooks for React 18 and later.

import type { FreshnessClient, FreshResource, ResourceOptions, Snapshot } from "./index.js";

/** A snapshot, or that of a component whose address is `null`. */
export type FreshSnapshot<Value> = Omit<Snapshot<Value>, "resource"> & { readonly resource: FreshResource<Value> | null };

/** Provides a client to the components below. */
export function FreshnessProvider(properties: { client: FreshnessClient; children?: any }): any;
/** Returns the client of the nearest provider, or the shared one. */
export function useFreshnessClient(): FreshnessClient;
/** Keeps a resource fresh while the component is mounted; renders again when something other than the age changes. */
export function useFresh<Value = any>(address: string | URL | null, options?: ResourceOptions<Value>): FreshSnapshot<Value>;
export interface MutationOptions<Value, Variables> {
  /** The snapshot of `useFresh` whose value changes. */
  snapshot?: FreshSnapshot<Value> | null;
  /** Returns the changed value; applied twice it must give the same. */
  optimistic?: (value: Value, variables: Variables) => Value;
  /** The tags of the resources to request again. */
  invalidates?: string[];
}

export interface Mutation<Variables, Result> {
  /** Sends the request; the promise is rejected if it fails. */
  readonly mutate: (variables: Variables) => Promise<Result>;
  readonly isPending: boolean;
  /** Why the last request failed, or `null`. */
  readonly error: unknown;
  /** Forgets the error. */
  readonly reset: () => void;
}

/** Sends a request that changes something on the server, and shows the change before the server has confirmed it. */
export function useMutation<Variables = void, Result = unknown, Value = any>(send: (variables: Variables, options: { signal?: AbortSignal }) => Promise<Result>, options?: MutationOptions<Value, Variables>): Mutation<Variables, Result>;
/** Returns the age in whole seconds; renders again as it grows. */
export function useAge(snapshot: { readonly resource: FreshResource<any> | null }): number | null;
