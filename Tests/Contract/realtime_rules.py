"""Rules of boards with realtime that no schema can express: functions of a board and its header fields."""

from __future__ import annotations

from datetime import datetime
from typing import Any

FRESH, AGEING = 45, 180
# How long a departure stays, and how long before its time it could have realtime.
GRACE, DUE = 45, 1800
ALERTS_FRESH = 120
COPY = 90
# Milliseconds and whole seconds are rounded on their own.
SLACK = 1.1
SEVERITIES = ["severe", "warning", "info", "unknown_severity"]
REASONS = {
    "applied": "fresh", "partial": "partial", "stale_cache": "stale", "guarded_error": "guarded", "missing_cache": "missing",
    "skipped_budget": "skipped_budget", "disabled": "disabled",
}
REST = ["banners", "rt", "alerts", "noService", "meta"]
# What a storm shows somewhere; its early trips are early by less than the minute that is EARLY.
KINDS = {
    "ON_TIME", "DELAYED", "CANCELLED", "SKIPPED_STOP", "UNKNOWN", "another platform", "no schedule", "an alert",
    "TRIP_CANCELLED", "STOP_SKIPPED", "EXTRA_SERVICE", "REPLACEMENT_SERVICE", "SHORT_TURN", "SHORT_TURN_TERMINUS",
    "RT_CONFIRMED", "a banner", "affects stop_id", "affects route_id", "affects trip_id", "affects route_type",
}


def instant(text: str) -> datetime:
    """Read an RFC 3339 instant."""
    return datetime.fromisoformat(text)


def seconds(later: str, earlier: str) -> float:
    """Seconds from one instant to another."""
    return (instant(later) - instant(earlier)).total_seconds()


def near(milliseconds: int | None, expected: float | None, name: str) -> list[str]:
    """Return a failure if an age in milliseconds is not the expected number of seconds."""
    if (milliseconds is None) != (expected is None):
        return [f"{name} is {milliseconds}, expected {expected} s"]
    if milliseconds is None or abs(milliseconds / 1000 - max(expected, 0)) < 0.005:
        return []
    return [f"{name} is {milliseconds}, not {expected} s"]


# --- Rules of a board ---------------------------------------------------------------


def failures(board: dict[str, Any], fields: dict[str, str] | None = None) -> list[str]:
    """Return which rules of realtime a board that obeys its schema breaks."""
    rows = board["departures"]
    found = age_failures(board) + mode_failures(board) + alert_failures(board)
    is_copy = board["meta"]["responseMode"] == "stale_cache_fallback"
    for row in rows:
        found += row_failures(row)
        if row["realtimeAt"] and not is_copy:
            found += freshness_failures(row, board["meta"]["serverTime"])
    applied = sum(row["realtimeAt"] is not None for row in rows)
    if board["meta"]["rtAppliedCount"] != applied:
        found.append(f"rtAppliedCount is {board['meta']['rtAppliedCount']}; {applied} departures have realtime")
    found += [] if is_copy else coverage_failures(board)
    if fields is not None:
        found += field_failures(board, fields)
    return found


def coverage_failures(board: dict[str, Any]) -> list[str]:
    """Return where what is said of coverage is not what the departures show."""
    meta, rows = board["meta"], board["departures"]
    coverage = meta["rtCoverage"]
    if coverage is None:
        return [] if meta["rtAppliedCount"] == 0 else ["departures have realtime, and there is no rtCoverage"]
    found = []
    old = sum(row["realtimeFreshness"] == "stale" for row in rows)
    live = meta["rtAppliedCount"] - old
    if (coverage["live"], coverage["old"]) != (live, old):
        found.append(f"rtCoverage is {coverage}; {live} departures are live, {old} are old")
    waits = [
        seconds(row["scheduledDeparture"], meta["serverTime"]) for row in rows if row["realtimeAt"] is None
    ]
    # A second at the end of the half hour is left out: instants are of whole seconds.
    least = live + old + sum(-GRACE <= wait < DUE - SLACK for wait in waits)
    most = live + old + sum(-GRACE - SLACK <= wait < DUE + SLACK for wait in waits)
    if not least <= coverage["departures"] <= most:
        found.append(f"rtCoverage counts {coverage['departures']} departures; expected {least} to {most}")
    if meta["rtStatus"] == "applied" and coverage["departures"] and not live:
        found.append("applied, and no departure is live")
    if meta["rtStatus"] == "partial" and live and coverage["matched"]:
        found.append(f"partial, and {live} departures are live")
    counted = coverage["matched"] + coverage["added"] + sum(coverage["withoutEffect"].values())
    if counted != coverage["tripUpdates"]:
        found.append(f"{counted} of {coverage['tripUpdates']} trip updates are counted")
    return found


def row_failures(row: dict[str, Any]) -> list[str]:
    """Return where the fields of a departure contradict each other."""
    key, flags = row["key"], row["flags"]
    found = []

    def agree(what: str, left: object, right: object) -> None:
        if left != right:
            found.append(f"{key}: {what}: {left!r} and {right!r}")

    agree("cancelled and its reason", row["cancelled"], row["cancelReasonCode"] is not None)
    agree("CANCELLED", row["status"] == "CANCELLED", row["cancelReasonCode"] == "CANCELED_TRIP")
    agree("TRIP_CANCELLED", row["status"] == "CANCELLED", "TRIP_CANCELLED" in flags)
    agree("SKIPPED_STOP", row["status"] == "SKIPPED_STOP", row["cancelReasonCode"] == "SKIPPED_STOP")
    if row["status"] == "SKIPPED_STOP":
        agree("stopEvent", row["stopEvent"], "SKIPPED")
    agree("STOP_SKIPPED", row["stopEvent"] == "SKIPPED", "STOP_SKIPPED" in flags)
    agree("delayMin and displayedDelayMin", row["delayMin"], row["displayedDelayMin"])
    agree("RT_CONFIRMED", "RT_CONFIRMED" in flags, row["realtimeDeparture"] is not None and not row["cancelled"])
    agree("a substitute", row["replacementType"] == "EV" and "REPLACEMENT_SERVICE" not in flags, False)
    agree("realtimeAt and realtimeFreshness", row["realtimeAt"] is None, row["realtimeFreshness"] is None)
    agree("previousPlatform", row["previousPlatform"] is None or row["platformChanged"], True)
    if len(set(flags)) < len(flags):
        found.append(f"{key}: the flags {flags} repeat")
    delay = row["rawDelaySec"]
    if delay is not None:
        agree("delay and times", seconds(row["realtimeDeparture"], row["scheduledDeparture"]), float(delay))
        raw = row["rawDelayMin"]
        expected = (0 if delay < 30 else -(-delay // 60)) if delay >= 0 else -(-delay // 60)
        agree("rawDelayMin", raw, expected)
        if row["delayMin"] != raw and (row["delayMin"], raw) != (0, 1):
            found.append(f"{key}: {raw} min of delay are shown as {row['delayMin']}")
    else:
        agree("minutes without seconds", (row["rawDelayMin"], row["delayMin"]), (None, None))
    if not row["cancelled"] and row["delayMin"] is not None:
        word = "DELAYED" if row["delayMin"] > 0 else "EARLY" if row["delayMin"] < 0 else "ON_TIME"
        agree("status and delay", row["status"], word)
    places = [SEVERITIES.index(alert["severity"]) for alert in row["alerts"] if alert["severity"] in SEVERITIES]
    agree("order of alerts", places, sorted(places))
    return found


def freshness_failures(row: dict[str, Any], now: str) -> list[str]:
    """Compare the word of a departure with its age, a second around the thresholds left out."""
    age = seconds(now, row["realtimeAt"])
    if min(abs(age - FRESH), abs(age - AGEING)) < SLACK:
        return []
    word = "fresh" if age <= FRESH else "ageing" if age <= AGEING else "stale"
    if row["realtimeFreshness"] == word:
        return []
    return [f"{row['key']}: {row['realtimeFreshness']} at {age:.0f} s; expected: {word}"]


def age_failures(board: dict[str, Any]) -> list[str]:
    """Return which ages are not those of the instants beside them."""
    rt, alerts, meta = board["rt"], board["alerts"], board["meta"]
    now = meta["serverTime"]

    def age(text: str | None) -> float | None:
        return None if text is None else seconds(now, text)

    found = near(meta["rtCacheAgeMs"], age(meta["rtFetchedAt"]), "rtCacheAgeMs")
    found += near(meta["rtPollAgeMs"], age(meta["rtLastPollAt"]), "rtPollAgeMs")
    found += near(meta["alertsCacheAgeMs"], age(meta["alertsFetchedAt"]), "alertsCacheAgeMs")
    pairs = (
        (rt["fetchedAt"], meta["rtFetchedAt"]), (rt["lastPollAt"], meta["rtLastPollAt"]),
        (rt["cacheAgeMs"], meta["rtCacheAgeMs"]), (rt["ageMs"], meta["rtCacheAgeMs"]),
        (rt["pollAgeMs"], meta["rtPollAgeMs"]), (alerts["fetchedAt"], meta["alertsFetchedAt"]),
        (alerts["cacheAgeMs"], meta["alertsCacheAgeMs"]), (rt["rtSource"], meta["rtSource"]),
        (alerts["alertsSource"], meta["alertsSource"]), (alerts["applied"], alerts["includeApplied"]),
    )
    found += [f"{left!r} and {right!r} should be the same" for left, right in pairs if left != right]
    following = meta["nextExpectedAt"]
    if following and seconds(following, now) < -0.001:
        found.append(f"nextExpectedAt is {following}, before {now}")
    for name in ("nextExpectedQuantile", "nextExpectedSpreadMs"):
        if (meta[name] is None) != (following is None):
            found.append(f"{name} is {meta[name]}, nextExpectedAt {following}")
    return found


def mode_failures(board: dict[str, Any]) -> list[str]:
    """Return where mode, words and causes contradict each other."""
    meta, rt, alerts = board["meta"], board["rt"], board["alerts"]
    found = []
    words = (meta["rtStatus"], meta["alertsStatus"])
    is_whole = all(word in ("applied", "disabled") for word in words) and not meta["skippedSteps"]
    if meta["responseMode"] == "full" and not is_whole:
        found.append(f"full with {words} and {meta['skippedSteps']}")
    if meta["responseMode"] == "degraded_static" and is_whole:
        found.append("degraded_static without a cause")
    if (rt["reason"], rt["applied"]) != (REASONS[words[0]], words[0] == "applied"):
        found.append(f"rt says {rt['reason']}, meta {words[0]}")
    if (alerts["reason"], alerts["applied"]) != (REASONS[words[1]], words[1] == "applied"):
        found.append(f"alerts says {alerts['reason']}, meta {words[1]}")
    is_copy = meta["responseMode"] == "stale_cache_fallback"
    for name, word, limit, age in (
        ("trip updates", words[0], FRESH, meta["rtCacheAgeMs"]),
        ("alerts", words[1], ALERTS_FRESH, meta["alertsCacheAgeMs"]),
    ):
        most = limit + (COPY if is_copy else 0) + SLACK
        if word in ("applied", "partial") and (age is None or age / 1000 > most):
            found.append(f"{name} are applied at the age of {age} ms")
        if word == "stale_cache" and (age is None or age / 1000 < limit - SLACK):
            found.append(f"{name} are stale at the age of {age} ms")
    if words[0] == "skipped_budget" and "rt_apply_skipped_budget" not in meta["skippedSteps"]:
        found.append("skipped_budget without its step")
    return found


def alert_failures(board: dict[str, Any]) -> list[str]:
    """Return which alerts are told twice, out of order, or only in one place."""
    entities = {alert["id"]: alert for alert in board["alerts"]["entities"]}
    found = []
    if len(entities) < len(board["alerts"]["entities"]):
        found.append("an alert is twice in alerts.entities")
    lists = [("banners", board["banners"])] + [(row["key"], row["alerts"]) for row in board["departures"]]
    banners = {alert["id"] for alert in board["banners"]}
    seen = set()
    for name, alerts in lists:
        ids = [alert["id"] for alert in alerts]
        seen.update(ids)
        if len(set(ids)) < len(ids):
            found.append(f"{name}: an alert is there twice")
        if name != "banners" and banners & set(ids):
            found.append(f"{name}: repeats the banner {banners & set(ids)}")
        for alert in alerts:
            entity = entities.get(alert["id"])
            if entity is None or any(entity[each] != alert[each] for each in ("severity", "effect", "cause", "header")):
                found.append(f"{name}: {alert['id']} is not in alerts.entities, or is another there")
    if seen != set(entities):
        found.append(f"alerts.entities has {sorted(set(entities) - seen)[:3]}, which nothing carries")
    for period in (each for alert in entities.values() for each in alert["activePeriods"]):
        if period["start"] and period["end"] and seconds(period["end"], period["start"]) <= 0:
            found.append(f"the period {period} is empty")
    if board["meta"]["alertsStatus"] in ("disabled", "skipped_budget", "missing_cache") and entities:
        found.append(f"alerts are {board['meta']['alertsStatus']}, and there are some")
    return found


def field_failures(board: dict[str, Any], fields: dict[str, str]) -> list[str]:
    """Compare the header fields of an answer with its body."""
    meta = board["meta"]
    expected = {
        "x-md-rt-status": meta["rtStatus"], "x-md-rt-reason": board["rt"]["reason"],
        "x-md-rt-applied": str(int(board["rt"]["applied"])), "x-md-rt-fetched-at": meta["rtFetchedAt"],
        "x-md-rt-last-poll-at": meta["rtLastPollAt"], "x-md-request-id": meta["requestId"],
        "x-md-rt-spread-ms": None if meta["nextExpectedSpreadMs"] is None else str(meta["nextExpectedSpreadMs"]),
        "x-md-stale": "1" if meta["responseMode"] == "stale_cache_fallback" else None,
    }
    found = [f"{name} is {fields.get(name)!r}, not {value!r}" for name, value in expected.items()
             if fields.get(name) != value]
    ahead = None if meta["nextExpectedAt"] is None else seconds(meta["nextExpectedAt"], meta["serverTime"]) * 1000
    next_ms = fields.get("x-md-rt-next-ms")
    if (next_ms is None) != (ahead is None) or ahead is not None and abs(int(next_ms) - ahead) > 2:
        found.append(f"x-md-rt-next-ms is {next_ms}, nextExpectedAt {ahead} ms ahead")
    tag = fields.get("etag", "").replace('-gzip"', '"')
    if tag != meta["entityTag"]:
        found.append(f"ETag is {tag}, meta.entityTag {meta['entityTag']}")
    return found


def kinds(board: dict[str, Any]) -> set[str]:
    """Return what a board shows of `KINDS`."""
    shown: set[str] = {"a banner"} if board["banners"] else set()
    for row in board["departures"]:
        shown |= {row["status"], *row["flags"]}
        if row["platformChanged"]:
            shown.add("another platform")
        if row["realtimeDeparture"] and row["rawDelaySec"] is None:
            shown.add("no schedule")
        if row["alerts"]:
            shown.add("an alert")
    return shown | {f"affects {name}" for alert in board["alerts"]["entities"] for name in alert["affected"]}


def applied(board: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    """Apply the data of the event `change` to a board, as a client does."""
    rows = {row["key"]: row for row in board["departures"]}
    for key in change["removed"]:
        del rows[key]
    rows.update({row["key"]: row for row in change["departures"]})
    return {**board, "departures": [rows[key] for key in change["order"]], **{name: change[name] for name in REST}}
