// Starts jobs: files that are dropped or chosen, and lists of books. What is too much is said before it is sent.

import { booksOf } from "./book-list.js";
import { element, newElement } from "../shared/dom.js";
import { JobRefusal } from "./job-api.js";
import { failureInWords } from "./job-problems.js";
import { prepareToFollow } from "./job-run.js";

/** How long the page waits by itself for a server that starts no job at the moment, and how often. */
const LONGEST_WAIT_S = 120;
const MOST_WAITS = 5;

const IMAGE_ENDING = /\.(jpe?g|png|webp|heic|heif|gif|tiff?|bmp)$/i;

export function isImage(file) {
  return file.type ? file.type.startsWith("image/") : IMAGE_ENDING.test(file.name);
}

/** A size as people of the language write it: 10 MB, 1.5 MB; in French 10 Mo. */
export function megabytes(bytes, locale) {
  const size = bytes / (1 << 20);
  const digits = size >= 10 ? 0 : 1;
  return new Intl.NumberFormat(locale, { style: "unit", unit: "megabyte", maximumFractionDigits: digits }).format(size).replace(/\s/, "\u00a0");
}

export class JobStart {
  #drop = element("drop");
  #again = element("start-again");
  #capabilities = null;
  #pending = null;
  #isBusy = false;
  #later = null;

  /** @param {object} page - `api`, `say()`, `learn()`, `started(answer, name, pipeline)`. */
  constructor(page) {
    this.page = page;
    element("table-file").addEventListener("change", (event) => this.#chosen(event.target));
    element("photo-files").addEventListener("change", (event) => this.#chosen(event.target));
    element("book-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#books();
    });
    this.#again.addEventListener("click", () => this.#send());
    this.#listenToDrops();
    this.#learn();
  }

  speak() {
    const limits = this.#capabilities?.limits ?? {};
    const { say } = this.page;
    const table = limits.csv_import;
    const scan = limits.ai_scan;
    const sentences = [
      this.#can("csv_import") && table && say("tableLimits", { size: megabytes(table.maxBytes, this.page.locale), rows: table.maxRows.toLocaleString(this.page.locale) }),
      this.#can("ai_scan") && scan && say("photoLimits", { count: scan.maxPhotos, size: megabytes(scan.maxPhotoBytes, this.page.locale) }),
    ];
    element("start-limits").textContent = sentences.filter(Boolean).join(" ");
  }

  /** Opens the choice of a table. */
  choose() {
    element("table-file").click();
  }

  async #learn() {
    // Without them the server says what is too much, only later.
    this.#capabilities = await this.page.api.capabilities().catch(() => null);
    element("table-file").closest("label").hidden = !this.#can("csv_import");
    element("photo-files").closest("label").hidden = !this.#can("ai_scan");
    element("book-entry").hidden = !this.#can("batch_enrichment");
    this.speak();
  }

  #can(pipeline) {
    const known = this.#capabilities?.pipelines;
    return known == null || typeof known !== "object" || pipeline in known;
  }

  // MARK: Files

  #listenToDrops() {
    const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
    // Anywhere on the page: a file that is dropped beside the place would take the page away.
    for (const name of ["dragenter", "dragover", "drop"]) {
      addEventListener(name, (/** @type {DragEvent} */ event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        this.#drop.classList.toggle("over", name !== "drop");
        if (name === "drop") this.#take([...event.dataTransfer.files]);
      });
    }
    // It left the window.
    addEventListener("dragleave", (event) => event.relatedTarget === null && this.#drop.classList.remove("over"));
  }

  #chosen(input) {
    const files = [...input.files];
    // So that the same file can be chosen again.
    input.value = "";
    if (files.length > 0) this.#take(files);
  }

  #take(files) {
    const problem = this.#problemOf(files);
    if (problem) return this.#say(problem);
    const pipeline = files.every(isImage) ? "ai_scan" : "csv_import";
    const form = new FormData();
    for (const file of files) form.append(pipeline === "ai_scan" ? "photos" : "file", file, file.name);
    this.#begin(pipeline, form, files.map(({ name }) => name).join(", "));
  }

  /** Why files cannot be taken, as a sentence; `null` if they can. */
  #problemOf(files) {
    const { say } = this.page;
    const limits = this.#capabilities?.limits ?? {};
    const arePhotos = files.every(isImage);
    if (!arePhotos && files.length > 1) return say(files.some(isImage) ? "mixedFiles" : "oneTable");
    if (!this.#can(arePhotos ? "ai_scan" : "csv_import")) return say("pipelineOff");
    const most = arePhotos ? limits.ai_scan?.maxPhotos : 1;
    if (files.length > (most ?? Infinity)) return say("tooManyPhotos", { count: most });
    const bytes = (arePhotos ? limits.ai_scan?.maxPhotoBytes : limits.csv_import?.maxBytes) ?? Infinity;
    const large = files.find(({ size }) => size > bytes);
    if (large) return say("tooLarge", { name: large.name, size: megabytes(bytes, this.page.locale) });
    const empty = files.find(({ size }) => size === 0);
    return empty ? say("emptyFile", { name: empty.name }) : null;
  }

  // MARK: Books

  #books() {
    const { say } = this.page;
    const books = booksOf(element("book-lines").value);
    const most = this.#capabilities?.limits?.batch_enrichment?.maxBooks ?? Infinity;
    if (books.length === 0) return this.#say(say("noBooks"));
    if (books.length > most) return this.#say(say("tooManyBooks", { count: books.length, most }));
    this.#begin("batch_enrichment", JSON.stringify({ books }), say("booksNamed", { count: books.length }));
  }

  // MARK: Sending

  #begin(pipeline, body, name) {
    if (this.#isBusy) return this.#say(this.page.say("oneAtATime"));
    const key = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    this.#pending = { pipeline, body, name, key, waits: 0 };
    this.#send();
  }

  /** Sends what is pending; again with the same key, so that it starts once whatever was lost on the way. */
  async #send() {
    const { page } = this;
    const pending = this.#pending;
    if (!pending || this.#isBusy) return;
    clearTimeout(this.#later);
    this.#isBusy = true;
    this.#again.hidden = true;
    this.#say(page.say("sending", { name: pending.name }), "");
    page.learn();
    prepareToFollow();
    try {
      const answer = await page.api.start(pending.pipeline, pending.body, pending.key);
      if (typeof answer?.jobId !== "string" || typeof answer.token !== "string") throw new TypeError("the answer names no job");
      this.#pending = null;
      this.#say("");
      page.started(answer, pending.name, pending.pipeline);
    } catch (failure) {
      this.#failed(failure);
    } finally {
      this.#isBusy = false;
    }
  }

  #failed(failure) {
    const { say } = this.page;
    if (this.#waits(failure)) return;
    const isRefused = failure instanceof JobRefusal && failure.status < 500 && failure.status !== 429 && failure.status !== 408;
    if (isRefused) this.#pending = null;
    this.#again.hidden = isRefused;
    const reason = failure instanceof JobRefusal ? failureInWords({ code: failure.code, message: failure.detail }, say) || say("failedServer", { status: failure.status }) : say(failure?.name === "TimeoutError" ? "failedTimeout" : "failedUnreachable");
    this.#say(`${say("notStarted")} ${reason}`);
  }

  /** Whether the server says when to come back, and the page does. */
  #waits(failure) {
    const pending = this.#pending;
    const seconds = failure instanceof JobRefusal && (failure.status === 429 || failure.status === 503) ? failure.retryAfter : null;
    if (seconds === null || seconds > LONGEST_WAIT_S || pending.waits >= MOST_WAITS) return false;
    pending.waits += 1;
    this.#later = setTimeout(() => this.#send(), Math.max(1, seconds) * 1000);
    this.#again.hidden = false;
    this.#say(this.page.say("startLater", { name: pending.name, seconds: Math.max(1, seconds) }), "");
    return true;
  }

  /** `kind`: grave for what was not done. */
  #say(sentence, kind = "grave") {
    element("start-message").dataset.kind = kind;
    element("start-message").replaceChildren(...(sentence ? [newElement("p", "", sentence)] : []));
  }
}
