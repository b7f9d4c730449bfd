// The panel of a demonstration: a switch for each thing that can be broken on a page, in a frame of that page or by itself.

/** How often the state is asked for, in milliseconds: another tab may have changed it. */
const EVERY = 1000;

const root = document.documentElement;
const { page, token, pages } = root.dataset;
const isFramed = parent !== window;
const element = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const texts = new Map();
let state = null;
/** When the state came, by a monotonic clock. */
let cameAt = 0;
let isOpen = !isFramed || sessionStorage.getItem("open") === "yes";
let asked = 0;
/** When the page received its last board, and when that says that its data was made. */
let boardAt = null;
let stated = NaN;

// MARK: The state

async function send(method, path) {
  const board = boardAt === null ? "" : `&answered=${Math.round(performance.now() - boardAt)}${Number.isFinite(stated) ? `&stated=${stated}` : ""}`;
  const answer = await fetch(`${path}?page=${page}${board}`, { method, headers: { "x-demo-token": token }, cache: "no-store" });
  if (!answer.ok) throw new Error((await answer.text()) || `The demonstration answered ${answer.status}.`);
  return answer;
}

async function act(method, path) {
  const number = ++asked;
  try {
    const next = await (await send(method, path)).json();
    // An answer to an earlier question tells what was.
    if (number !== asked) return;
    element("message").textContent = "";
    state = next;
    cameAt = performance.now();
    show();
  } catch (error) {
    element("message").textContent = error instanceof TypeError ? "The demonstration has ended. Start it again: freshet demo" : error.message;
    fit();
  }
}

async function follow() {
  if (document.visibilityState === "visible") await act("GET", "/state");
  setTimeout(follow, EVERY);
}

// MARK: What is shown

function show() {
  const broken = state.faults.filter((fault) => fault.isBroken).length + state.elsewhere;
  root.classList.toggle("broken", broken > 0);
  element("count").hidden = broken === 0;
  element("count").textContent = `${broken} broken`;
  element("fold-title").textContent = isOpen || broken === 0 ? "Break something" : "Broken on purpose";
  /** @type {HTMLButtonElement} */ (element("mend")).disabled = broken === 0;
  const [list, lines] = [element("faults"), state.faults.map((fault) => item(fault))];
  // A line that is taken out and put back loses the focus, and a click that is half done.
  if (lines.length !== list.children.length || lines.some((line, place) => line !== list.children[place])) list.replaceChildren(...lines);
  element("recovering").hidden = !state.isRecovering;
  showTruth();
  post({ clock: state.clockAhead });
  fit();
}

function item(fault) {
  let known = texts.get(fault.id);
  if (!known) {
    const line = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "switch";
    button.setAttribute("role", "switch");
    button.dataset.fault = fault.id;
    button.textContent = fault.title;
    const said = document.createElement("p");
    said.className = "said";
    said.id = `said-${fault.id}`;
    const see = document.createElement("b");
    see.textContent = "You should see: ";
    said.append(`${fault.what} `, see, fault.see);
    button.setAttribute("aria-describedby", said.id);
    button.addEventListener("click", () => act(button.getAttribute("aria-checked") === "true" ? "DELETE" : "PUT", `/broken/${fault.id}`));
    line.append(button, said);
    texts.set(fault.id, (known = { line, button, said }));
  }
  known.button.setAttribute("aria-checked", String(fault.isBroken));
  known.said.hidden = !fault.isBroken;
  return known.line;
}

/** The truth that the age on the page is to be compared with. */
function showTruth() {
  const has = state?.truthAge !== null && state?.truthAge !== undefined;
  element("truth").hidden = !has;
  if (!has) return;
  const seconds = Math.floor((state.truthAge + performance.now() - cameAt) / 1000);
  const strong = document.createElement("strong");
  strong.textContent = `${seconds}\u00a0s\u00a0ago`;
  const what = state.isStampWrong ? "Truth: this data says that it is of tomorrow. It reached the server " : "Truth: the producer made this data ";
  element("truth").replaceChildren(what, strong, ".");
}

function fold() {
  root.classList.toggle("open", isOpen);
  element("fold").setAttribute("aria-expanded", String(isOpen));
  element("content").hidden = !isOpen;
  if (state) show();
  fit();
}

// MARK: The page around

function post(message) {
  if (isFramed) parent.postMessage(message, "*");
}

/** Asks the page for the room that the panel takes. */
function fit() {
  if (!isFramed) return;
  const width = isOpen ? Math.min(400, screen.availWidth) : element("panel").getBoundingClientRect().width + 1;
  post({ width: Math.ceil(width), height: isOpen ? Math.ceil(element("content").scrollHeight + 60) : Math.ceil(element("panel").getBoundingClientRect().height) });
}

async function importBooks() {
  try {
    const answer = await send("POST", "/books");
    post({ books: { name: answer.headers.get("x-demo-name"), text: await answer.text() } });
  } catch (error) {
    element("message").textContent = error.message;
  }
}

addEventListener("message", (event) => {
  if (!pages.split(" ").includes(event.origin)) return;
  if (event.data.answeredAgo !== undefined) {
    boardAt = performance.now() - event.data.answeredAgo;
    stated = event.data.stated;
  }
  if (event.data.scheme) root.dataset.scheme = event.data.scheme;
});
element("fold").addEventListener("click", () => {
  isOpen = !isOpen;
  sessionStorage.setItem("open", isOpen ? "yes" : "no");
  fold();
});
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && isOpen && isFramed) element("fold").click();
});
element("mend").addEventListener("click", () => act("DELETE", "/broken"));
element("import").addEventListener("click", importBooks);
element("import").hidden = page !== "jobs";
root.classList.toggle("framed", isFramed);
if (!isFramed) {
  element("addresses").hidden = false;
  for (const [title, path] of [["Departures", "/"], ["Worktrees", "/workspaces"], ["Jobs", "/jobs"]]) {
    const link = document.createElement("a");
    link.href = pages.split(" ")[0] + path;
    link.textContent = `${title}: ${link.href}`;
    element("addresses").append(link);
  }
}
post({ isReady: true });
fold();
follow();
setInterval(showTruth, 250);
// The first page of jobs that is opened starts an import by itself.
if (isFramed && page === "jobs") {
  send("POST", "/books/first").then(async (answer) => {
    if (answer.status === 200) post({ books: { name: answer.headers.get("x-demo-name"), text: await answer.text() } });
  }, () => {});
}
