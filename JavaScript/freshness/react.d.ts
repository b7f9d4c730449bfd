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
/** Returns the age in whole seconds; renders again as it grows. */
export function useAge(snapshot: { readonly resource: FreshResource<any> | null }): number | null;
