import GTFSRealtime
import SwiftProtobuf
import Testing

@Suite struct LimitTests {
  private func bytes(_ entities: [TransitRealtime_FeedEntity]) throws -> [UInt8] {
    var message = TransitRealtime_FeedMessage()
    message.header.gtfsRealtimeVersion = "2.0"
    message.entity = entities
    return try message.serializedBytes()
  }

  private func trip(_ id: String, stops: Int = 0) -> TransitRealtime_FeedEntity {
    .with {
      $0.id = id
      $0.tripUpdate.trip.tripID = id
      $0.tripUpdate.stopTimeUpdate = Array(repeating: .with { $0.stopID = "S" }, count: stops)
    }
  }

  private func alert(_ id: String, text: String, entities: Int = 1) -> TransitRealtime_FeedEntity {
    .with {
      $0.id = id
      $0.alert.headerText.translation = [.with { $0.text = text }]
      $0.alert.informedEntity = Array(repeating: .with { $0.stopID = "S" }, count: entities)
    }
  }

  @Test func `a feed of the most bytes is read, one byte more is not`() throws {
    let bytes = try bytes([trip("A")])
    var limits = RealtimeLimits()
    limits.feedBytes = bytes.count
    #expect(try TripUpdateFeed(protobuf: bytes, limits: limits).trips.count == 1)
    #expect(try AlertFeed(protobuf: bytes, limits: limits).counters.other == 1)
    limits.feedBytes -= 1
    let trips = try #require(throws: RealtimeError.self) {
      try TripUpdateFeed(protobuf: bytes, limits: limits)
    }
    #expect(trips.code == .limitExceeded)
    #expect(trips.reason == "The feed has \(bytes.count) bytes; the most is \(limits.feedBytes)")
    #expect(throws: trips) { try AlertFeed(protobuf: bytes, limits: limits) }
    #expect(throws: trips) { try FeedDocument(bytes, limits: limits) }
  }

  @Test func `a feed with more entities than the most is refused`() throws {
    var limits = RealtimeLimits()
    limits.entities = 2
    #expect(
      try TripUpdateFeed(protobuf: bytes([trip("A"), trip("B")]), limits: limits).trips.count == 2
    )
    let error = try #require(throws: RealtimeError.self) {
      try TripUpdateFeed(protobuf: bytes([trip("A"), trip("B"), trip("C")]), limits: limits)
    }
    #expect(error.code == .limitExceeded)
    #expect(error.reason == "The feed is broken: more than 2 entities")
  }

  @Test func `a trip with more stop time updates than the most is rejected alone`() throws {
    var limits = RealtimeLimits()
    limits.stopTimeUpdatesPerTrip = 3
    let feed = try TripUpdateFeed(
      protobuf: bytes([trip("A", stops: 3), trip("B", stops: 4), trip("C", stops: 2)]),
      limits: limits
    )
    #expect(feed.trips.map { feed.texts[$0.tripID] } == ["A", "C"])
    #expect(feed.stopTimeUpdates.count == 5)
    #expect(feed.trips[1].stopTimeUpdates == 3..<5)
    #expect(feed.counters.rejected == [.limitExceeded: 1])
    #expect(feed.counters.rejections[0].path == "entity[1].trip_update.stop_time_update[3]")
  }

  @Test func `a text longer than the most rejects its entity`() throws {
    var limits = RealtimeLimits()
    limits.textBytes = 4
    let feed = try TripUpdateFeed(protobuf: bytes([trip("four"), trip("fives")]), limits: limits)
    #expect(feed.trips.count == 1)
    #expect(feed.counters.rejections[0].reason == "a text of 5 bytes; the most is 4")
  }

  @Test func `alerts have limits on bytes, texts and elements`() throws {
    var limits = RealtimeLimits()
    limits.alertTextBytes = 10
    limits.alertElements = 3
    limits.alertBytes = 200
    let feed = try AlertFeed(
      protobuf: bytes([
        alert("A", text: "ten bytes."), alert("B", text: "eleven bytes"),
        alert("C", text: "", entities: 4), alert("D", text: String(repeating: "x", count: 300)),
        alert("E", text: "", entities: 3),
      ]),
      limits: limits
    )
    #expect(feed.alerts.map(\.entityID) == ["A", "E"])
    #expect(feed.counters.rejected == [.limitExceeded: 3])
    #expect(
      feed.counters.rejections.map(\.path) == [
        "entity[1].alert.header_text.translation[0].text", "entity[2].alert.informed_entity",
        "entity[3]",
      ]
    )
  }

  @Test func `all rejections are counted, the first are kept`() throws {
    var limits = RealtimeLimits()
    limits.textBytes = 3
    limits.keptRejections = 2
    let feed = try TripUpdateFeed(
      protobuf: bytes([trip("AAAA"), trip("BBBB"), trip("CCCC"), trip("D")]),
      limits: limits
    )
    #expect(feed.counters.rejectedTotal == 3)
    #expect(feed.counters.rejections.map(\.index) == [0, 1])
    #expect(feed.counters.total == 4)
  }
}
