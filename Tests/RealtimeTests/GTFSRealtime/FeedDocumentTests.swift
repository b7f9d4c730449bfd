import GTFSRealtime
import SwiftProtobuf
import Testing

@Suite struct FeedDocumentTests {
  private func error(_ text: String, contentType: String? = nil) throws -> RealtimeError {
    try #require(throws: RealtimeError.self) {
      try FeedDocument(Array(text.utf8), contentType: contentType).tripUpdates()
    }
  }

  @Test func `the JSON mapping of protobuf is read, whichever way fields are named`() throws {
    let camel = """
      {"header": {"gtfsRealtimeVersion": "2.0", "incrementality": "FULL_DATASET",
        "timestamp": "1795500000", "notInTheSchema": {"a": [1]}},
       "entity": [{"id": "E", "tripUpdate": {"trip": {"tripId": "T", "startDate": "20261124",
         "scheduleRelationship": "CANCELED", "originalTripId": "ch:1:sjyid:1"},
         "stopTimeUpdate": [{"stopSequence": 3, "departure": {"time": "1795500600", "delay": 66}}]}}]}
      """
    let snake = """
      \u{FEFF} {"header": {"gtfs_realtime_version": "2.0", "incrementality": 0, "timestamp": 1795500000},
       "entity": [{"id": "E", "trip_update": {"trip": {"trip_id": "T", "start_date": "20261124",
         "schedule_relationship": 3, "original_trip_id": "ch:1:sjyid:1"},
         "stop_time_update": [{"stop_sequence": 3, "departure": {"time": 1795500600, "delay": 66}}]}}]}
      """
    for text in [camel, snake] {
      let document = try FeedDocument(Array(text.utf8))
      #expect(document.form == .json)
      let feed = try document.tripUpdates()
      #expect(feed.header == FeedHeader(version: "2.0", timestamp: 1_795_500_000))
      #expect(feed.trips.count == 1)
      #expect(feed.texts[feed.trips[0].tripID] == "T")
      #expect(feed.texts[feed.trips[0].originalTripID] == "ch:1:sjyid:1")
      #expect(feed.trips[0].relationship == .canceled)
      #expect(feed.stopTimeUpdates[0].departure == StopTimeEvent(time: 1_795_500_600, delay: 66))
    }
  }

  @Test func `a feed written as JSON and read again is the same feed`() throws {
    for seed in 0..<300 as Range<UInt64> {
      var random = RandomFeed(seed: seed)
      let message = random.feed(entities: 4)
      let json = try FeedDocument(try message.serializedBytes() as [UInt8]).json()
      let document = try FeedDocument(json)
      #expect(document.form == .json)
      #expect(
        try TransitRealtime_FeedMessage(serializedBytes: try document.protobuf()) == message,
        "seed \(seed)"
      )
      let again = try document.tripUpdates()
      #expect(TripUpdateComparison(again, message).differences.isEmpty, "seed \(seed)")
      let alerts = try FeedDocument(try message.serializedBytes() as [UInt8]).alerts()
      #expect(try document.alerts().alerts == alerts.alerts)
      #expect(
        alerts.alerts.count + alerts.counters.rejectedTotal
          == message.entity.count { $0.hasAlert && !$0.isDeleted }
      )
      #expect(try document.json() == json)
    }
  }

  @Test func `JSON names fields as the reference does`() throws {
    var message = TransitRealtime_FeedMessage()
    message.header.gtfsRealtimeVersion = "2.0"
    let json = try FeedDocument(try message.serializedBytes() as [UInt8]).json()
    #expect(String(decoding: json, as: UTF8.self) == #"{"header":{"gtfs_realtime_version":"2.0"}}"#)
  }

  @Test func `the first byte decides, and Content-Type only where it cannot`() throws {
    let detect = { (bytes: [UInt8], type: String?) in
      try FeedDocument.detect(bytes, contentType: type)
    }
    #expect(try detect(Array("{}".utf8), "application/octet-stream") == .json)
    #expect(try detect([0x0A, 0x05, 0x0A], "application/json") == .protobuf)
    #expect(try detect([0x12, 0x00], nil) == .protobuf)
    #expect(try detect(Array("  \n{}".utf8), nil) == .json)
    #expect(try detect(Array("\n{\"header\": {}}\n".utf8), nil) == .json)
    #expect(try detect(Array("\n{}".utf8), "application/json; charset=utf-8") == .json)
  }

  @Test func `a header of 123 bytes is not taken for a line feed and a brace`() throws {
    var message = TransitRealtime_FeedMessage()
    message.header.gtfsRealtimeVersion = String(repeating: "}", count: 121)
    let bytes = try message.serializedBytes() as [UInt8]
    #expect(bytes.starts(with: [0x0A, 0x7B]) && bytes.last == UInt8(ascii: "}"))
    #expect(try FeedDocument(bytes).form == .protobuf)
  }

  @Test(arguments: [
    ("", "The feed is empty"), (" \t ", "The feed is nothing but white space at byte 0"),
    ("<!doctype html>", "The feed is a web page or XML, not protobuf or JSON at byte 0"),
    ("[{}]", "The feed is a JSON array; a feed is an object at byte 0"),
    ("\u{1F}\u{8}", "The feed is neither protobuf nor JSON at byte 0"),
  ])
  func `what is not a feed is named`(text: String, description: String) throws {
    #expect(try error(text).description == description)
  }

  @Test func `a compressed feed is named`() throws {
    let error = try #require(throws: RealtimeError.self) { try FeedDocument([0x1F, 0x8B, 0x08]) }
    #expect(error.code == .unrecognised)
    #expect(error.reason == "The feed is compressed with gzip; it has to be inflated first")
  }

  @Test func `broken JSON is located`() throws {
    let cut = try error(#"{"header": {"gtfs_realtime_version": "2.0"}"#)
    #expect(cut.code == .malformedJSON)
    #expect(cut.reason.hasPrefix("The feed is not a JSON document: "))
    #expect(try error(#"{"header": 7}"#).path == "header")
    #expect(try error(#"{"entity": {}}"#).path == "entity")
    let entity = try error(#"{"entity": [{"id": "A"}, {"id": "B", "alert": 7}, {"id": "C"}]}"#)
    #expect(entity.path == "entity[1]")
    #expect(entity.code == .malformedJSON)
    let deep = String(repeating: #"{"a":"#, count: 50_000)
    #expect(try error(deep).code == .malformedJSON)
  }

  @Test func `JSON without required fields loses the entity, and without a header the feed`() throws
  {
    let feed = try FeedDocument(
      Array(#"{"header": {"gtfs_realtime_version": "2.0"}, "entity": [{"trip_update": {}}]}"#.utf8)
    ).tripUpdates()
    #expect(feed.counters.rejections.map(\.cause) == [.missingField])
    #expect(try error(#"{"entity": []}"#).code == .missingHeader)
  }
}
