import GTFSRealtime
import Testing

/// What is wrong, and where: reasons, offsets and paths.
@Suite struct FaultTests {
  private typealias Wire = WireWalk

  private let header = WireWalk.block(
    1,
    WireWalk.text(1, "2.0") + WireWalk.number(3, 1_795_500_000)
  )

  /// An entity with a trip update of these fields.
  private func entity(_ id: String, _ tripUpdate: [UInt8]) -> [UInt8] {
    Wire.block(2, Wire.text(1, id) + Wire.block(3, tripUpdate))
  }

  private var good: [UInt8] { entity("good", Wire.block(1, Wire.text(1, "T"))) }

  private func rejection(_ tripUpdate: [UInt8]) throws -> RejectedEntity {
    let feed = try TripUpdateFeed(protobuf: header + good + entity("bad", tripUpdate) + good)
    #expect(feed.trips.count == 2, "the entities around it stay")
    #expect(feed.trips.map(\.entityIndex) == [0, 2])
    #expect(feed.stopTimeUpdates.isEmpty, "nothing of it stays")
    #expect(feed.counters.total == 3)
    return try #require(feed.counters.rejections.first)
  }

  private func error(_ bytes: [UInt8]) throws -> RealtimeError {
    try #require(throws: RealtimeError.self) { try TripUpdateFeed(protobuf: bytes) }
  }

  private let trip = WireWalk.block(1, WireWalk.text(1, "T"))

  @Test func `a fault deep in an entity is named with field, index and byte`() throws {
    let update = Wire.block(2, Wire.block(3, [0x08, 0x80]))
    let found = try rejection(trip + Wire.block(2, []) + update)
    #expect(found.cause == .malformed)
    #expect(found.path == "entity[1].trip_update.stop_time_update[1].departure.delay")
    let before = header.count + good.count + entity("bad", trip + Wire.block(2, []) + update).count
    #expect(found.offset == before - 1)
    #expect(
      found.description
        == "the bytes end within a number in \(found.path) at byte \(before - 1)"
    )
  }

  @Test func `a number of more than ten bytes is rejected, one of ten is read`() throws {
    let ten = [0x28] + Array(repeating: 0xFF as UInt8, count: 9) + [0x01]
    let feed = try TripUpdateFeed(protobuf: header + entity("ten", trip + ten))
    #expect(feed.trips[0].delay == -1)
    let eleven = [0x28] + Array(repeating: 0xFF as UInt8, count: 10) + [0x01]
    let found = try rejection(trip + eleven)
    #expect(found.reason == "a number of more than 10 bytes")
    #expect(found.path == "entity[1].trip_update.delay")
  }

  @Test func `a length beyond the message is rejected, however large`() throws {
    for length in [1, 100, UInt64(Int.max), .max] {
      let found = try rejection(trip + [0x12] + Wire.varint(length))
      #expect(found.reason == "a length of \(length) where 0 bytes are left")
      #expect(found.path == "entity[1].trip_update.stop_time_update[0]")
    }
  }

  @Test(arguments: [
    (Wire.varint(1 << 3), "trip"), (Wire.varint(2 << 3 | 5), "stop_time_update[0]"),
    (Wire.varint(4 << 3 | 1), "timestamp"), (Wire.varint(5 << 3 | 2), "delay"),
    (Wire.varint(6 << 3), "trip_properties"),
  ])
  func `a field with another wire type than its own rejects the entity`(
    tag: [UInt8],
    field: String
  ) throws {
    let found = try rejection(trip + tag + Array(repeating: 1, count: 8))
    #expect(found.reason.hasPrefix("wire type \(tag[0] & 7), which the field does not have"))
    #expect(found.path == "entity[1].trip_update.\(field)")
  }

  @Test func `groups, wire types that do not exist and field 0 are rejected`() throws {
    #expect(
      try rejection(trip + [0x0B, 0x0C]).reason == "a group, which GTFS-Realtime does not have"
    )
    #expect(try rejection(trip + [0x0E]).reason == "wire type 6 does not exist")
    #expect(try rejection(trip + [0x0F]).reason == "wire type 7 does not exist")
    #expect(try rejection(trip + [0x02, 0x00]).reason == "field number 0")
    let path = try rejection(trip + [0x0E]).path
    #expect(path == "entity[1].trip_update")
  }

  @Test func `a text that is not UTF-8 rejects its entity`() throws {
    for bytes in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0x61, 0xE2, 0x82]] as [[UInt8]] {
      let found = try rejection(Wire.block(1, Wire.block(1, bytes)))
      #expect(found.cause == .invalidText)
      #expect(found.path == "entity[1].trip_update.trip.trip_id")
    }
  }

  @Test func `a trip update without a trip, and an entity without an id, are rejected`() throws {
    let found = try rejection(Wire.number(4, 7))
    #expect(found.cause == .missingField)
    #expect(found.path == "entity[1].trip_update.trip")
    let nameless = Wire.block(2, Wire.block(3, trip))
    let feed = try TripUpdateFeed(protobuf: header + nameless)
    #expect(feed.counters.rejections.map(\.path) == ["entity[0].id"])
    #expect(feed.counters.rejected == [.missingField: 1])
  }

  @Test func `an invalid start_date rejects the entity, an invalid start_time does not`()
    throws
  {
    for date in ["20260230", "2026", "2026-1124", "tomorrow", "20261124 "] {
      let found = try rejection(Wire.block(1, Wire.text(1, "T") + Wire.text(3, date)))
      #expect(found.cause == .invalidDate)
      #expect(found.path == "entity[1].trip_update.trip.start_date")
    }
    let noon = entity("noon", Wire.block(1, Wire.text(1, "T") + Wire.text(2, "noon")))
    let feed = try TripUpdateFeed(protobuf: header + noon)
    #expect(feed.trips[0].startTime == nil)
    #expect(feed.counters.invalidStartTimes == 1)
  }

  @Test func `what is broken outside the entities breaks the feed`() throws {
    let cut = try error(Array((header + good).dropLast()))
    #expect(cut.code == .malformed)
    #expect(cut.path == "entity[0]")
    #expect(cut.offset == header.count + 1)
    #expect(cut.description.hasSuffix("in entity[0] at byte \(header.count + 1)"))
    let version = try error(Wire.block(1, Wire.block(1, [0xFF])) + good)
    #expect(version.path == "header.gtfs_realtime_version")
    #expect(try error(header + good + [0x10, 0x01]).path == "entity[1]")
    #expect(try error(header + [0x1B, 0x1C]).reason.contains("a group"))
  }

  @Test func `a feed needs a header that says its version`() throws {
    #expect(try error(good).code == .missingHeader)
    let silent = try error(Wire.block(1, Wire.number(3, 7)) + good)
    #expect(silent.code == .missingHeader)
    #expect(silent.path == "header.gtfs_realtime_version")
    #expect(try error([]).code == .empty)
  }

  @Test func `a header may stand last, and in two parts`() throws {
    let feed = try TripUpdateFeed(
      protobuf: Wire.block(1, Wire.number(3, 7)) + good + Wire.block(1, Wire.text(1, "2.0"))
    )
    #expect(feed.header == FeedHeader(version: "2.0", timestamp: 7))
  }
}
