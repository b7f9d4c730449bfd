// <freshness-devtools>; importing this module defines it.

import type { FreshnessClient } from "./index.js";

/** A panel for developers: causes, counters and samples of every resource of a client. */
export interface FreshnessDevtools extends HTMLElement {
  /** The client to show; the shared one by default. */
  client: FreshnessClient | null;
}
export const FreshnessDevtools: { new (): FreshnessDevtools; prototype: FreshnessDevtools };

declare global {
  interface HTMLElementTagNameMap {
    "freshness-devtools": FreshnessDevtools;
  }
}
