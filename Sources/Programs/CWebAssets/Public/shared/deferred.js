// A part of a page whose script is loaded when it is first used, so that the page itself starts sooner.

export class Deferred {
  #make;
  #onFailure;
  #making = null;
  #value = null;
  #uses = 0;

  /**
   * @param {() => Promise<object>} make - Loads the script and makes the part.
   * @param {(failure: Error) => void} onFailure - The script could not be loaded; the next use tries again.
   */
  constructor(make, onFailure) {
    this.#make = make;
    this.#onFailure = onFailure;
  }

  /** The part, if it has been used. */
  get made() {
    return this.#value;
  }

  /** Loads the script ahead of its first use. */
  async load() {
    try {
      this.#making ??= this.#make();
      this.#value = await this.#making;
    } catch (failure) {
      this.#making = null;
      throw failure;
    }
  }

  /** Calls a function with the part, now or once it is loaded; of several uses that wait only the last is made. */
  use(act) {
    const number = (this.#uses += 1);
    if (this.#value) return act(this.#value);
    this.load().then(
      () => number === this.#uses && act(this.#value),
      (failure) => number === this.#uses && this.#onFailure(failure),
    );
  }

  /** Gives up the use that waits. */
  cancel() {
    this.#uses += 1;
  }
}
