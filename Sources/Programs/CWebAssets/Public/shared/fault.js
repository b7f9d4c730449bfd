// Shows that the page cannot continue because a script failed to load or run.

import { element, setText } from "./dom.js";

/**
 * @param {(name: string, values?: object) => string} say - Makes the messages `reload` and the one that is named.
 * @param {string} name - The message's name.
 * @param {Error} failure - Why.
 */
export function showFault(say, name, failure) {
  element("fault").hidden = false;
  setText(element("fault-text"), say(name, { reason: failure.message }));
  setText(element("fault-reload"), say("reload"));
  element("fault-reload").onclick = () => location.reload();
}
