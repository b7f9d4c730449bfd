// <fresh-value> and <fresh-age>; importing this module defines them.

import type { FreshnessClient, FreshResource, RefreshOptions, Snapshot } from "./index.js";

interface FreshElement extends HTMLElement {
  /** The client; the shared one unless another is set before the element is connected. */
  client: FreshnessClient | null;
  resource: FreshResource<any> | null;
  readonly snapshot: Snapshot<any> | null;
  refresh(options?: RefreshOptions): void;
}

/** Shows a value, or the member at `path`. */
export interface FreshValue extends FreshElement {}
export const FreshValue: { new (): FreshValue; prototype: FreshValue };
/** Shows the age of a value in words. */
export interface FreshAge extends FreshElement {}
export const FreshAge: { new (): FreshAge; prototype: FreshAge };

declare global {
  interface HTMLElementTagNameMap {
    "fresh-value": FreshValue;
    "fresh-age": FreshAge;
  }
  interface HTMLElementEventMap {
    fresh: CustomEvent<Snapshot<any>>;
  }
}
