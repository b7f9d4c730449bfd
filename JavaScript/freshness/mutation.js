// A request that changes something on the server: shown at once, taken back if it fails, and asked about when it is done.

import { outcomeOf } from "./response.js";
import { FreshnessError } from "./freshness-error.js";

/**
 * Sends a mutation.
 *
 * @param {object} client - A `FreshnessClient`.
 * @param {(options: { signal?: AbortSignal }) => any} send - Sends the request. What it throws, and a `Response` that is not
 *   ok, is a failure.
 * @param {object} options - `changes`: pairs of a resource and the change to show in it; `invalidates`: tags; `signal`.
 * @returns {Promise<any>} What `send` returned.
 */
export async function mutate(client, send, { changes = [], invalidates = [], signal = undefined }) {
  const made = [];
  try {
    for (const [resource, change] of changes) made.push([resource, resource.changeLocally(change)]);
    signal?.throwIfAborted();
    const result = await send({ signal });
    if (result instanceof Response && !result.ok) throw await errorOf(result);
    for (const [resource, entry] of made) resource.acceptedLocally(entry);
    return result;
  } catch (failure) {
    for (const [resource, entry] of made) resource.takeBack(entry);
    throw failure;
  } finally {
    // After a failure too: a request without an answer may have been carried out.
    const wanted = new Set(invalidates.map(String));
    for (const resource of new Set(changes.map(([resource]) => resource))) {
      // Each once.
      if (!resource.tags.some((tag) => wanted.has(tag))) resource.invalidate();
    }
    client.invalidate(...invalidates);
  }
}

async function errorOf(response) {
  const problem = await response.json().catch(() => null);
  return new FreshnessError(outcomeOf(response.status, response.headers), { status: response.status, problem, address: response.url });
}
