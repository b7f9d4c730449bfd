"""Pages of other origins, wrong names and missing tokens, in a real, headless Chromium: nothing can be read or done."""

from __future__ import annotations

import json
import re
import sqlite3
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from browser import Browser
from job_stage import JobServer, table
from program import Folder, Server
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from work_stage import WorkPageTest
from workspaces import git, repository

TOKEN = "a-token-of-this-test-only"
#: What a page can try on a server. Each entry is what came of it: "read: …" or "done", if it was not prevented.
ATTEMPTS = """
async (base, worktree, job, headers, patience) => {
  const found = {};
  const soon = (promise, wait) => Promise.race([promise, new Promise((go) => setTimeout(() => go('nothing'), wait))]);
  const attempt = async (name, act, wait = patience) => { try { found[name] = await soon(act(), wait); } catch (problem) { found[name] = `prevented: ${problem.name}`; } };
  const told = async (response) => {
    if (response.type === 'opaque') return 'nothing';
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) return `read: ${new TextDecoder().decode((await response.body.getReader().read()).value).slice(0, 40)}`;
    return response.ok ? `read: ${(await response.text()).slice(0, 40)}` : `refused: ${response.status}`;
  };
  const reads = ['/v1/git/worktrees', '/v1/git/worktrees?since=0', `/v1/git/worktrees/${worktree}`, `/v1/git/worktrees/${worktree}/diff`, `/v1/git/worktrees/${worktree}/merge/check`,
    `/v1/sessions/workspace/${worktree}`, '/v1/git/branches/local%2Fmain', '/v1/info', '/v1/events', '/v1/capabilities', `/v1/jobs/${job.jobId}`, `/v1/jobs/${job.jobId}/results`,
    `/v1/jobs/${job.jobId}/failed.csv`, `/v1/jobs/${job.jobId}/events`];
  for (const path of reads) {
    const fields = path.startsWith('/v1/jobs/') ? { Authorization: `Bearer ${job.token}` } : headers;
    await attempt(`GET ${path}`, async () => told(await fetch(base + path, { headers: fields })));
    await attempt(`GET ${path}, simply`, async () => told(await fetch(base + path, { mode: 'no-cors', credentials: 'include' })));
  }
  const create = JSON.stringify({ repository: 'local/main', branch: 'topic/made' });
  const csv = 'Title,Author\\nA,B\\n';
  const form = () => { const made = new FormData(); made.append('file', new File([csv], 'a.csv', { type: 'text/csv' })); return made; };
  const writes = [
    ['POST', '/v1/git/worktrees', create, headers], ['POST', `/v1/git/worktrees/${worktree}/seen`, '', headers], ['POST', `/v1/git/worktrees/${worktree}/merge`, '{}', headers],
    ['POST', '/v1/batch', '{"requests":[{"path":"/v1/git/worktrees"}]}', headers],
    ['DELETE', `/v1/git/worktrees/${worktree}?force=1`, null, headers], ['POST', '/v1/jobs/csv_import', form(), {}], ['POST', '/v1/jobs/csv_import', csv, {}],
    ['POST', `/v1/jobs/${job.jobId}/token`, '', { Authorization: `Bearer ${job.token}` }], ['POST', `/v1/jobs/${job.jobId}/cancel`, '', { Authorization: `Bearer ${job.token}` }],
    ['DELETE', `/v1/jobs/${job.jobId}`, null, { Authorization: `Bearer ${job.token}` }],
  ];
  for (const [method, path, body, fields] of writes) {
    const kind = typeof body === 'string' && body.startsWith('{') ? { 'Content-Type': 'application/json' } : {};
    await attempt(`${method} ${path} ${typeof body}`, async () => told(await fetch(base + path, { method, body, headers: { ...kind, ...fields } })));
    if (method === 'POST') await attempt(`POST ${path} ${typeof body}, simply`, async () => told(await fetch(base + path, { method, body, mode: 'no-cors' })));
  }
  await attempt('beacon', async () => { navigator.sendBeacon(base + '/v1/git/worktrees', create); return 'nothing'; });
  // A form that is not sent is silent: what it would have done is done while the attempts after it are made.
  await Promise.all(['text/plain', 'multipart/form-data', 'application/x-www-form-urlencoded'].map((kind) =>
    attempt(`form ${kind}`, () => new Promise((go) => {
      const frame = document.createElement('iframe');
      frame.name = `frame-${kind}`;
      const made = Object.assign(document.createElement('form'), { method: 'POST', enctype: kind, action: base + (kind === 'text/plain' ? '/v1/git/worktrees' : '/v1/jobs/csv_import'), target: frame.name });
      const field = Object.assign(document.createElement('input'), { name: kind === 'text/plain' ? '{"repository":"local/main","branch":"topic/form","name":"' : 'file', value: kind === 'text/plain' ? '"}' : csv });
      made.append(field);
      document.body.append(frame, made);
      frame.addEventListener('load', () => go('nothing'));
      made.submit();
    }), 2000)));
  await attempt('EventSource', () => new Promise((go) => {
    const source = new EventSource(base + '/v1/events');
    source.onmessage = ({ data }) => { source.close(); go(`read: ${data.slice(0, 40)}`); };
    source.onopen = () => go('read: open');
    source.onerror = () => { source.close(); go('prevented: error'); };
  }));
  await attempt('WebSocket', () => new Promise((go) => {
    const socket = new WebSocket(`${base.replace('http', 'ws')}/ws/progress?jobId=${job.jobId}`, [`freshet-auth.${job.token}`]);
    socket.onmessage = ({ data }) => { socket.close(); go(`read: ${data.slice(0, 40)}`); };
    socket.onerror = () => go('prevented: error');
  }));
  await attempt('script', () => new Promise((go) => {
    const script = Object.assign(document.createElement('script'), { src: base + '/v1/git/worktrees', onload: () => go('read: a script'), onerror: () => go('prevented: error') });
    document.head.append(script);
  }));
  for (const path of ['/workspaces', '/jobs', '/v1/git/worktrees']) {
    await attempt(`frame ${path}`, () => new Promise((go) => {
      const frame = Object.assign(document.createElement('iframe'), { src: base + path });
      frame.addEventListener('load', () => { let text = null; try { text = frame.contentDocument?.body?.innerText; } catch {} go(text ? `read: ${text.slice(0, 40)}` : 'nothing'); });
      document.body.append(frame);
    }));
  }
  return found;
}
"""


class Stranger:
    """A foreign server with an empty page."""

    def __init__(self) -> None:
        class Page(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(b"<!doctype html><title>Elsewhere</title><link rel=icon href=data:,><p>Elsewhere")

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class StrangersTest(WorkPageTest):
    """A server with worktrees and jobs, and pages that try everything."""

    EXPECTED = re.compile(r".")
    OPTIONS: tuple[str, ...] = ()

    def setUp(self) -> None:
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        base = self.folder.path.resolve()
        self.root = base / "work"
        main = repository(self.root / "main")
        git(main, "worktree", "add", "-q", "-b", "topic/here", str(self.root / "here"))
        self.server = JobServer(
            base, "--workspaces", str(self.root), "--claude-home", str(base / "claude"), "--codex-home", str(base / "codex"),
            "--agent-logs", str(base / "logs"), *self.OPTIONS,
        )
        self.addCleanup(self.server.__exit__)
        self.headers = {"Authorization": f"Bearer {TOKEN}"} if self.OPTIONS else {}
        self.job = self.server.start(table(20))
        self.server.wait(self.job)
        self.worktree = next(one["id"] for one in self.worktrees() if one["path"].endswith("/here"))
        super().setUp()

    def worktrees(self) -> list[dict]:
        status, body, _ = self.server.ask("GET", "/v1/git/worktrees", **self.headers)
        self.assertEqual(status, 200, body)
        return json.loads(body)

    def standing(self) -> object:
        """What must not change: the worktrees, git's own view, the jobs and their tokens."""
        jobs = sqlite3.connect(f"file:{self.folder.path}/jobs/jobs.sqlite?mode=ro", uri=True)
        try:
            counts = [jobs.execute(f"select count(*) from {name}").fetchone()[0] for name in self.tables(jobs)]
        finally:
            jobs.close()
        paths = sorted(one["path"] for one in self.worktrees())
        return paths, git(self.root / "main", "for-each-ref"), git(self.root / "main", "worktree", "list"), counts

    @staticmethod
    def tables(jobs: sqlite3.Connection) -> list[str]:
        found = jobs.execute("select name from sqlite_master where type = 'table' and name not like 'sqlite%' order by name")
        return [f'"{name}"' for name, in found]

    def try_all(self, base: str, job: dict | None = None, headers: dict | None = None, tab=None, patience: int = 4_000) -> dict[str, str]:
        """Tries everything from the page that is open; what is silent for so many milliseconds came to nothing."""
        arguments = ", ".join(map(json.dumps, (base, self.worktree, job or self.job, headers or {}, patience)))
        return (tab or self.tab).run(f"({ATTEMPTS})({arguments})", patience=600)

    def check_nothing_came(self, found: dict[str, str]) -> None:
        self.assertGreater(len(found), 40)
        self.assertEqual({name: what for name, what in found.items() if what.startswith(("read", "done"))}, {})

    def answers(self, tab, base: str) -> dict[str, int]:
        """The addresses of the attempts that were answered, and how."""
        asked = [request for request in tab.requests if request["url"].startswith((f"{base}/v1/", f"{base}/ws/"))]
        return {request["url"]: tab.responses[request["id"]]["status"] for request in asked if request["id"] in tab.responses}


class OtherOriginsTest(StrangersTest):
    """No token is set: only the checks of origin and name protect it."""

    def test_a_page_of_another_origin_reads_and_does_nothing_and_the_servers_own_page_does(self):
        stranger = Stranger()
        self.addCleanup(stranger.close)
        tab = self.tab
        before = self.standing()
        # Another port, and another name of the same server: both are other origins.
        for place in (stranger.url, f"http://localhost:{self.server.port}/openapi.json"):
            tab.open(place)
            self.check_nothing_came(self.try_all(self.server.url))
        self.assertEqual(self.standing(), before)
        # 405 is the answer, or 404 of what is not there, to what a browser asks before a DELETE, which it then does not send.
        self.assertEqual({url: status for url, status in self.answers(tab, self.server.url).items() if status not in (403, 404, 405)}, {})
        # The frames stayed empty: neither page lets itself be shown.
        self.assertEqual(len([line for line in tab.console if "frame-ancestors" in line]), 4)
        # The same attempts from a page of the server succeed: it is the origin that prevented them.
        tab.open(f"{self.server.url}/jobs")
        found = self.try_all(self.server.url, patience=60_000)
        for name in ("GET /v1/git/worktrees", "GET /v1/events", "POST /v1/git/worktrees string", "POST /v1/jobs/csv_import object", f"GET /v1/jobs/{self.job['jobId']}/results",
                     f"DELETE /v1/git/worktrees/{self.worktree}?force=1 object", "EventSource", "WebSocket"):
            self.assertTrue(found[name].startswith("read"), f"{name}: {found[name]}")
        self.assertNotEqual(self.standing(), before)

    def test_a_name_that_was_made_to_lead_here_leads_nowhere(self):
        browser = Browser("--host-resolver-rules=MAP rebound.example 127.0.0.1")
        self.addCleanup(browser.close)
        tab = browser.tab()
        base = f"http://rebound.example:{self.server.port}"
        before = self.standing()
        tab.open(f"{base}/jobs")
        # The page itself is public; what it requests is not.
        found = self.try_all(base, tab=tab)
        pages = {name: what for name, what in found.items() if name.startswith("frame ")}
        self.check_nothing_came({name: what for name, what in found.items() if name not in pages})
        self.assertEqual({what for name, what in found.items() if name.startswith("GET /v1")}, {"refused: 421"})
        self.assertNotIn("worktrees", pages["frame /v1/git/worktrees"])
        self.assertEqual(set(self.answers(tab, base).values()), {421})
        self.assertEqual(self.standing(), before)
        # The page of worktrees says why it is empty.
        tab.open(f"{base}/workspaces?lang=en")
        tab.wait("!document.querySelector('[data-part=trouble]').hidden")
        self.assertIn("does not know itself by this name", tab.text("[data-part=trouble]"))


class TokensTest(StrangersTest):
    """A token is set; the page is the server's own."""

    def setUp(self) -> None:
        secrets = Folder()
        self.addCleanup(secrets.remove)
        (secrets / "token").write_text(TOKEN + "\n")
        self.OPTIONS = ("--token-file", str(secrets / "token"))
        super().setUp()

    def test_without_the_token_nothing_is_read_or_done(self):
        tab = self.tab
        # Another job's token opens nothing of this one either.
        other = self.server.start(table(5, seed=9))
        self.server.wait(other)
        before = self.standing()
        tab.open(f"{self.server.url}/jobs")
        for token in ("", "wrong", other["token"]):
            found = self.try_all(self.server.url, {**self.job, "token": token}, {"Authorization": "Bearer wrong"} if token else {})
            # Starting a job gives the token of that job; the capabilities are public.
            own = {name: what for name, what in found.items() if re.search(r"csv_import|capabilities|^frame|^form", name)}
            self.check_nothing_came({name: what for name, what in found.items() if name not in own})
            self.assertEqual({what for name, what in found.items() if name.startswith("GET /v1/git")}, {"refused: 401"})
            self.assertEqual({what for name, what in found.items() if name.startswith("GET /v1/jobs")}, {"refused: 401"})
            self.assertNotIn(str(self.root), found["frame /v1/git/worktrees"])
        after = self.standing()
        self.assertEqual(after[:3], before[:3])
        found = self.try_all(self.server.url, headers=self.headers, patience=60_000)
        self.assertTrue(found["GET /v1/git/worktrees"].startswith("read"), found)
        self.assertTrue(found["WebSocket"].startswith("read"), found)


if __name__ == "__main__":
    unittest.main()
