"""A new timetable takes no realtime from a board that a client has seen with it."""

from __future__ import annotations

import threading
import unittest

from program import until
from realtime_stage import BOARD
from replicas import NEW, World
from sample_network import network
from scale import sized

IMPORTS = sized(6, long=40)
"""For a moment after each of them there is a timetable for which no publication is indexed."""


class TimetableRealtimeTests(unittest.TestCase):
    def test_boards_keep_their_realtime_through_imports(self):
        world = World()
        self.addCleanup(world.close)
        server = world.serve(0)
        world.replicas.append(server)
        until(lambda: world.shown(server) == world.trips.made[-1])
        world.watch()
        publisher = threading.Thread(target=world.publish, daemon=True)
        publisher.start()
        feeds = (world.renamed(), network() / "feed")
        for number in range(IMPORTS):
            answers = [viewer.answers for viewer in world.viewers]
            world.share(feeds[number % 2])
            until(lambda: server.generation() == world.newest())
            self.assertEqual(server.get(BOARD)[1]["station"]["name"] == NEW, number % 2 == 0)
            until(lambda answers=answers: all(viewer.answers > before + 1 for viewer, before in zip(world.viewers, answers)))
        at = world.trips.made[-1]
        for client in (*world.viewers, *world.streams):
            until(lambda client=client: client.faults or client.has_seen(at))
        world.stop()
        publisher.join()
        for viewer in world.viewers:
            self.assertEqual(viewer.faults, [])
            self.assertLess(viewer.behind, viewer.answers / 3)


if __name__ == "__main__":
    unittest.main()
