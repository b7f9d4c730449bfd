"""A desktop's notifications without a desktop: prints what it is told as JSON Lines.

Run with the Python of the system, which has python3-dbus and python3-gi, and the address of a bus in
$DBUS_SESSION_BUS_ADDRESS: fake_notifications.py [--plain] [--silent]
"""

import json
import sys

import dbus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

NAME = "org.freedesktop.Notifications"


class Notifications(dbus.service.Object):
    """The service of the Desktop Notifications Specification, as far as it is used."""

    last = 40

    @dbus.service.method(NAME, in_signature="", out_signature="as", async_callbacks=("reply", "fail"))
    def GetCapabilities(self, reply, fail):
        tell({"asked": "capabilities"})
        if "--silent" not in sys.argv:
            reply(["body"] if "--plain" in sys.argv else ["body", "body-markup"])

    @dbus.service.method(NAME, in_signature="susssasa{sv}i", out_signature="u")
    def Notify(self, name, replaces, icon, title, text, actions, hints, patience):
        self.last = int(replaces) or self.last + 1
        tell({
            "app": str(name), "replaces": int(replaces), "icon": str(icon), "title": str(title), "text": str(text),
            "actions": [str(action) for action in actions], "urgency": int(hints["urgency"]),
            "patience": int(patience), "number": self.last,
        })
        return dbus.UInt32(self.last)


def tell(what):
    """Prints a line."""
    print(json.dumps(what), flush=True)


DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
owned = dbus.service.BusName(NAME, bus)
service = Notifications(bus, "/org/freedesktop/Notifications")
tell({"ready": True})
GLib.MainLoop().run()
