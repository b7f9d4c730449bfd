// Hooks for React 18 and later.

import type { FreshnessClient, FreshResource, ResourceOptions, Snapshot } from "./index.js";

/** A snapshot, or that of a component whose address is `null`. */
export type FreshSnapshot<Value> = Omit<Snapshot<Value>, "resource"> & { readonly resource: FreshResource<Value> | null };

/** Gives the components below it a client of their own. */
export function FreshnessProvider(properties: { client: FreshnessClient; children?: any }): any;
/** The client of the nearest provider, or the shared one. */
export function useFreshnessClient(): FreshnessClient;
/** Keeps a resource fresh while the component is there; draws it again when something other than the age changes. */
export function useFresh<Value = any>(address: string | URL | null, options?: ResourceOptions<Value>): FreshSnapshot<Value>;
/** The age in whole seconds; draws the component again as it grows. */
export function useAge(snapshot: { readonly resource: FreshResource<any> | null }): number | null;
