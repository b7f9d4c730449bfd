"""What `freshet doctor --config` says of the database of a server."""

from __future__ import annotations

import json
import subprocess
import unittest
import urllib.parse
from pathlib import Path

from database import PSQL, Database
from program import NOW, Folder, run
from sample_network import copy_network
from side_by_side import load_side_by_side as load_tests  # noqa: F401

ROLE, SECRET = "ann", "s3cret-of-ann"


class DoctorDatabase(unittest.TestCase):
    def setUp(self):
        folder = Folder()
        self.addCleanup(folder.remove)
        self.folder = folder.path.resolve()
        (self.folder / "data").mkdir()
        self.settings: dict = {"data": str(self.folder / "data"), "port": 0, "jobs": {"folder": str(self.folder / "jobs")}}

    def start(self, is_migrated: bool = True) -> Database:
        database = Database(is_migrated)
        self.addCleanup(database.close)
        self.settings["database"] = database.url
        return database

    def ask(self, code: int) -> dict[str, dict]:
        """The checks by name; the exit code is as it should be, and no password is told."""
        path = self.folder / "freshet.json"
        path.write_text(json.dumps(self.settings))
        path.chmod(0o600)
        answer = run("doctor", "--config", str(path), "--json", "--now", NOW)
        self.assertEqual(answer.returncode, code, answer.stdout + answer.stderr)
        self.assertNotIn(SECRET, answer.stdout + answer.stderr)
        return {check["name"]: check for check in json.loads(answer.stdout)["checks"]}

    def fails(self, sentence: str, advice: str) -> None:
        check = self.ask(1)["database"]
        self.assertEqual(check["state"], "fail")
        self.assertIn(sentence, check["sentence"])
        self.assertIn(advice, check["advice"])

    @staticmethod
    def sql(database: Database, statement: str) -> None:
        subprocess.run([PSQL, "-qAtX", "-v", "ON_ERROR_STOP=1", "-d", database.url, "-c", statement], check=True, timeout=60)

    def test_a_database_that_is_as_it_should_be_and_one_that_refuses(self):
        database = self.start()
        # A source at an address is shared, a file of this machine is not.
        self.settings["feeds"] = [{"tripUpdates": str(self.folder / "none.pb")}]
        self.assertTrue(self.ask(1)["database"]["sentence"].endswith(", with tables for jobs, timetables"))
        self.settings["feeds"] = [{"tripUpdates": "http://127.0.0.1:9/t.pb"}]
        self.assertTrue(self.ask(1)["database"]["sentence"].endswith(", with tables for jobs, realtime, timetables"))
        del self.settings["feeds"], self.settings["jobs"]
        checks = self.ask(0)
        self.assertEqual(checks["database"]["state"], "ok")
        self.assertTrue(checks["database"]["sentence"].endswith(", with tables for timetables"))
        database.tell("stop")
        self.fails("postgres://freshet@", "see whether it runs")
        database.tell("start")
        self.ask(0)

    def test_timetables_come_from_the_database(self):
        database = self.start()
        del self.settings["jobs"]
        warned = self.ask(0)["timetables"]
        self.assertEqual((warned["state"], "or in the database" in warned["sentence"]), ("warn", True))
        copy_network(self.folder / "elsewhere")
        answer = run("feeds", "share", "--data", str(self.folder / "elsewhere/data"), "--database", database.url)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        told = self.ask(0)["timetables"]
        self.assertEqual((told["state"], told["sentence"]), ("ok", "1 comes from the database"))
        # Nothing is fetched or changed.
        self.assertEqual(list(Path(self.settings["data"]).iterdir()), [])

    def test_a_wrong_password_and_a_role_without_rights(self):
        database = self.start()
        host = Path(urllib.parse.parse_qs(urllib.parse.urlsplit(database.url).query)["host"][0])
        self.sql(database, f"CREATE ROLE {ROLE} LOGIN PASSWORD '{SECRET}'")
        rules = host / "data/pg_hba.conf"
        rules.write_text(f"local all {ROLE} scram-sha-256\n" + rules.read_text())
        self.sql(database, "SELECT pg_reload_conf()")
        self.settings["database"] = f"postgres://{ROLE}:not-{SECRET}@/postgres?host={host}"
        self.fails("password authentication failed", "lets this user in")
        self.settings["database"] = f"postgres://{ROLE}:{SECRET}@/postgres?host={host}"
        self.fails("schema freshet: ", "run freshet migrate --grant")
        database.migrate("--grant", ROLE)
        self.assertEqual(self.ask(0)["database"]["state"], "ok")

    def test_tables_of_another_version(self):
        database = self.start(is_migrated=False)
        self.fails("jobs: the schema freshet of the database is version 0", "run freshet migrate")
        database.migrate()
        self.sql(database, "INSERT INTO freshet_realtime.migration (number) VALUES (999)")
        self.assertEqual(self.ask(0)["database"]["state"], "ok", "this server shares no realtime")
        self.settings["feeds"] = [{"tripUpdates": "http://127.0.0.1:9/t.pb"}]
        self.fails("realtime: the schema freshet_realtime of the database is version 999", "install the newer version")
        del self.settings["feeds"]
        self.sql(database, "INSERT INTO freshet_timetables.migration (number) VALUES (999)")
        self.fails("timetables: the schema freshet_timetables", "install the newer version")

    def test_an_address_that_is_none(self):
        self.settings["database"] = "mysql://freshet@localhost/freshet"
        path = self.folder / "freshet.json"
        path.write_text(json.dumps(self.settings))
        answer = run("doctor", "--config", str(path), "--now", NOW)
        self.assertIn(answer.returncode, (1, 78))
        self.assertIn("postgres://", answer.stdout + answer.stderr)


if __name__ == "__main__":
    unittest.main()
