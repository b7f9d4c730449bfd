#!/usr/bin/env python3
"""Decodes a GTFS-Realtime feed with Python's protobuf: which the program's own decoding is compared with.

Usage: decode.py SCHEMA FEED

SCHEMA is what protoc --descriptor_set_out writes. Prints JSON: which implementation it is, the seconds of
the fastest of five decodings, and the same with every stop time update read once.
"""

import json
import sys
import time
from pathlib import Path

import google.protobuf
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.internal import api_implementation


def message(schema):
    """The class of a FeedMessage."""
    files = descriptor_pb2.FileDescriptorSet.FromString(schema)
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    found = pool.FindMessageTypeByName("transit_realtime.FeedMessage")
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(found)
    return message_factory.MessageFactory(pool).GetPrototype(found)


def walk(feed):
    """Reads every stop time update, as building an index does."""
    total = 0
    for entity in feed.entity:
        for update in entity.trip_update.stop_time_update:
            total += update.stop_sequence + update.arrival.time + update.departure.time + len(update.stop_id)
    return total


def main():
    feed_type = message(Path(sys.argv[1]).read_bytes())
    content = Path(sys.argv[2]).read_bytes()
    decoding, reading = [], []
    for _ in range(5):
        before = time.perf_counter()
        feed = feed_type.FromString(content)
        decoding.append(time.perf_counter() - before)
        walk(feed)
        reading.append(time.perf_counter() - before)
    print(json.dumps({"implementation": f"{google.protobuf.__version__} {api_implementation.Type()}",
                      "decode_s": min(decoding), "read_s": min(reading),
                      "trips": len(feed.entity),
                      "stop_times": sum(len(e.trip_update.stop_time_update) for e in feed.entity)}))


if __name__ == "__main__":
    main()
