"""Feeds of a few kilobytes that would take an importer's memory: each says little, very often."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

LONG = 4_000
DAYS = "monday,tuesday,wednesday,thursday,friday,saturday,sunday"
#: The smallest feed with a departure.
FILES = {
    "agency.txt": "agency_id,agency_name,agency_url,agency_timezone\na,A,http://a,Europe/Zurich\n",
    "stops.txt": "stop_id,stop_name,stop_lat,stop_lon\ns0,One,47,8\ns1,Two,47,8\n",
    "routes.txt": "route_id,agency_id,route_short_name,route_long_name,route_type\nr,a,1,,3\n",
    "calendar.txt": f"service_id,{DAYS},start_date,end_date\nd,1,1,1,1,1,1,1,20260101,20261231\n",
    "trips.txt": "trip_id,route_id,service_id\nt,r,d\n",
    "stop_times.txt": "trip_id,arrival_time,departure_time,stop_id,stop_sequence\nt,8:00:00,8:00:00,s0,1\nt,9:00:00,9:00:00,s1,2\n",
}
Lines = Iterable[str]


def long(number: int, bytes_: int = LONG) -> str:
    """A text that no other row has, and that deflates to nearly nothing."""
    return f"{number:07}".ljust(bytes_, "x")


def frequencies(rows: int) -> dict[str, Lines]:
    """Trips of two stops that leave every 30 seconds."""
    return {
        "trips.txt": (f"t{n},r,d" for n in range(rows)),
        "stop_times.txt": (f"t{n},8:00:00,8:00:00,s{s},{s}" for n in range(rows) for s in (0, 1)),
        "frequencies.txt": ["trip_id,start_time,end_time,headway_secs", *(f"t{n},0:00:00,24:00:00,30" for n in range(rows))],
    }


def names(rows: int) -> dict[str, Lines]:
    """Stops with long names."""
    return {"stops.txt": (f"n{n},{long(n)},47,8" for n in range(rows))}


def column(name: str, header: str, row: Callable[[int], str]) -> Callable[[int], dict[str, Lines]]:
    """A file of its own with one kind of row."""
    return lambda rows: {name: [header, *(row(n) for n in range(rows))]}


#: Each takes a number of rows. What a file says in FILES stays before the rows, unless the rows begin with a header.
BOMBS: dict[str, Callable[[int], dict[str, Lines]]] = {
    "frequencies": frequencies,
    "names of stops": names,
    "stop_id": lambda rows: {"stops.txt": (f"{long(n)},N,47,8" for n in range(rows))},
    "parent_station": column("stops.txt", "stop_id,stop_name,stop_lat,stop_lon,parent_station",
                             lambda n: f"s{n},N,47,8," + "p" * LONG),
    "stop_timezone": column("stops.txt", "stop_id,stop_name,stop_lat,stop_lon,stop_timezone", lambda n: f"s{n},N,47,8,{long(n)}"),
    "original_stop_id": column("stops.txt", "stop_id,stop_name,stop_lat,stop_lon,original_stop_id",
                               lambda n: f"s{n},N,47,8," + "o" * LONG),
    "short stops": column("stops.txt", "stop_id,stop_name,stop_lat,stop_lon", lambda n: f"s{n},,1,1"),
    "agencies": lambda rows: {"agency.txt": (f"{long(n)},A,http://a,Europe/Zurich" for n in range(rows))},
    "long names of routes": lambda rows: {"routes.txt": (f"r{n},a,1,{long(n)},3" for n in range(rows))},
    "headsigns of trips": column("trips.txt", "trip_id,route_id,service_id,trip_headsign",
                                 lambda n: f"t{'' if n == 0 else n},r,d,{long(n)}"),
    "trip_id": lambda rows: {"trips.txt": (f"{long(n)},r,d" for n in range(rows))},
    "short trips": lambda rows: {"trips.txt": (f"{n},r,d" for n in range(rows))},
    "headsigns of stop times": lambda rows: {"stop_times.txt": [
        FILES["stop_times.txt"].splitlines()[0] + ",stop_headsign",
        *(f"t,{n // 3600}:{n // 60 % 60:02}:{n % 60:02},,s{n % 2},{n},{long(n)}" for n in range(rows))]},
    "stop times that come late": lambda rows: {
        "trips.txt": ["trip_id,route_id,service_id", "t,r,d", "u,r,d"],
        "stop_times.txt": (f"{'tu'[n % 2]},8:00:00,8:00:00,s{n % 2},{n + 9}" for n in range(min(rows, 120_000)))},
    "patterns": lambda rows: {
        "trips.txt": (f"t{n},r,d" for n in range(rows // 20)),
        "stop_times.txt": (f"t{n // 20},8:00:{n % 20:02},8:00:{n % 20:02},s{n % 2},{n % 20 * (n // 20 + 1)}" for n in range(rows))},
    "distances": lambda rows: {
        "trips.txt": (f"t{n},r,d" for n in range(rows // 20)),
        "stop_times.txt": [FILES["stop_times.txt"].splitlines()[0] + ",shape_dist_traveled",
                           "t,8:00:00,8:00:00,s0,1,", "t,9:00:00,9:00:00,s1,2,",
                           *(f"t{n // 20},8:00:{n % 20:02},8:00:{n % 20:02},s{n % 2},{n % 20},{n}" for n in range(rows))]},
    "calendar": lambda rows: {"calendar.txt": (
        f"d{n},{','.join(str(n >> bit & 1 | (bit == 6)) for bit in range(7))},{1926 + n // 28 // 12 % 10}{n // 28 % 12 + 1:02}{n % 28 + 1:02},20250101"
        for n in range(rows))},
    "calendar_dates": column("calendar_dates.txt", "service_id,date,exception_type",
                             lambda n: f"d{n // 1_000},20{n % 100:02}{n // 100 % 12 + 1:02}{n // 1_200 % 28 + 1:02},1"),
    "service_id": column("calendar_dates.txt", "service_id,date,exception_type", lambda n: f"{long(n)},20260301,1"),
    "translations": column("translations.txt", "table_name,field_name,language,translation,field_value",
                           lambda n: f"stops,stop_name,de,{long(n)},One"),
    "languages": column("translations.txt", "table_name,field_name,language,translation,field_value",
                        lambda n: f"stops,stop_name,{'l' * LONG},Eins,One"),
    "transfers": column("transfers.txt", "from_stop_id,to_stop_id,transfer_type", lambda n: f"s0,{long(n)},2"),
    "shapes": column("shapes.txt", "shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence", lambda n: f"{long(n)},47,8,1"),
    "pathways": column("pathways.txt", "pathway_id,from_stop_id,to_stop_id,pathway_mode,is_bidirectional", lambda n: f"{long(n)},s0,s1,1,1"),
    "fares": column("fare_attributes.txt", "fare_id,price,currency_type,payment_method,transfers", lambda n: f"{long(n)},1,CHF,1,0"),
    "a column of the header": column("stops.txt", "stop_id,stop_name,stop_lat,stop_lon," + "h" * 900_000, lambda n: f"s{n},N,47,8,x"),
}


def write(path: Path, name: str, rows: int) -> Path:
    """Writes a bomb with so many rows."""
    files: dict[str, Iterator[str]] = {}
    for file, lines in BOMBS[name](rows).items():
        lines = iter(lines)
        first = next(lines)
        header = FILES.get(file, first).splitlines()
        whole = first.startswith(header[0].split(",")[0] + ",")
        files[file] = iter([first] if whole else [*header, first]), lines
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for file, text in FILES.items():
            if file not in files:
                archive.writestr(file, text)
        for file, parts in files.items():
            with archive.open(file, "w", force_zip64=True) as member:
                for lines in parts:
                    for line in lines:
                        member.write(f"{line}\n".encode())
    return path
