"""Servers that share their jobs in PostgreSQL: one is killed, the database goes away and comes back.

FRESHET_DATABASE_KILLS kills servers as often as one likes.
"""

from __future__ import annotations

import json
import os
import random
import socket
import threading
import time
import unittest
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from database import Database
from job_stage import Balancer, JobServer, LossTests, Watcher
from program import Folder, Server, run, until
from sample_network import copy_network
from scale import sized

KILLS = int(os.environ.get("FRESHET_DATABASE_KILLS", sized("4", long="40")))
JOBS = sized(5, long=30)
CONNECTIONS = 8
"""PostgresClientLimits.connections."""
STATEMENT = 30
"""PostgresClientLimits.statementSeconds."""
BOOKS = [{"title": f"Book {number}", "author": f"Author {number}"} for number in range(6)]


class Shelf:
    """Answers like Open Library's search, knows every book, and stops answering when it is told to."""

    def __init__(self, answers: int | None = None):
        self.asked: list[str] = []
        self._left = answers
        self._open = threading.Condition()
        shelf = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                title = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query).get("title", [""])[0]
                if not shelf._may_answer(title):
                    return
                body = json.dumps({"numFound": 1, "docs": [{
                    "key": f"/works/OL{abs(hash(title))}W", "title": title,
                    "author_name": [title.replace("Book", "Author")],
                }]}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                try:
                    self.wfile.write(body)
                except BrokenPipeError:
                    pass  # It was asked too long ago.

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def _may_answer(self, title: str) -> bool:
        with self._open:
            self.asked.append(title)
            while self._left == 0:
                self._open.wait()
            if self._left is not None and self._left > 0:
                self._left -= 1
            return self._left != -1

    def serve(self, connection: socket.socket, address: object) -> None:
        """Answers over a connection that came another way."""
        self._server.process_request(connection, address)

    def release(self) -> None:
        """Answers everything from now on."""
        with self._open:
            self._left = None
            self._open.notify_all()

    def close(self) -> None:
        """Ends it; what waits gets no answer."""
        with self._open:
            self._left = -1
            self._open.notify_all()
        self._server.shutdown()
        self._server.server_close()


class Listener:
    """Follows a job over server-sent events to its end."""

    def __init__(self, server: JobServer, job: dict):
        self.messages: list[dict] = []
        self.signs = 0
        """How often it heard that the job lives, and nothing else."""
        request = urllib.request.Request(f"{server.url}/v1/jobs/{job['jobId']}/events")
        request.add_header("Authorization", f"Bearer {job['token']}")
        self._answer = urllib.request.urlopen(request, timeout=120)
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        for line in self._answer:
            if line.startswith(b"data:"):
                message = json.loads(line[5:])
                if "seq" in message:
                    self.messages.append(message)
                elif message["payload"].get("keepAlive"):
                    self.signs += 1
                if message["type"] in ("job_complete", "error"):
                    break
        self._answer.close()

    def end(self) -> list[dict]:
        """What it heard, once the job is over."""
        self._thread.join(timeout=120)
        assert not self._thread.is_alive(), "the job does not end"
        return self.messages


class DatabaseTests(LossTests):
    @classmethod
    def setUpClass(cls):
        cls.database = Database()
        cls.addClassCleanup(cls.database.close)
        cls.boards = Folder()
        cls.addClassCleanup(cls.boards.remove)
        copy_network(cls.boards.path)

    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)

    def serve(self, name: str, *options: str, lease: int = 1, **limits: int) -> JobServer:
        """A server on the database, with a folder of its own for jobs."""
        if not (self.folder / name).exists():
            (self.folder / name).mkdir()
            (self.folder / name / "data").symlink_to(self.boards / "data")
        server = JobServer(
            self.folder / name, "--database", self.database.url, *options,
            # Nothing here ends a job for the servers that were killed over it.
            limits={"leaseSeconds": lease, "crashesOfJob": 1_000, **limits},
        )
        self.addCleanup(server.__exit__)
        return server

    def shelf(self, answers: int | None = None) -> Shelf:
        shelf = Shelf(answers)
        self.addCleanup(shelf.close)
        return shelf

    def start(self, server: JobServer, **fields: str) -> dict:
        return server.start(
            json.dumps({"books": BOOKS}).encode(), "batch_enrichment", Content_Type="application/json", **fields
        )

    def check_events(self, messages: list[dict]) -> None:
        """Numbers from 1 without a gap, and one end, which comes last."""
        self.assertEqual([message["seq"] for message in messages], list(range(1, len(messages) + 1)))
        self.assertEqual([message["type"] for message in messages].count("job_complete"), 1)
        self.assertEqual(messages[-1]["type"], "job_complete")

    def test_a_job_whose_server_is_killed_ends_on_another_one(self):
        shelves = [self.shelf(answers=2), self.shelf(answers=2)]
        servers = [self.serve(f"server{n}", "--open-library", shelf.url) for n, shelf in enumerate(shelves)]
        job = self.start(servers[0], Idempotency_Key="once")
        # Either server may have it, and stops at the third book.
        until(lambda: any(len(shelf.asked) > 2 for shelf in shelves))
        busy = 0 if len(shelves[0].asked) > 2 else 1
        other = servers[1 - busy]
        listener = Listener(other, job)
        repeated = self.start(other, Idempotency_Key="once")
        self.assertEqual(repeated["jobId"], job["jobId"])
        until(lambda: len(listener.messages) > 0)
        shelves[1 - busy].release()
        servers[busy].kill()
        messages = listener.end()
        self.check_events(messages)
        # A new server reads the same log.
        third = self.serve("third")
        self.assertEqual(third.wait(job)["state"], "succeeded")
        results = third.results(job)
        self.assertEqual([item["number"] for item in results], list(range(len(BOOKS))))
        self.assertEqual({item["outcome"] for item in results}, {"enriched"})
        self.assertEqual(third.state(job, after=f"{messages[0]['epoch']}.{messages[-2]['seq']}")["events"][-1]["seq"],
                         messages[-1]["seq"])

    def test_behind_a_balancer_servers_are_killed_and_clients_notice_nothing(self):
        rng = random.Random(os.environ.get("FRESHET_SEED", "7"))
        shelf = self.shelf()
        servers = [self.serve(f"server{n}", "--open-library", shelf.url) for n in range(3)]
        balancer = Balancer(servers)
        self.addCleanup(balancer.close)
        jobs = [self.start(rng.choice(servers), Idempotency_Key=f"{self.id()} {n}") for n in range(JOBS)]
        watchers = [Watcher(self.folder, f"job{n}", job, balancer.port) for n, job in enumerate(jobs)]
        for _ in range(KILLS):
            asked = len(shelf.asked)
            until(lambda: len(shelf.asked) > asked + 1 or all(w.process.poll() is not None for w in watchers))
            victim = rng.randrange(3)
            servers[victim].kill()
            servers[victim] = self.serve(f"server{victim}", "--open-library", shelf.url)
        for job, watcher in zip(jobs, watchers):
            self.check_messages(watcher.messages(timeout=240), watcher.job["jobId"])
            stored = Listener(servers[0], job).end()
            self.check_events(stored)
            results = servers[1].results(job)
            self.assertEqual([item["number"] for item in results], list(range(len(BOOKS))))
            self.assertEqual({item["outcome"] for item in results}, {"enriched"})

    def test_a_job_that_waits_makes_no_events(self):
        shelf = self.shelf(answers=2)
        servers = [self.serve(f"server{n}", "--open-library", shelf.url, heartbeatSeconds=1) for n in range(2)]
        job = self.start(servers[0])
        until(lambda: len(shelf.asked) > 2)
        listeners = [Listener(server, job) for server in servers]
        # Many reports of the work, and one sign of life a second.
        until(lambda: min(listener.signs for listener in listeners) >= 3)
        shelf.release()
        for listener in listeners:
            messages = listener.end()
            self.check_events(messages)
            done = [message["payload"]["processedCount"] for message in messages if message["type"] == "job_progress"]
            self.assertEqual(sorted(set(done)), done)

    def test_a_server_that_ends_gives_its_jobs_to_another_one_at_once(self):
        shelves = [self.shelf(answers=2), self.shelf(answers=2)]
        # No lease ends by its time.
        servers = [
            self.serve(f"server{n}", "--open-library", shelf.url, lease=3_600) for n, shelf in enumerate(shelves)
        ]
        job = self.start(servers[1])
        until(lambda: any(len(shelf.asked) > 2 for shelf in shelves))
        busy = 0 if len(shelves[0].asked) > 2 else 1
        listener = Listener(servers[1 - busy], job)
        shelves[1 - busy].release()
        self.assertEqual(servers[busy].stop(), 0)
        self.check_events(listener.end())

    def test_while_the_database_is_away_boards_go_on_and_jobs_wait(self):
        shelf = self.shelf(answers=2)
        server = self.serve("server", "--open-library", shelf.url)
        job = self.start(server)
        until(lambda: len(shelf.asked) > 2)
        listener = Listener(server, job)
        until(lambda: listener.messages)
        self.database.tell("stop")
        try:
            status, body, fields = server.ask("GET", f"/v1/jobs/{job['jobId']}", token=job["token"])
            self.assertEqual((status, json.loads(body)["error"], fields["Retry-After"]), (503, "store_unreachable", "5"))
            status, body, _ = server.ask(
                "POST", "/v1/jobs/batch_enrichment", json.dumps({"books": BOOKS}).encode(), Content_Type="application/json"
            )
            self.assertEqual((status, json.loads(body)["error"]), (503, "store_unreachable"))
            self.assertEqual(server.get("/api/stationboard?stop_id=Parent8501120&limit=1")[0], 200)
            self.assertEqual(server.get("/health/ready")[0], 200)
            # The work goes on as far as it can.
            shelf.release()
            self.serve("late").stop()
        finally:
            self.database.tell("start")
        until(lambda: server.ask("GET", f"/v1/jobs/{job['jobId']}", token=job["token"])[0] == 200)
        self.assertEqual(server.wait(job)["state"], "succeeded")
        self.assertEqual(len(server.results(job)), len(BOOKS))
        # Who listened all the time hears what a late one reads.
        heard = listener.end()
        self.check_events(heard)
        self.assertEqual([message["seq"] for message in Listener(server, job).end()], [message["seq"] for message in heard])

    def test_a_database_that_stands_still_holds_no_board_and_loses_no_job(self):
        shelf = self.shelf(answers=2)
        server = self.serve("server", "--open-library", shelf.url)
        job = self.start(server)
        until(lambda: len(shelf.asked) > 2)
        listener = Listener(server, job)
        until(lambda: listener.messages)
        late: list[int] = []

        def ask() -> list[threading.Thread]:
            threads = [
                threading.Thread(target=lambda: late.append(
                    server.ask("GET", f"/v1/jobs/{job['jobId']}", token=job["token"])[0]))
                for _ in range(20)
            ]
            for thread in threads:
                thread.start()
            return threads

        def are_open() -> bool:
            for thread in ask():
                thread.join()
            return self.database.connections() > CONNECTIONS

        # All connections are open, and one that listens: more than the server needs by itself. So some requests find one busy.
        until(are_open)
        self.assertEqual(set(late), {200})
        late.clear()
        self.database.tell("pause")
        try:
            shelf.release()
            asking = ask()
            for _ in range(20):
                self.assertEqual(server.get("/api/stationboard?stop_id=Parent8501120&limit=1")[0], 200)
            # More requests than connections: those that get none are told so.
            until(lambda: 503 in late)
        finally:
            self.database.tell("resume")
        for thread in asking:
            thread.join(timeout=120)
        self.assertEqual(len(late), len(asking))
        self.assertEqual(set(late), {200, 503})
        self.assertEqual(server.wait(job)["state"], "succeeded")
        self.check_events(listener.end())

    def test_operators_see_that_the_database_stands_still_and_a_server_starts_meanwhile(self):
        sources = ("--trip-updates", "http://127.0.0.1:1/t.pb", "--alerts", "http://127.0.0.1:1/a.pb")
        server = self.serve("server", *sources)

        def states(of: JobServer) -> dict[str, tuple[str, str]]:
            status, answer = of.get("/health/ready")
            self.assertEqual(status, 200, answer)
            return {each["name"].split(".")[0]: (each["state"], each.get("detail", "")) for each in answer["dependencies"]}

        def knows(of: JobServer) -> bool:
            found = states(of)
            return (found["jobs"][0] == "down" and found["timetables"][0] == "degraded"
                    and "the database that shares it cannot be reached" in found["realtime"][1])

        until(lambda: server.get("/health/ready")[0] == 200)
        until(lambda: states(server)["jobs"][0] == states(server)["timetables"][0] == "ok")
        self.database.tell("pause")
        try:
            began = time.monotonic()
            until(lambda: knows(server))
            self.assertLess(time.monotonic() - began, STATEMENT, "seen when statements end, and not before")
            late = self.serve("late", *sources)
            self.assertEqual(late.get("/api/stationboard?stop_id=Parent8501120&limit=1")[0], 200)
            until(lambda: late.get("/health/ready")[0] == 200)
            until(lambda: knows(late))
            self.assertEqual(sum("the server starts without it" in line for line in late.log), 1, late.log)
        finally:
            self.database.tell("resume")
        for each in (server, late):
            until(lambda each=each: states(each)["jobs"][0] == states(each)["timetables"][0] == "ok")
            until(lambda each=each: "database" not in states(each)["realtime"][1])
            self.assertEqual(each.stop(), 0)

    def test_an_import_whose_server_is_killed_goes_on_with_no_row_twice(self):
        rows = sized(4_000, long=10_000)
        table = "Book Id,Title,Author,My Rating\n" + "".join(
            f"{row},Title {row},Author {row % 50},{row % 5 + 1}\n" for row in range(rows))
        servers = [self.serve(f"server{n}") for n in range(2)]
        client = self.database.hold()
        self.addCleanup(client.wait)
        job = servers[0].start(table.encode(), "csv_import", Content_Type="text/csv", Idempotency_Key=self.id())
        listeners = [Listener(server, job) for server in servers]
        until(lambda: any(message["payload"].get("processedCount", 0) >= 200
                          for listener in listeners for message in listener.messages))
        # Whichever works on it waits before its next batch.
        self.database.say(client, "SELECT id FROM freshet.library FOR UPDATE;")
        self.assertEqual(servers[0].state(job)["state"], "running")
        victim = [b"\nfreshet_jobs_running 1" in server.ask("GET", "/metrics")[1] for server in servers].index(True)
        servers[victim].kill()
        client.stdin.close()
        other = servers[1 - victim]
        self.assertEqual(other.wait(job)["state"], "succeeded")
        messages = listeners[1 - victim].end()
        self.check_events(messages)
        third = self.serve("third")
        # Any server answers with the same bytes and tags.
        pages = []
        for server in (other, third):
            status, body, fields = server.ask("GET", f"/v1/jobs/{job['jobId']}/results?limit=500", token=job["token"])
            self.assertEqual(status, 200)
            pages.append((body, fields["ETag"]))
        self.assertEqual(pages[0], pages[1])
        results = third.results(job)
        self.assertEqual([item["number"] for item in results], list(range(rows)))
        self.assertEqual({item["outcome"] for item in results}, {"imported"})
        listed = run("library", "list", "--database", self.database.url, "--json")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        titles = [json.loads(line)["title"] for line in listed.stdout.splitlines()]
        self.assertEqual(titles, [f"Title {row}" for row in range(rows)])
        again = third.start(table.encode(), "csv_import", Content_Type="text/csv")
        self.assertEqual(other.wait(again)["state"], "succeeded")
        self.assertEqual({item["outcome"] for item in other.results(again)}, {"duplicate"})


class SchemaTests(unittest.TestCase):
    def test_a_server_starts_only_with_the_tables_of_its_version(self):
        database = Database(is_migrated=False)
        self.addCleanup(database.close)
        folder = Folder()
        self.addCleanup(folder.remove)
        data = str(copy_network(folder.path))
        serve = ("serve", "--data", data, "--port", "0", "--jobs", str(folder / "jobs"), "--database", database.url)
        answer = run(*serve)
        self.assertEqual(answer.returncode, 65, answer.stderr)
        self.assertIn("version 0, and this program needs version 4; run freshet migrate", answer.stderr)
        answer = run("feeds", "share", "--data", data, "--database", database.url)
        self.assertEqual(answer.returncode, 65, answer.stderr)
        self.assertIn("version 0, and this program needs version 3; run freshet migrate", answer.stderr)
        # What another program has made under the name of a schema is not touched.
        for table in ("books (title text)", "migration (name text)"):
            database.ask(f"CREATE SCHEMA freshet; CREATE TABLE freshet.{table}")
            for command in (serve, ("migrate", "--database", database.url)):
                answer = run(*command)
                self.assertEqual(answer.returncode, 65, answer.stderr)
                self.assertIn("the schema freshet of the database has tables of something else", answer.stderr)
            database.ask("DROP SCHEMA freshet CASCADE")
        answer = run("migrate", "--database", database.url, "--grant", "nobody")
        self.assertEqual(answer.returncode, 78, answer.stderr)
        self.assertIn(" has no role nobody, and nothing was changed; create it first", answer.stderr)
        for word in ("public", ""):
            answer = run("migrate", "--database", database.url, "--grant", word)
            self.assertEqual(answer.returncode, 64, answer.stderr)
        # All schemas are made or none.
        database.ask("CREATE SCHEMA freshet_timetables; CREATE TABLE freshet_timetables.feed (name text)")
        answer = run("migrate", "--database", database.url)
        self.assertEqual(answer.returncode, 65, answer.stderr)
        self.assertIn("the schema freshet_timetables of the database has tables of something else", answer.stderr)
        database.ask("DROP SCHEMA freshet_timetables CASCADE")
        self.assertEqual(database.ask("SELECT count(*) FROM pg_namespace WHERE nspname ~ '^freshet'"), "0")
        self.assertIn("version 4, was version 0", database.migrate("--grant", "freshet").stdout)
        self.assertIn("version 4, up to date", database.migrate().stdout)
        told = json.loads(database.migrate("--json").stdout)
        self.assertEqual({each["schema"] for each in told["schemas"]}, {"freshet", "freshet_realtime", "freshet_timetables"})
        self.assertEqual([each["before"] for each in told["schemas"]], [each["version"] for each in told["schemas"]])
        # Without jobs it shares timetables.
        with Server(data, "--database", database.url) as server:
            self.assertEqual(server.get("/health/ready")[0], 200)
        answer = run("migrate", "--database", "postgres://ann:s3cret@/x?host=/nonexistent")
        self.assertEqual(answer.returncode, 69)
        self.assertIn("postgres://ann@/nonexistent/x", answer.stderr)
        self.assertNotIn("s3cret", answer.stderr)

    def test_a_database_that_refuses_says_why_by_the_exit_code(self):
        database = Database()
        self.addCleanup(database.close)
        folder = Folder()
        self.addCleanup(folder.remove)
        data = str(copy_network(folder.path))
        host = Path(urllib.parse.parse_qs(urllib.parse.urlsplit(database.url).query)["host"][0])
        database.ask("CREATE ROLE ann LOGIN PASSWORD 's3cret'")
        rules = host / "data/pg_hba.conf"
        rules.write_text("local all ann scram-sha-256\n" + rules.read_text())
        database.ask("SELECT pg_reload_conf()")
        # Rights that this user has not of its own it cannot pass on, and PostgreSQL only warns of that.
        database.ask("CREATE ROLE server LOGIN; CREATE ROLE third LOGIN")
        database.migrate("--grant", "server")
        answer = run("migrate", "--grant", "third", "--database", f"postgres://server@/postgres?host={host}")
        self.assertEqual(answer.returncode, 77, answer.stderr)
        self.assertIn("this user cannot pass on rights for the schema freshet, so nothing was changed", answer.stderr)
        # A standby, and a name that would move the cursor.
        database.ask("ALTER ROLE server SET default_transaction_read_only = on")
        answer = run("migrate", "--grant", "third", "--database", f"postgres://server@/postgres?host={host}")
        self.assertEqual(answer.returncode, 69, answer.stderr)
        self.assertIn("name the primary", answer.stderr)
        answer = run("migrate", "--database", f"postgres://freshet@/a%0A%1b[31mred?host={host}")
        self.assertEqual(answer.returncode, 78, answer.stderr)
        self.assertNotIn("\x1b", answer.stderr)
        # A server that hangs is passed over for the next one.
        hanging = folder / "hanging"
        hanging.mkdir()
        with socket.socket(socket.AF_UNIX) as silent:
            silent.bind(str(hanging / ".s.PGSQL.5432"))
            silent.listen()
            url = f"postgres://freshet@/postgres?host={hanging},{host}&connect_timeout=1"
            answer = run("library", "list", "--database", url)
            self.assertEqual(answer.returncode, 0, answer.stderr)
            answer = run("library", "list", "--database", url.replace(str(host), "/nonexistent"))
            self.assertEqual(answer.returncode, 69, answer.stderr)
            self.assertIn(f"postgres://freshet@{hanging}/postgres: no answer within 1.0 s; ", answer.stderr)
            # The time of all of them is longer than an operation waits for one.
            answer = run("feeds", "share", "--data", data, "--database", url.replace("&connect_timeout=1", ""))
            self.assertEqual(answer.returncode, 0, answer.stderr)
        for url, code, sentence in (
            (f"postgres://ann@/postgres?host={host}", 77, "no password supplied"),
            (f"postgres://ann:wrong-s3cret@/postgres?host={host}", 77, "password authentication failed"),
            (f"postgres://ann:s3cret@/postgres?host={host}", 77, "permission denied"),
            (f"postgres://freshet@/missing?host={host}", 78, 'database "missing" does not exist'),
        ):
            for command in (("migrate",), ("library", "list"), ("feeds", "share", "--data", data)):
                with self.subTest(url=url, command=command):
                    answer = run(*command, "--database", url)
                    self.assertEqual(answer.returncode, code, answer.stderr)
                    self.assertIn(sentence, answer.stderr)
                    self.assertNotIn("s3cret", answer.stderr)
                    self.assertNotIn("LOCATION", answer.stderr)


if __name__ == "__main__":
    unittest.main()
