"""Timetables that come by themselves, where much happens at once and files and dates are wrong."""

from __future__ import annotations

import json
import shutil
import unittest
from pathlib import Path

from program import Folder, Server, run, sample, until
from test_static_feeds import Publisher, feed


class StaticFaults(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        self.data = self.folder / "data"

    def serve(self, *feeds: dict, poll: str | None = "static=200") -> Server:
        path = self.folder / "settings.json"
        path.write_text(json.dumps({"feeds": list(feeds)}))
        path.chmod(0o600)
        options = ["--poll", poll] if poll else []
        return Server(self.data, "--config", str(path), *options, log_level="info")

    def serving(self, server: Server) -> dict[str, str]:
        return {feed["key"]: feed["generation"] for feed in server.get("/health")[1]["feeds"]}

    def timetable(self, generation: str) -> Path:
        return self.data / "feeds/default" / generation / "timetable.freshet"

    def damage(self, generation: str) -> None:
        file = self.timetable(generation)
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 0xFF
        file.write_bytes(content)

    def test_sources_that_are_due_together_all_serve(self):
        publishers = [Publisher(self) for _ in range(5)]
        for number, publisher in enumerate(publishers):
            publisher.publish(feed(note=str(number)), "a")
        feeds = ({"static": publisher.url, "prefix": f"p{number}"} for number, publisher in enumerate(publishers))
        with self.serve(*feeds, poll=None) as server:
            until(lambda: len(self.serving(server)) == 5)
            self.assertEqual([publisher.whole for publisher in publishers], [1] * 5, "".join(server.log))
            self.assertEqual([line for line in server.log if "cannot be used" in line], [])

    def test_a_server_that_ends_does_not_wait_for_an_import(self):
        publisher = Publisher(self)
        files = self.folder / "large"
        sample(files, "--stops", "1000", "--stop-times", "300000")
        large = shutil.make_archive(str(self.folder / "large"), "zip", files)
        publisher.publish(Path(large).read_bytes(), "large")
        with self.serve({"static": publisher.url}) as server:
            until(lambda: list(self.data.glob("feeds/default/*.partial")))
            self.assertEqual(server.stop(), 0)
            self.assertNotIn("cannot be used", "".join(server.log))
        self.assertFalse((self.data / "manifest.json").exists(), "it waited")
        publisher.publish(feed(), "small")
        with self.serve({"static": publisher.url}) as server:
            until(lambda: self.serving(server))
        self.assertEqual(list(self.data.glob("feeds/default/*.partial")), [])

    def test_a_damaged_timetable_is_fetched_again(self):
        publisher = Publisher(self)
        publisher.publish(feed(), "a")
        with self.serve({"static": publisher.url}) as server:
            until(lambda: self.serving(server))
            first = self.serving(server)["default"]
            server.stop()
        self.damage(first)
        self.assertIn("cannot be opened", run("feeds", "list", "--data", str(self.data)).stdout)
        with self.serve({"static": publisher.url}) as server:
            until(lambda: self.serving(server).get("default", first) != first)
            self.assertEqual(server.get("/health")[1]["status"], "ok")
        self.assertEqual(publisher.whole, 2)

    def test_a_date_in_the_future_does_not_make_later_files_older(self):
        publisher = Publisher(self)
        publisher.publish(feed(note="a"), "a", "Thu, 01 Jan 2099 00:00:00 GMT")
        with self.serve({"static": publisher.url}) as server:
            until(lambda: self.serving(server))
            first = self.serving(server)
            publisher.publish(feed(note="b"), "b", "Tue, 24 Nov 2026 06:00:00 GMT")
            until(lambda: self.serving(server) != first)
            self.assertEqual(server.get("/health")[1]["warnings"], [])

    def test_what_cannot_be_written_is_said_once(self):
        one, other = Publisher(self), Publisher(self)
        one.publish(feed(), "a")
        other.publish(feed(), "a")
        # A folder is where the schedule of one source has to be.
        (self.data / "static/default.json").mkdir(parents=True)
        (self.data / "static/default.json/x").touch()
        with self.serve({"static": one.url}, {"static": other.url, "prefix": "p"}) as server:
            until(lambda: other.unchanged >= 8)
            self.assertEqual(len([line for line in server.log if "cannot be followed" in line]), 1)
            self.assertEqual(one.whole, 0)
            (self.data / "static/default.json/x").unlink()
            (self.data / "static/default.json").rmdir()
            until(lambda: "default" in self.serving(server))


if __name__ == "__main__":
    unittest.main()
