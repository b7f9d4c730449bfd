"""Finding timetables in catalogues of feeds, and adding them."""

from __future__ import annotations

import csv
import http.server
import json
import shutil
import threading
import unittest
from pathlib import Path

from program import Folder, run, sample
from side_by_side import load_side_by_side as load_tests  # noqa: F401

COLUMNS = [
    "id", "data_type", "entity_type", "location.country_code", "location.subdivision_name", "location.municipality",
    "provider", "is_official", "name", "urls.direct_download", "urls.authentication_type", "urls.authentication_info",
    "urls.latest", "urls.license", "status",
]


def feed(id: str, provider: str, address: str, **members: str) -> dict[str, str]:
    """A row of the Mobility Database; dots in the names of columns are underscores here."""
    row = {"id": id, "data_type": "gtfs", "provider": provider, "urls.direct_download": address, "status": "active"}
    return row | {name.replace("__", "."): value for name, value in members.items()}


ROWS = [
    feed("mdb-1", "Verkehrsbetriebe Zürich", "https://example.org/vbz.zip", location__country_code="CH",
         location__municipality="Zürich", urls__license="https://example.org/license"),
    feed("mdb-2", "Old Zürich Boats", "https://example.org/boats.zip", status="inactive"),
    feed("mdb-3", "Gone", "https://example.org/gone.zip", status="deprecated", location__municipality="Zürich"),
    feed("mdb-4", "Zürich live", "https://example.org/live.pb", data_type="gtfs_rt"),
    feed("mdb-5", "Keyed, with a comma", "https://example.org/keyed.zip", urls__authentication_type="1",
         urls__authentication_info="https://example.org/key"),
    feed("mdb-6", "Mirror only", "", urls__latest="https://example.org/mirror.zip"),
    feed("mdb-7", "A file", "file:///etc/passwd"),
    feed("mdb-8", "Winterthur", "https://example.org/w.zip", location__subdivision_name="Zürich"),
]

DMFR = {
    "feeds": [
        {"id": "f-u0q-vbz", "spec": "gtfs", "urls": {"static_current": "https://example.org/vbz.zip"},
         "license": {"spdx_identifier": "CC0-1.0"}},
        {"id": "f-u0q-rt", "spec": "gtfs-rt", "urls": {"realtime_alerts": "https://example.org/a.pb"}},
        {"id": "f-keyed", "spec": "gtfs", "urls": {"static_current": "https://example.org/k.zip"}, "name": "Keyed",
         "authorization": {"type": "header", "info_url": "https://example.org/signup"}},
        {"id": "f-past", "spec": "gtfs", "urls": {"static_historic": ["https://example.org/p.zip"]}},
        "not a feed", {"urls": 5},
    ],
    "operators": [
        {"onestop_id": "o-vbz", "name": "Verkehrsbetriebe Zürich", "associated_feeds": [{"feed_onestop_id": "f-u0q-vbz"}]},
    ],
}


class CatalogueTest(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        self.table = self.folder / "feeds_v2.csv"
        self.write(ROWS)

    def write(self, rows: list[dict[str, str]], columns: list[str] = COLUMNS) -> None:
        with self.table.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, columns, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(rows)

    def search(self, *words: str, catalogue: object = None, code: int = 0) -> list[dict]:
        answer = run("feeds", "search", *words, "--catalogue", str(catalogue or self.table), "--json")
        self.assertEqual(answer.returncode, code, answer.stdout + answer.stderr)
        return json.loads(answer.stdout) if answer.stdout else []

    def ids(self, *words: str, **options) -> list[str]:
        return [each["id"] for each in self.search(*words, **options)]

    def test_timetables_are_found_by_name_place_and_id_without_accents(self):
        self.assertEqual(self.ids("zurich"), ["mdb-1", "mdb-8", "mdb-2"], "in the name first, those not kept up last")
        self.assertEqual(self.ids("ZÜRI", "verkehr"), ["mdb-1"])
        self.assertEqual(self.ids("mdb-5"), ["mdb-5"])
        self.assertEqual(self.ids("nowhere", code=1), [])
        found = self.search("keyed")[0]
        self.assertEqual((found["name"], found["access"]), ("Keyed, with a comma", "https://example.org/key"))
        self.assertEqual(self.search("mirror")[0]["address"], "https://example.org/mirror.zip")
        for word in ("live", "gone", "passwd"):
            self.assertEqual(self.ids(word, code=1), [])
        # Not by a regular expression of ours: every row that python's reader has, and that should be there.
        with self.table.open(newline="", encoding="utf-8") as file:
            wanted = [row["id"] for row in csv.DictReader(file) if row["data_type"] == "gtfs" and row["status"] != "deprecated"
                      and (row["urls.direct_download"] or row["urls.latest"]).startswith("http")]
        self.assertEqual(sorted(self.ids("mdb")), sorted(wanted))
        text = run("feeds", "search", "zurich", "--catalogue", str(self.table)).stdout
        self.assertIn("mdb-1  Verkehrsbetriebe Zürich · Zürich, CH\n    https://example.org/vbz.zip\n", text)
        self.assertIn("not kept up", text)

    def test_the_first_version_of_the_table_has_numbers(self):
        columns = ["mdb_source_id" if name == "id" else name for name in COLUMNS if name != "status"]
        self.write([{**row, "mdb_source_id": row["id"].removeprefix("mdb-")} for row in ROWS], columns)
        self.assertEqual(self.ids("verkehr"), ["mdb-1"])

    def test_dmfr_files_and_folders_of_them(self):
        atlas = self.folder / "atlas"
        atlas.mkdir()
        (atlas / "example.org.dmfr.json").write_text(json.dumps(DMFR))
        (atlas / "other.dmfr.json").write_text(json.dumps({"feeds": [
            {"id": "f-other", "spec": "GTFS", "urls": {"static_current": "http://example.org/o.zip"},
             "operators": [{"name": "Zürich Other"}]}]}))
        (atlas / "README.md").write_text("zurich")
        self.assertEqual(self.ids("zurich", catalogue=atlas), ["f-u0q-vbz", "f-other"])
        self.assertEqual(self.ids("zurich", catalogue=atlas / "example.org.dmfr.json"), ["f-u0q-vbz"])
        found = self.search("keyed", catalogue=atlas)[0]
        self.assertEqual((found["id"], found["access"]), ("f-keyed", "https://example.org/signup"))
        self.assertEqual(self.search("vbz", catalogue=atlas)[0]["license"], "CC0-1.0")
        (atlas / "broken.json").write_text('{"feeds": [')
        answer = run("feeds", "search", "zurich", "--catalogue", str(atlas))
        self.assertEqual(answer.returncode, 65)
        self.assertIn("broken.json", answer.stderr)

    def test_what_is_not_a_catalogue_is_said(self):
        other = self.folder / "other.csv"
        other.write_text("stop_id,stop_name\n1,Station\n")
        for place, word, code in ((other, "neither the CSV file", 65), (self.folder / "gone", "no such file", 66), (self.folder.path, ".json", 65)):
            answer = run("feeds", "search", "x", "--catalogue", str(place))
            self.assertEqual(answer.returncode, code)
            self.assertIn(word, answer.stderr)
        self.assertEqual(run("feeds", "search", "x").returncode, 64)

    def test_a_timetable_is_added_by_its_id(self):
        sample(self.folder / "feed", "--stop-times", "2000")
        body = Path(shutil.make_archive(str(self.folder / "feed"), "zip", self.folder / "feed")).read_bytes()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        address = f"http://127.0.0.1:{server.server_port}/feed.zip"
        self.write([*ROWS, feed("mdb-9", "Here", address)])
        data = str(self.folder / "data")
        answer = run("feeds", "add", "mdb-9", "--catalogue", str(self.table), "--data", data)
        self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)
        self.assertIn(address, run("feeds", "list", "--data", data).stdout)
        answer = run("feeds", "add", "mdb-99", "--catalogue", str(self.table), "--data", data)
        self.assertEqual(answer.returncode, 64)
        self.assertIn("mdb-99 is not in the catalogue", answer.stderr)


if __name__ == "__main__":
    unittest.main()
