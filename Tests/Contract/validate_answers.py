"""Check the answers of a running server against the OpenAPI document that it serves.

Also checks the document itself, and rules that no schema can express. See README.md beside this file.
"""

from __future__ import annotations

import argparse
import gzip
import http.client
import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError

import realtime_rules
from overload_answers import OverloadRun
from realtime_answers import RealtimeRun

DOCUMENT = Path(__file__).resolve().parents[2] / "Sources/Programs/CWebAssets/Public/api/openapi.json"
STOPS = ("Parent8501120", "Parent8501000")
BOARD, SEARCH, NEARBY = "/api/stationboard", "/api/stops/search", "/api/stops/nearby"
TRIP, HEALTH, VERSION, OPENAPI = "/api/trips/{trip_id}", "/health", "/version.json", "/openapi.json"
STREAM, METRICS = "/api/stationboard/stream", "/metrics"
LIVE, READY = "/health/live", "/health/ready"
STATUS, LINES, LINE, POINTS = "/api/status", "/api/history/lines", "/api/history/lines/{route_id}", "/api/history/points"
PATHS = {STATUS, LINES, LINE, POINTS, BOARD, STREAM, SEARCH, NEARBY, TRIP, HEALTH, LIVE, READY, METRICS, VERSION, OPENAPI}
JSON, PROBLEM = "application/json", "application/problem+json"
# Header fields that belong to HTTP, not to the contract, and the one that the document's description has for every answer.
FRAMING = {
    "date", "connection", "keep-alive", "transfer-encoding", "content-length", "content-type", "server", "x-request-id",
}
GRACE = timedelta(seconds=45)
TIMEOUT = 15
SHOWN_ERRORS = 3
#: How often a server that has just begun is asked whether its history is open.
HISTORY_TRIES = 100
# The board may change between two requests that are compared.
ATTEMPTS = 4

# The example requests and the words of seed 002.
SEED_REQUESTS = (
    f"{BOARD}?stop_id=Parent8501120&limit=8&include_alerts=1",
    f"{BOARD}?stop_id=Parent8501000&limit=8&include_alerts=0",
)
RESPONSE_MODES = {"full", "degraded_static", "stale_cache_fallback", "static_timeout_fallback"}
# `partial` is of the clients that the seed describes; the other words are the seed's.
RT_STATUSES = {"applied", "partial", "stale_cache", "skipped_budget", "disabled", "missing_cache", "guarded_error"}
SEED_REQUIRED = {
    "Board": {"departures", "meta", "station", "resolved", "rt", "alerts", "banners", "noService"},
    "Departure": {
        "line", "destination", "scheduledDeparture", "cancelled", "realtimeDeparture", "delayMin", "platform",
        "platformChanged", "previousPlatform", "status", "flags",
    },
    "BoardMeta": {
        "serverTime", "responseMode", "rtStatus", "rtFetchedAt", "rtCacheAgeMs", "rtAppliedCount", "totalBackendMs",
        "requestId", "alertsStatus", "nextExpectedAt", "entityTag",
    },
}
# The codes that each operation answers with, by status.
CODES = {
    BOARD: {
        400: {"missing_stop_id", "conflicting_stop_id", "unknown_stop", "invalid_since_rt", "invalid_parameter"},
        404: {"stop_not_found"},
        503: {"no_timetable", "busy", "timeout"},
    },
    STREAM: {
        400: {"missing_stop_id", "conflicting_stop_id", "unknown_stop", "invalid_since_rt", "invalid_parameter"},
        404: {"stop_not_found"},
        503: {"no_timetable", "busy"},
    },
    SEARCH: {400: {"query_too_short", "invalid_parameter"}, 503: {"no_timetable", "busy"}},
    NEARBY: {400: {"invalid_coordinates", "invalid_parameter"}, 503: {"no_timetable", "busy"}},
    TRIP: {
        400: {"invalid_parameter"},
        404: {"trip_not_found", "trip_not_running", "not_found"},
        503: {"no_timetable", "busy"},
    },
    "/version.json": {503: {"busy"}},
    "/openapi.json": {503: {"busy"}},
    STATUS: {503: {"not_ready", "busy"}},
    LINES: {400: {"invalid_parameter"}, 404: {"history_off"}, 503: {"history_not_ready", "busy"}},
    LINE: {400: {"invalid_parameter"}, 404: {"unknown_line", "history_off"}, 503: {"history_not_ready", "busy"}},
    POINTS: {400: {"invalid_parameter"}, 404: {"history_off"}, 503: {"history_not_ready", "busy"}},
}
CODES_EVERYWHERE = {405: {"method_not_allowed"}, 500: {"internal_error"}}
# To a client that asks for more than its share; the health of the server and its measurements are told to all.
CODES_OF_REFUSALS = {429: {"too_many_requests"}}
NEVER_REFUSED = ("/health", "/metrics")


# --- Instants -----------------------------------------------------------------------


INSTANT = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)")
formats = FormatChecker(formats=())


def parse_instant(text: str) -> datetime:
    """Read an RFC 3339 instant; ValueError if it is not valid."""
    if not INSTANT.fullmatch(text):
        raise ValueError(f"{text!r} is not an RFC 3339 instant")
    return datetime.fromisoformat(text.upper())


@formats.checks("date-time", raises=ValueError)
def is_instant(value: object) -> bool:
    # RFC 3339 knows a year 0, Python does not; year 4 has the same days.
    return not isinstance(value, str) or parse_instant(re.sub("^0000-", "0004-", value)) is not None


@formats.checks("date", raises=ValueError)
def is_date(value: object) -> bool:
    return not isinstance(value, str) or date.fromisoformat(value) is not None


# --- The document -------------------------------------------------------------------


class Document:
    """An OpenAPI document and its schemas."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.content = content

    def at(self, reference: str) -> Any:
        """Return what a reference such as `#/components/schemas/Board` means; KeyError if nothing."""
        if not reference.startswith("#/"):
            raise KeyError(reference)
        place = self.content
        for name in reference[2:].split("/"):
            place = place[name.replace("~1", "/").replace("~0", "~")]
        return place

    def resolved(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return an object, or the one it refers to."""
        return self.at(value["$ref"]) if "$ref" in value else value

    def response(self, path: str, method: str, status: int) -> dict[str, Any] | None:
        """Return what the document says about an answer."""
        if path not in self.content["paths"]:
            name = {404: "NotFound", 405: "MethodNotAllowed"}.get(status)
            return self.at(f"#/components/responses/{name}") if name else None
        item = self.content["paths"][path]
        # Methods that are not named are refused as GET's 405 says.
        responses = item.get(method.lower(), item["get"])["responses"]
        found = responses.get(str(status), responses.get("default"))
        return self.resolved(found) if found else None

    def errors(self, schema: dict[str, Any], value: Any) -> list[str]:
        """Return what is wrong with a value."""
        schema = self.resolved_choice(schema, value)
        # The components are in the schema itself, so that every version of jsonschema finds them.
        root = {**schema, "components": self.content["components"]}
        found = Draft202012Validator(root, format_checker=formats).iter_errors(value)
        ordered = sorted(found, key=lambda error: [str(part) for part in error.absolute_path])
        return [
            f"{'/'.join(str(part) for part in error.absolute_path) or 'body'}: {error.message[:160]}"
            for error in ordered
        ]

    def resolved_choice(self, schema: dict[str, Any], value: Any) -> dict[str, Any]:
        """Return the alternative that a problem's code selects, so that its errors are readable."""
        choice = schema.get("discriminator")
        if not choice or not isinstance(value, dict):
            return schema
        code = value.get(choice["propertyName"])
        if code in choice["mapping"]:
            return {"$ref": choice["mapping"][code]}
        return {"properties": {choice["propertyName"]: {"enum": sorted(choice["mapping"])}}}


# --- Reporting ----------------------------------------------------------------------


@dataclass
class Report:
    """Prints a line for each check and counts."""

    passed: int = 0
    failed: int = 0

    def check(self, name: str, failure: str | None) -> bool:
        """Print one check; a failure has a reason, success has None."""
        if failure is None:
            self.passed += 1
            print(f"ok    {name}")
        else:
            self.failed += 1
            print(f"FAIL  {name}: {failure}")
        return failure is None

    def all(self, name: str, failures: list[str]) -> bool:
        """Print one check with several possible failures."""
        more = len(failures) - SHOWN_ERRORS
        text = "; ".join(failures[:SHOWN_ERRORS]) + (f"; and {more} more" if more > 0 else "")
        return self.check(name, text or None)

    def summary(self) -> int:
        """Print the counts; return the exit code."""
        print(f"{self.passed + self.failed} checks, {self.failed} failed")
        return 1 if self.failed or not self.passed else 0


# --- Rules of the document ----------------------------------------------------------


def walk(value: Any, place: str = "#") -> Iterator[tuple[str, Any]]:
    """Yield every value of a document with its place."""
    yield place, value
    if isinstance(value, dict):
        for name, member in value.items():
            yield from walk(member, f"{place}/{name}")
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from walk(member, f"{place}/{index}")


def operations(document: Document) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield path, method and operation."""
    for path, item in document.content["paths"].items():
        for method, operation in item.items():
            if method != "parameters":
                yield path, method, operation


def head_failures(document: Document) -> list[str]:
    content = document.content
    found = []
    if not str(content.get("openapi", "")).startswith("3.1."):
        found.append("openapi is not 3.1")
    if content.get("jsonSchemaDialect") != "https://json-schema.org/draft/2020-12/schema":
        found.append("jsonSchemaDialect is not 2020-12")
    found += [f"info.{name} is missing" for name in ("title", "version") if not content.get("info", {}).get(name)]
    return found


def path_failures(document: Document) -> list[str]:
    paths = document.content["paths"]
    found = [f"{path} is missing" for path in sorted(PATHS - set(paths))]
    found += [f"{path} is not expected" for path in sorted(set(paths) - PATHS)]
    for path, item in paths.items():
        methods = set(item) - {"parameters"}
        if methods != {"get", "head", "options"}:
            found.append(f"{path} has {sorted(methods)}")
        named = {parameter["name"] for parameter in parameters(document, path) if parameter["in"] == "path"}
        if named != set(re.findall(r"{(\w+)}", path)):
            found.append(f"{path} declares the path parameters {sorted(named)}")
    identifiers = [operation.get("operationId") for _, _, operation in operations(document)]
    found += [f"operationId {name} is not unique" for name in set(identifiers) if identifiers.count(name) > 1]
    for path, method, operation in operations(document):
        if not operation.get("summary"):
            found.append(f"{method} {path} has no summary")
    return found


def parameters(document: Document, path: str) -> list[dict[str, Any]]:
    """Return the parameters of a path."""
    return [document.resolved(each) for each in document.content["paths"][path].get("parameters", [])]


def reference_failures(document: Document) -> list[str]:
    found = []
    used = set()
    for place, value in walk(document.content):
        if isinstance(value, dict) and isinstance(value.get("$ref"), str):
            used.add(value["$ref"])
            try:
                document.at(value["$ref"])
            except (KeyError, TypeError):
                found.append(f"{place} refers to {value['$ref']}, which is missing")
    # The answer at paths that are not named belongs to no path.
    used.add("#/components/responses/NotFound")
    for kind, members in document.content["components"].items():
        found += [f"{kind}/{name} is not used" for name in members if f"#/components/{kind}/{name}" not in used]
    return found


def response_failures(document: Document) -> list[str]:
    found = []
    for path, method, operation in operations(document):
        for status, response in operation["responses"].items():
            response = document.resolved(response)
            place = f"{method} {path} {status}"
            if not response.get("description"):
                found.append(f"{place} has no description")
            for name, header in response.get("headers", {}).items():
                header = document.resolved(header)
                if not header.get("description") or "schema" not in header:
                    found.append(f"{place}: the header {name} has no description or schema")
            is_problem = status not in ("200", "default") and method == "get" and int(status) >= 400
            if is_problem and (path, status) not in ((HEALTH, "503"), (READY, "503")) and list(response.get("content", {})) != [PROBLEM]:
                found.append(f"{place} is not {PROBLEM}")
    return found


def codes_of(document: Document, schema: dict[str, Any]) -> set[str]:
    """Return the error codes of the schema of a problem."""
    choices = schema.get("oneOf", [schema])
    return {document.resolved(each)["properties"]["error"]["const"] for each in choices}


def code_failures(document: Document) -> list[str]:
    found = []
    for path in document.content["paths"]:
        refusals = {} if path.startswith(NEVER_REFUSED) else CODES_OF_REFUSALS
        expected = {**CODES.get(path, {}), **CODES_EVERYWHERE, **refusals}
        said = {}
        for status, response in document.content["paths"][path]["get"]["responses"].items():
            content = document.resolved(response).get("content", {})
            if PROBLEM in content and status != "default":
                said[int(status)] = codes_of(document, content[PROBLEM]["schema"])
        if said != expected:
            found.append(f"{path} has the codes {said}; expected: {expected}")
    for place, value in walk(document.content):
        choice = value.get("discriminator") if isinstance(value, dict) else None
        for code, to in (choice or {}).get("mapping", {}).items():
            if codes_of(document, {"$ref": to}) != {code}:
                found.append(f"{place} maps {code} to {to}")
    return found


def schema_failures(document: Document) -> list[str]:
    found = []
    for name, schema in document.content["components"]["schemas"].items():
        try:
            Draft202012Validator.check_schema(schema)
        except SchemaError as error:
            found.append(f"{name}: {error.message[:160]}")
            continue
        for place, part in walk(schema, name):
            found += object_failures(document, place, part)
    return found


def object_failures(document: Document, place: str, schema: Any) -> list[str]:
    """Return what is wrong with the schema of an object; an empty list for any other schema."""
    if not isinstance(schema, dict) or "examples" in place or not isinstance(schema.get("properties"), dict):
        return []
    found = []
    if "nullable" in schema:
        found.append(f"{place} is nullable as in OpenAPI 3.0")
    is_whole = schema.get("type") == "object"
    if is_whole and schema.get("additionalProperties") is not True:
        found.append(f"{place} does not say that it has further members")
    if is_whole and "required" not in schema:
        found.append(f"{place} does not say what is always present")
    if is_whole:
        found += [f"{place} requires {name}, which it does not describe"
                  for name in schema.get("required", []) if name not in schema["properties"]]
    for name, member in schema["properties"].items():
        text = member.get("description") or document.resolved(member).get("description")
        if "const" not in member and not (text and text.endswith(".")):
            found.append(f"{place}/{name} is not described in a sentence")
    return found


def seed_failures(document: Document) -> list[str]:
    schemas = document.content["components"]["schemas"]
    found = []
    for name, wanted in SEED_REQUIRED.items():
        missing = wanted - set(schemas[name]["required"])
        if missing:
            found.append(f"{name} does not require {sorted(missing)}")
    if set(schemas["BoardMeta"]["properties"]["responseMode"]["enum"]) != RESPONSE_MODES:
        found.append("responseMode has other words than the seed")
    if set(schemas["RealtimeStatus"]["enum"]) != RT_STATUSES:
        found.append("rtStatus has other words than the seed")
    requests = document.content["paths"][BOARD]["get"].get("x-example-requests", [])
    found += [f"the example request {each} is missing" for each in SEED_REQUESTS if each not in requests]
    return found


def example_failures(document: Document) -> list[str]:
    found = []
    for name, schema in document.content["components"]["schemas"].items():
        for place, part in walk(schema, name):
            if isinstance(part, dict) and isinstance(part.get("examples"), list):
                for example in part["examples"]:
                    found += [f"the example of {place}: {error}" for error in document.errors(part, example)]
    for path, method, operation in operations(document):
        for status, response in operation["responses"].items():
            for media in document.resolved(response).get("content", {}).values():
                for name, example in media.get("examples", {}).items():
                    errors = document.errors(media["schema"], example["value"])
                    found += [f"the example {name} of {method} {path} {status}: {error}" for error in errors]
        for request in operation.get("x-example-requests", []):
            known = {each["name"] for each in parameters(document, path)}
            asked = dict(parse_qsl(urlsplit(request).query))
            found += [f"{request}: {name} is not a parameter" for name in asked if name not in known]
    return found


# Each rule relies on those before it.
DOCUMENT_RULES: tuple[tuple[str, Callable[[Document], list[str]]], ...] = (
    ("it is OpenAPI 3.1", head_failures),
    ("its references lead somewhere", reference_failures),
    ("its schemas are sound and described", schema_failures),
    ("it has the paths and methods of the contract", path_failures),
    ("its responses are complete", response_failures),
    ("its error codes are those of the contract", code_failures),
    ("it has the fields, words and requests of seed 002", seed_failures),
    ("its examples obey it", example_failures),
)


def check_document(document: Document, report: Report) -> bool:
    """Check the document itself, up to the first rule that it breaks."""
    for name, rule in DOCUMENT_RULES:
        try:
            failures = rule(document)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            failures = [f"cannot be read: {error!r}"]
        if not report.all(f"document: {name}", failures):
            return False
    return True


# --- Asking -------------------------------------------------------------------------


@dataclass(frozen=True)
class Answer:
    """What the server sent."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON; None if it is not."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    @property
    def media_type(self) -> str:
        """The Content-Type without parameters."""
        return self.headers.get("content-type", "").split(";")[0].strip().lower()


class Server:
    """A server to ask."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address if "//" in address else f"//{address}", scheme="http")
        secure = parts.scheme == "https"
        self.kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        if not parts.hostname:
            raise ValueError(f"{address!r} is not an address")
        self.host, self.port = parts.hostname, parts.port
        self.base = parts.path.rstrip("/")

    def connect(self) -> http.client.HTTPConnection:
        """Open a connection."""
        return self.kind(self.host, self.port, timeout=TIMEOUT)

    def ask(self, target: str, method: str = "GET", headers: dict[str, str] | None = None) -> Answer:
        """Ask on a connection of its own."""
        connection = self.connect()
        try:
            return self.ask_on(connection, target, method, headers)
        finally:
            connection.close()

    def ask_on(
        self,
        connection: http.client.HTTPConnection,
        target: str,
        method: str = "GET",
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """Ask on a connection that stays open."""
        connection.request(method, self.base + target, headers=headers or {})
        response = connection.getresponse()
        body = response.read()
        if response.getheader("content-encoding") == "gzip":
            body = gzip.decompress(body)
        fields: dict[str, str] = {}
        for name, value in response.getheaders():
            name = name.lower()
            fields[name] = f"{fields[name]}, {value}" if name in fields else value
        return Answer(response.status, fields, body)


def field_failures(document: Document, path: str, method: str, status: int, fields: dict[str, str]) -> list[str]:
    """Compare the header fields of an answer with the document."""
    response = document.response(path, method, status)
    if response is None:
        return [f"{status} is not documented"]
    found = []
    for name, header in response.get("headers", {}).items():
        header = document.resolved(header)
        value = fields.get(name.lower())
        if value is None:
            if header.get("required"):
                found.append(f"the header {name} is missing")
            continue
        errors = document.errors(header["schema"], header_value(document, header["schema"], value))
        found += [f"the header {name} is {value!r}" for _ in errors[:1]]
    known = {name.lower() for name in response.get("headers", {})}
    if response.get("headers"):
        found += [f"the header {name} is not documented" for name in sorted(set(fields) - known - FRAMING)]
    return found


def answer_failures(document: Document, path: str, method: str, answer: Answer) -> list[str]:
    """Compare status, header fields and body with the document."""
    found = field_failures(document, path, method, answer.status, answer.headers)
    response = document.response(path, method, answer.status)
    if response is None:
        return found
    content = response.get("content", {})
    if not content:
        if answer.body and method != "HEAD":
            found.append(f"{len(answer.body)} bytes of body are not expected")
        return found
    if answer.media_type not in content:
        return [*found, f"the Content-Type is {answer.media_type or 'missing'}; expected: {', '.join(content)}"]
    if "json" not in answer.media_type:
        return found + document.errors(content[answer.media_type]["schema"], answer.body.decode())
    body = answer.json
    if body is None:
        return [*found, "the body is not JSON"]
    found += document.errors(content[answer.media_type]["schema"], body)
    if answer.media_type == PROBLEM and isinstance(body, dict) and body.get("status") != answer.status:
        found.append(f"the problem's status is {body.get('status')}")
    return found


def header_value(document: Document, schema: dict[str, Any], text: str) -> Any:
    """Read a header's value as its schema has it."""
    kind = document.resolved(schema).get("type")
    try:
        return {"integer": int, "number": float}.get(kind, str)(text)
    except ValueError:
        return text


def address(path: str, /, **query: object) -> str:
    """Write a path with a query."""
    return f"{path}?{urlencode(query)}" if query else path


# --- Rules of boards ----------------------------------------------------------------


def board_failures(board: dict[str, Any], at: datetime | None = None) -> list[str]:
    """Return which rules a board that obeys its schema breaks.

    The instant is that of the request, if it had one.
    """
    found = []
    departures = board["departures"]
    expected = [parse_instant(each["realtimeDeparture"] or each["scheduledDeparture"]) for each in departures]
    if expected != sorted(expected):
        found.append("the departures are not ordered by time")
    instant = at or parse_instant(board["meta"]["serverTime"])
    if expected and expected[0] < instant - GRACE:
        found.append(f"{departures[0]['scheduledDeparture']} is more than 45 s before the board's instant")
    keys = [each["key"] for each in departures]
    if len(set(keys)) < len(keys):
        found.append("two departures have the same key")
    if (board["noService"] is None) != bool(departures):
        found.append(f"noService is {board['noService']} with {len(departures)} departures")
    if board["noService"]:
        window = board["noService"]["window"]
        begin, end = parse_instant(window["from"]), parse_instant(window["to"])
        if not timedelta(0) <= end - begin - timedelta(minutes=window["minutes"]) <= GRACE + timedelta(seconds=1):
            found.append(f"the window {window} does not have its length")
        following = board["noService"]["nextDeparture"]
        if following and parse_instant(following) < end:
            found.append("nextDeparture is in the window")
    for each in departures:
        found += departure_failures(each)
    if board["meta"]["rtStatus"] == "disabled" and board["meta"]["rtAppliedCount"]:
        found.append("realtime is disabled and applied")
    return found


def departure_failures(departure: dict[str, Any]) -> list[str]:
    found = []
    # A departure of the timetable is named by what never changes: never by a prediction.
    key = f"{departure['trip_id']}|{departure['stop_id']}|{departure['serviceDate']}|{departure['stop_sequence']}"
    if departure.get("startTime"):
        key += f"|{departure['startTime']}"
    if "EXTRA_SERVICE" not in departure["flags"] and departure["key"] != key:
        found.append(f"the key {departure['key']} is not {key}")
    certainty = departure["certainty"]
    if (departure["headwaySec"] is not None) > (certainty in ("headway", "on_demand")):
        found.append(f"{key}: headwaySec with certainty {certainty}")
    if (departure["uncertaintySec"] is not None) > (certainty in ("interpolated", "on_demand")):
        found.append(f"{key}: uncertaintySec with certainty {certainty}")
    if (departure["boarding"] is not None) != (certainty == "on_demand"):
        found.append(f"{key}: boarding is {departure['boarding']} with certainty {certainty}")
    if certainty == "headway" and departure["rawDelaySec"] is not None:
        found.append(f"{key}: a delay, and nothing schedules the departure to the minute")
    if (departure["endsAt"] is not None) != ("SHORT_TURN" in departure["flags"]):
        found.append(f"{key}: endsAt is {departure['endsAt']} with {departure['flags']}")
    if departure["realtimeDeparture"] is None and not departure["cancelled"]:
        if departure["status"] != "UNKNOWN" or departure["delayMin"] is not None:
            found.append(f"{key} has a delay without realtime")
    if departure["platformChanged"] and departure["previousPlatform"] == departure["platform"]:
        found.append(f"{key} changed to the same platform")
    return found


# --- The run ------------------------------------------------------------------------


@dataclass
class Run:
    """The checks of one server."""

    server: Server
    document: Document
    report: Report
    stops: list[str]
    boards: list[dict[str, Any]] = field(default_factory=list)

    def ask(
        self,
        path: str,
        target: str,
        status: int = 200,
        error: str | tuple[str, ...] | None = None,
        method: str = "GET",
        headers: dict[str, str] | None = None,
        label: str | None = None,
    ) -> Answer | None:
        """Ask, check the answer against the document, and return it if it is sound."""
        name = f"{method} {label or target} → {status}"
        try:
            answer = self.server.ask(target, method, headers)
        except (OSError, http.client.HTTPException) as failure:
            self.report.check(name, f"no answer: {failure!r}")
            return None
        found = [] if answer.status == status else [f"the status is {answer.status}: {answer.body[:200]!r}"]
        found += answer_failures(self.document, path, method, answer)
        if error and isinstance(answer.json, dict):
            codes = (error,) if isinstance(error, str) else error
            if answer.json.get("error") not in codes:
                found.append(f"the error is {answer.json.get('error')}; expected: {' or '.join(codes)}")
        return answer if self.report.all(name, found) else None

    def board(self, at: datetime | None = None, **query: object) -> dict[str, Any] | None:
        """Ask for a board and check its rules."""
        if at:
            query["datetime"] = at.strftime("%Y-%m-%dT%H:%M:%SZ")
        target = address(BOARD, **query)
        answer = self.ask(BOARD, target)
        if answer is None:
            return None
        board = answer.json
        found = board_failures(board, at) + realtime_rules.failures(board, answer.headers)
        limit = min(max(int(str(query.get("limit", 300))), 1), 500)
        if len(board["departures"]) > limit:
            found.append(f"{len(board['departures'])} departures; limit: {limit}")
        self.report.all(f"rules of {target} ({len(board['departures'])} departures)", found)
        return board

    def failures(self, path: str, method: str, answer: Answer) -> list[str]:
        """Compare an answer with the document, and a board with its rules."""
        found = answer_failures(self.document, path, method, answer)
        is_board = path == BOARD and method == "GET" and answer.status == 200 and not found
        return found + (self.rules(answer.json, answer.headers) if is_board else [])

    def answer(self, status: int, fields: dict[str, str], body: bytes) -> Answer:
        """Return an answer that another client received."""
        return Answer(status, fields, body)

    def head_fields(self, path: str, status: int, fields: dict[str, str]) -> list[str]:
        """Compare the header fields of an answer that has not ended with the document."""
        return field_failures(self.document, path, "GET", status, fields)

    def rules(self, board: dict[str, Any], fields: dict[str, str] | None = None) -> list[str]:
        """Return which rules a board breaks."""
        return board_failures(board) + realtime_rules.failures(board, fields)

    def all(self) -> None:
        """Run every check."""
        self.service()
        self.history()
        self.examples()
        self.limits()
        self.searches()
        self.trips()
        self.refusals()
        self.identities()
        self.heads()
        self.options()
        self.probes()

    def without_timetable(self) -> None:
        """Check what a server answers before the first import."""
        self.ask(HEALTH, HEALTH, 503)
        self.ask(LIVE, LIVE)
        self.ask(READY, READY, 503)
        self.ask(VERSION, VERSION)
        self.ask(BOARD, address(BOARD, stop_id=self.stops[0]), 503, "no_timetable")
        self.ask(STREAM, address(STREAM, stop_id=self.stops[0]), 503, "no_timetable")
        self.ask(METRICS, METRICS)
        for path, target in (
            (SEARCH, address(SEARCH, q="laus")), (NEARBY, address(NEARBY, lat=46.5, lon=6.6)), (TRIP, "/api/trips/x")
        ):
            self.ask(path, target, 503, "no_timetable")
        for path, target in ((SEARCH, SEARCH), (NEARBY, NEARBY)):
            answer = self.server.ask(target)
            self.report.check(f"{target} → 400 or 503", None if answer.status in (400, 503) else f"{answer.status}")

    def service(self) -> None:
        self.ask(HEALTH, HEALTH)
        self.ask(LIVE, LIVE)
        self.ask(READY, READY)
        answer = self.ask(VERSION, VERSION)
        if answer:
            versions = {
                answer.json["apiVersion"],
                answer.headers["x-md-api-version"],
                self.document.content["info"]["version"],
            }
            self.report.check(
                "the version of the contract is the same everywhere",
                None if len(versions) == 1 else f"it is {sorted(versions)}",
            )

    def history(self) -> None:
        """Wait until the history is open, and ask it rightly and wrongly."""
        for path in (STATUS, LINES):
            for _ in range(HISTORY_TRIES):
                if self.server.ask(path).status != 503:
                    break
                time.sleep(0.2)
            answer = self.ask(path, path)
            if answer and path == LINES:
                self.ask(path, path, 304, headers={"If-None-Match": answer.headers["etag"]})
        self.ask(LINES, address(LINES, format="csv"))
        self.ask(LINES, LINES, headers={"Accept": "text/csv"})
        wrong = "invalid_parameter"
        for query in ({"day": "today"}, {"from": "2026-02-02", "to": "2026-02-01"}, {"from": "2020-01-01"}, {"format": "xml"}, {"line": "x" * 300}):
            self.ask(LINES, address(LINES, **query), 400, wrong)
        for query in ({"step": "12"}, {"from": "yesterday"}, {"from": "2020-01-01T00:00:00Z"}, {"step": "many"}):
            self.ask(POINTS, address(POINTS, **query), 400, wrong)
        self.ask(POINTS, address(POINTS, step=3600, format="csv"))
        path = "/api/history/lines/no%20such%2Fline"
        self.ask(LINE, path, 404, "unknown_line")
        self.ask(LINE, address(path, day="2026-02-30"), 400, wrong)
        lines = self.server.ask(address(LINES, **{"from": "2026-01-01", "to": "2026-12-31"})).json
        for line in (lines or {}).get("lines", [])[:1]:
            path = f"/api/history/lines/{quote(line['route_id'], safe='')}"
            self.ask(LINE, address(path, **{"from": "2026-01-01", "to": "2026-12-31"}))

    def examples(self) -> None:
        """Ask the example requests of the document, with other stops if the caller named them."""
        for path, item in self.document.content["paths"].items():
            for request in item["get"].get("x-example-requests", []):
                for example, stop in zip(STOPS, self.stops):
                    request = request.replace(example, quote(stop, safe=""))
                if path == STREAM:
                    continue  # It has no end; RealtimeRun reads it.
                if path == BOARD:
                    self.board(**dict(parse_qsl(urlsplit(request).query)))
                else:
                    self.ask(path, request)
        for stop in self.stops:
            board = self.board(stop_id=stop)
            following = board and board["noService"] and board["noService"]["nextDeparture"]
            if following:
                board = self.board(parse_instant(following), stop_id=stop)
            if board:
                self.boards.append(board)
        some = any(board["departures"] for board in self.boards)
        self.report.check("a stop has departures", None if some else "none has: give others with --stop")

    @property
    def instant(self) -> datetime:
        """An instant at which a stop has departures."""
        for board in self.boards:
            for departure in board["departures"]:
                return parse_instant(departure["scheduledDeparture"])
        return datetime.now(timezone.utc).replace(microsecond=0)

    def limits(self) -> None:
        at, stop = self.instant, self.stops[0]
        for _ in range(ATTEMPTS):
            large = self.board(at, stop_id=stop, limit=9999, window_minutes=9999)
            small = self.board(at, stop_id=stop, limit=3, window_minutes=9999)
            same = large and small and small["departures"] == large["departures"][:3]
            if same:
                break
        self.board(at, stop_id=stop, limit=0)
        if large and small:
            self.report.check("limit=3 gives the first three of limit=9999", None if same else "it gives others")
        for asked, given in ((5, 30), (9999, 720), (0, 210)):
            board = self.board(at, stop_id=stop, window_minutes=asked, debug=1)
            if board:
                minutes = board.get("debug", {}).get("timeWindow", {}).get("minutes")
                self.report.check(
                    f"window_minutes={asked} means {given}", None if minutes == given else f"it means {minutes}"
                )
        for extra in ({"stationId": stop}, {"since_rt": "2026-11-24T07:00:00Z", "if_board": 0}, {"lang": "xx"}):
            self.board(at, stop_id=stop, limit=2, **extra)
        self.board(at, station_id=stop, limit=2)
        if self.boards:
            name = self.boards[0]["station"]["name"]
            board = self.board(at, stationName=name, limit=2)
            if board:
                same = board["resolved"]["canonicalId"] == self.boards[0]["resolved"]["canonicalId"]
                self.report.check("stationName finds the station", None if same else str(board["resolved"]))

    def searches(self) -> None:
        if not self.boards:
            return
        board = self.boards[0]
        name, station = board["station"]["name"], board["resolved"]["canonicalId"]
        answer = self.ask(SEARCH, address(SEARCH, q=name, limit=5))
        if answer:
            stops = answer.json["stops"]
            found = [] if len(stops) <= 5 else [f"{len(stops)} results"]
            if station not in [stop["id"] for stop in stops]:
                found.append(f"{station} is not among the first five")
            self.report.all(f"search finds {name}", found)
        answer = self.ask(SEARCH, address(SEARCH, query=station))
        if answer:
            first = (answer.json["stops"] or [{"id": "nothing"}])[0]["id"]
            self.report.check("an id is its own first result", None if first == station else f"{first} is first")
        self.ask(SEARCH, address(SEARCH, q="zzqqxxyyzzqq"))
        latitude, longitude = board["station"]["lat"], board["station"]["lon"]
        if latitude is None or longitude is None:
            return
        answer = self.ask(NEARBY, address(NEARBY, lat=latitude, lon=longitude, limit=4))
        if answer:
            stops = answer.json["stops"]
            distances = [stop["distance_m"] for stop in stops]
            found = [] if distances == sorted(distances) else ["the stops are not ordered by distance"]
            if len(stops) > 4:
                found.append(f"{len(stops)} results")
            if not stops or distances[0] > 500:
                found.append(f"nothing is near {station}")
            self.report.all("nearby gives the nearest stops", found)
        self.ask(NEARBY, address(NEARBY, latitude=latitude, longitude=longitude))

    def trips(self) -> None:
        departure = next(
            (each for board in self.boards for each in board["departures"]
             if not {"EXTRA_SERVICE", "REPLACEMENT_SERVICE"} & set(each["flags"])), None,
        )
        if departure is None:
            return
        path = "/api/trips/" + quote(departure["trip_id"], safe="")
        query = {"service_date": departure["serviceDate"]}
        if "startTime" in departure:
            query["start_time"] = departure["startTime"]
        answer = self.ask(TRIP, address(path, **query))
        if answer:
            self.report.all("the trip is the departure's", trip_failures(answer.json, departure))
        self.ask(TRIP, path)
        self.ask(TRIP, address(path, service_date="1999-01-01"), 404, "trip_not_running")
        self.ask(TRIP, address(path, service_date="tomorrow"), 400, "invalid_parameter")
        self.ask(TRIP, address(path, service_date="2026-02-30"), 400, "invalid_parameter")
        self.ask(TRIP, address(path, start_time="noon"), 400, "invalid_parameter")

    def refusals(self) -> None:
        stop = self.stops[0]
        wrong = "invalid_parameter"
        self.ask(BOARD, BOARD, 400, "missing_stop_id")
        self.ask(BOARD, address(BOARD, stop_id=" "), 400, "missing_stop_id")
        if len(self.stops) > 1:
            both = address(BOARD, stop_id=stop, stationId=self.stops[1])
            self.ask(BOARD, both, 400, "conflicting_stop_id")
        self.ask(BOARD, address(BOARD, stop_id="Parent0000000"), 404, "stop_not_found")
        self.ask(BOARD, address(BOARD, stop_id="no such stop"), 404, "stop_not_found")
        self.ask(BOARD, address(BOARD, stationName="No Such Station"), 400, "unknown_stop")
        self.ask(BOARD, address(BOARD, stop_id="x" * 300), 400, wrong, label=f"{BOARD}?stop_id=(300 letters)")
        for name, value in (
            ("limit", "many"),
            ("limit", "1.5"),
            ("window_minutes", "long"),
            ("include_alerts", "perhaps"),
            ("debug", "7"),
            ("if_board", "maybe"),
            ("datetime", "yesterday"),
            ("datetime", "2026-02-30T00:00:00Z"),
            ("datetime", "2026-11-24T25:00:00Z"),
            ("datetime", "2026-11-24T07:00:00Zoo"),
        ):
            self.ask(BOARD, address(BOARD, stop_id=stop, **{name: value}), 400, wrong)
        self.ask(BOARD, address(BOARD, stop_id=stop, since_rt="soon"), 400, "invalid_since_rt")
        for query in ({}, {"q": "l"}, {"q": "   "}, {"q": "--"}):
            self.ask(SEARCH, address(SEARCH, **query), 400, "query_too_short")
        self.ask(SEARCH, address(SEARCH, q="laus", limit="many"), 400, wrong)
        bad = "invalid_coordinates"
        for query in ({}, {"lat": 46.5}, {"lat": 91, "lon": 6.6}, {"lat": 46.5, "lon": 181}):
            self.ask(NEARBY, address(NEARBY, **query), 400, bad)
        self.ask(NEARBY, address(NEARBY, lat="north", lon=6.6), 400, (bad, wrong))
        self.ask(NEARBY, address(NEARBY, lat="nan", lon=6.6), 400, (bad, wrong))
        self.ask(NEARBY, address(NEARBY, lat=46.5, lon=6.6, limit="many"), 400, wrong)
        self.ask(TRIP, "/api/trips/no%20such%2Ftrip", 404, "trip_not_found")
        for path in ("/api/nothing", "/api/trips", "/no/such/path"):
            self.ask(path, path, 404, "not_found")
        for path in sorted(PATHS):
            target = path.replace("{trip_id}", "x")
            self.ask(path, target, 405, "method_not_allowed", method="POST")
        for method in ("PUT", "PATCH", "DELETE"):
            self.ask(BOARD, BOARD, 405, "method_not_allowed", method=method)
        self.ask("/api/nothing", "/api/nothing", 404, "not_found", method="POST")

    def identities(self) -> None:
        target = address(BOARD, stop_id=self.stops[0], limit=1)
        for headers, echoed in (
            ({"x-md-request-id": "check-1"}, "check-1"),
            ({"x-request-id": "check-2"}, "check-2"),
            ({"x-md-request-id": "check-3", "x-request-id": "other"}, "check-3"),
            ({"x-md-request-id": "x" * 129}, None),
            ({"x-md-request-id": "two words"}, None),
        ):
            sent = ", ".join(f"{name}: {value[:20]}" for name, value in headers.items())
            answer = self.ask(BOARD, target, headers=headers, label=f"{target} with {sent}")
            if answer:
                given = answer.json["meta"]["requestId"]
                found = [] if given == answer.headers["x-md-request-id"] else ["header and body differ"]
                if echoed and given != echoed:
                    found.append(f"{given} is given")
                if not echoed and given in headers.values():
                    found.append("a wrong id is echoed")
                self.report.all(f"requestId with {sent}", found)

    def heads(self) -> None:
        stop = self.stops[0]
        for path, target in (
            (BOARD, address(BOARD, stop_id=stop, limit=5)),
            (METRICS, METRICS),
            (SEARCH, address(SEARCH, q="laus")),
            (HEALTH, HEALTH),
            (LIVE, LIVE),
            (VERSION, VERSION),
            (OPENAPI, OPENAPI),
            (BOARD, BOARD),
            ("/api/nothing", "/api/nothing"),
        ):
            try:
                found = ["not asked"]
                for _ in range(ATTEMPTS):
                    found = found and self.head_failures(path, target)
            except (OSError, http.client.HTTPException) as failure:
                found = [f"no answer: {failure!r}"]
            self.report.all(f"HEAD {target} is GET without a body", found)

    def head_failures(self, path: str, target: str) -> list[str]:
        """Compare HEAD with GET; a body that should not be there would spoil the next answer."""
        identity = {"x-md-request-id": "check-head"}
        got = self.server.ask(target, headers=identity)
        connection = self.server.connect()
        try:
            head = self.server.ask_on(connection, target, "HEAD", identity)
            try:
                after = self.server.ask_on(connection, VERSION).status
            except http.client.HTTPException as failure:
                return [f"a body follows: {failure!r}"]
        finally:
            connection.close()
        found = [] if head.status == got.status else [f"the status is {head.status}, not {got.status}"]
        if after != 200:
            found.append(f"the next answer is {after}")
        framing = FRAMING - {"content-type", "server"}
        changing = {
            *framing, "x-md-backend-total-ms", "x-md-rt-age-ms", "x-md-rt-poll-age-ms", "x-md-rt-next-ms", "cache-control",
        }
        differ = (set(got.headers) ^ set(head.headers)) - framing
        found += [f"only one has the header {name}" for name in sorted(differ)]
        for name in sorted(set(got.headers) & set(head.headers) - changing):
            if got.headers[name] != head.headers[name]:
                found.append(f"{name} is {head.headers[name]!r}, not {got.headers[name]!r}")
        # The milliseconds in a body can have a few digits more.
        if abs(int(head.headers.get("content-length", len(got.body))) - len(got.body)) > 16:
            found.append(f"content-length is {head.headers['content-length']}, not {len(got.body)}")
        if path in self.document.content["paths"] and head.status == 200:
            found += answer_failures(self.document, path, "HEAD", head)
        return found

    def options(self) -> None:
        preflight = {"Origin": "https://example.org", "Access-Control-Request-Method": "GET"}
        for path in sorted(PATHS):
            target = path.replace("{trip_id}", "x")
            self.ask(path, target, 204, method="OPTIONS")
            answer = self.ask(path, target, 204, method="OPTIONS", headers=preflight, label=f"{target} (preflight)")
            if answer:
                allowed = answer.headers.get("access-control-allow-methods", "")
                self.report.check(
                    f"the preflight of {target} allows GET", None if "GET" in allowed else f"it allows {allowed!r}"
                )
        origin = {"Origin": "https://example.org"}
        self.ask(BOARD, BOARD, 400, "missing_stop_id", headers=origin, label=f"{BOARD} with an Origin")
        try:
            tag = self.server.ask(OPENAPI).headers.get("etag", "")
        except (OSError, http.client.HTTPException) as failure:
            self.report.check(f"GET {OPENAPI}", f"no answer: {failure!r}")
            return
        self.ask(OPENAPI, OPENAPI, 304, headers={"If-None-Match": tag}, label=f"{OPENAPI} with its ETag")

    def probes(self) -> None:
        """Ask what no client asks; the server must answer, and be there afterwards."""
        stop = self.stops[0]
        for value in ("0000-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "5000-01-01T00:00:00Z", "9999-12-31T23:59:59Z"):
            target = address(BOARD, stop_id=stop, datetime=value)
            found = []
            try:
                answer = self.server.ask(target)
                if answer.status not in (200, 400):
                    found.append(f"the status is {answer.status}")
                found += answer_failures(self.document, BOARD, "GET", answer)
            except (OSError, http.client.HTTPException) as failure:
                found.append(f"no answer: {failure!r}")
            self.report.all(f"GET {target} → 200 or 400", found)
        self.ask(HEALTH, HEALTH, label=f"{HEALTH} (afterwards)")


def trip_failures(trip: dict[str, Any], departure: dict[str, Any]) -> list[str]:
    """Return where a trip contradicts a departure of it."""
    found = []
    for name in ("trip_id", "route_id", "line", "category", "number", "operator", "serviceDate", "routeType"):
        if trip["trip"][name] != departure[name]:
            found.append(f"{name} is {trip['trip'][name]}, not {departure[name]}")
    if trip["trip"].get("startTime") != departure.get("startTime"):
        found.append("startTime differs")
    stops = trip["stops"]
    sequences = [stop["stop_sequence"] for stop in stops]
    if sequences != sorted(set(sequences)):
        found.append("the stops are not ordered by stop_sequence")
    here = next((stop for stop in stops if stop["stop_sequence"] == departure["stop_sequence"]), None)
    if here is None:
        return [*found, f"it has no stop {departure['stop_sequence']}"]
    platform = departure["previousPlatform"] if departure["platformChanged"] else departure["platform"]
    for name, expected in (
        ("stop_id", departure["stop_id"]), ("scheduledDeparture", departure["scheduledDeparture"]), ("platform", platform)
    ):
        if here[name] != expected:
            found.append(f"{name} is {here[name]}, not {expected}")
    if not here["pickup"]:
        found.append("boarding is not allowed where the board has it")
    if stops[0]["scheduledArrival"] is not None or stops[-1]["scheduledDeparture"] is not None:
        found.append("it arrives at its first stop or departs at its last")
    times = [stop[name] for stop in stops for name in ("scheduledArrival", "scheduledDeparture") if stop[name]]
    if times != sorted(times):
        found.append("its times go backwards")
    return found


def fetched(server: Server, report: Report, instead: Path | None) -> Document | None:
    """Fetch the document that the server serves, or read another."""
    if instead:
        document = Document(json.loads(instead.read_text(encoding="utf-8")))
        return document if check_document(document, report) else None
    try:
        answer = server.ask(OPENAPI)
    except (OSError, http.client.HTTPException) as failure:
        report.check(f"GET {OPENAPI}", f"no answer: {failure!r}")
        return None
    content = answer.json
    if answer.status != 200 or not isinstance(content, dict):
        report.check(f"GET {OPENAPI}", f"the answer is {answer.status}: {answer.body[:200]!r}")
        return None
    document = Document(content)
    if not check_document(document, report):
        return None
    report.all(f"GET {OPENAPI} → 200", answer_failures(document, OPENAPI, "GET", answer))
    return document


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--server", metavar="URL", help="the server to check")
    what.add_argument("--self-check", action="store_true", help="check the document only, without a server")
    parser.add_argument(
        "--stop",
        action="append",
        metavar="ID",
        help=f"a stop to ask for; repeat it for stops of other stations (default: {' and '.join(STOPS)})",
    )
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--no-timetable", action="store_true", help="the server has not imported anything yet")
    kind.add_argument("--realtime", action="store_true", help="its sources are those of freshet-lab feed --scenario storm")
    kind.add_argument("--slow", action="store_true", help="it was told --slow timetable=6000 and has no time for a board")
    kind.add_argument("--crowd", action="store_true", help="it was told --slow crowd and answers once too many ask at once")
    parser.add_argument("--document", type=Path, help="the document to compare with, instead of the server's own")
    options = parser.parse_args()
    report = Report()
    if options.self_check:
        try:
            content = json.loads((options.document or DOCUMENT).read_text(encoding="utf-8"))
        except (OSError, ValueError) as failure:
            report.check("the document can be read", str(failure))
        else:
            check_document(Document(content), report)
        return report.summary()
    try:
        server = Server(options.server)
    except ValueError as failure:
        parser.error(str(failure))
    document = fetched(server, report, options.document)
    if document:
        run = Run(server, document, report, options.stop or list(STOPS))
        if options.no_timetable:
            run.without_timetable()
        elif options.slow:
            OverloadRun(run).slow()
        elif options.crowd:
            OverloadRun(run).crowded()
        else:
            run.all()
            if options.realtime:
                RealtimeRun(run).all()
    return report.summary()


if __name__ == "__main__":
    sys.exit(main())
