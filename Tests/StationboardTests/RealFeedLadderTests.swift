import Foundation
import GTFSRealtime
import Testing
import Timetable

@testable import StationboardServer

/// The ladder on recorded feeds, whose ids are made to drift so that the right trip is known.
///
/// They are not part of the repository: the folder is named by FRESHET_SHARED_DATA or is at
/// ../shared/data; without it these tests say so and pass.
@Suite struct RealFeedLadderTests {
  /// How the ids of a recorded feed are changed.
  enum Drift: String, CaseIterable {
    /// Not at all.
    case none
    /// Ids that say nothing.
    case older
    /// Another number after the first colon.
    case version
    /// A prefix before each.
    case prefix
    /// One in five says nothing.
    case some
  }

  private func recorded(_ name: String) -> URL? {
    let named = ProcessInfo.processInfo.environment["FRESHET_SHARED_DATA"]
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../shared/data").standardizedFileURL
    let path = (named.map { URL(filePath: $0) } ?? root).appending(path: "more/\(name)")
    if FileManager.default.fileExists(atPath: path.path) { return path }
    print("\(path.path) is not there: nothing to compare.")
    return nil
  }

  @Test(arguments: ["1768494853", "1768510332"])
  func `Kingston: at least 98 percent match, whatever became of the ids, and none wrongly`(
    at: String
  ) throws {
    guard let zip = recorded("kingston.zip"), let file = recorded("kingston_\(at).pb") else {
      return
    }
    let feed = try SampleFeed.recorded(zip.path).feed
    let bytes = [UInt8](try Data(contentsOf: file))
    let right = try TripUpdateFeed(protobuf: bytes)
    let now = Int64(try #require(right.header.timestamp))
    let truth = RealtimeIndex(right, timetable: feed.timetable, arrivedAt: now)
    for drift in Drift.allCases {
      let drifted = try TripUpdateFeed(protobuf: DriftedFeed.bytes(bytes, drift))
      let index = RealtimeIndex(drifted, timetable: feed.timetable, arrivedAt: now)
      let counters = index.counters
      let wanted = counters.matched + counters.unmatched
      print("Kingston \(at), \(drift): \(counters.matched) of \(wanted), \(counters.byRung)")
      #expect(counters.matched * 100 >= wanted * 98, "\(drift)")
      // Each trip has what the update says that named it before its id was changed.
      for trip in index.trips where trip.extra < 0 {
        let own = try #require(truth.trip(trip.trip, day: Int(trip.day)))
        #expect(departures(of: trip, index) == departures(of: own, truth), "\(drift)")
      }
      if drift == .older || drift == .version { try prove(index, drifted, feed.timetable) }
    }
  }

  private func departures(of trip: RealtimeTrip, _ index: RealtimeIndex) -> [Int32] {
    index.calls[Int(trip.firstCall)..<Int(trip.firstCall + trip.callCount)].map(\.effective)
  }

  /// Proves by stops and times that every trip with realtime is one that an update fits.
  private func prove(
    _ index: RealtimeIndex,
    _ updates: TripUpdateFeed,
    _ timetable: Timetable
  ) throws {
    var stops: Set<[String]> = []
    for update in updates.trips {
      let own = updates.updates(of: update)
      guard let start = update.startTime, let route = updates.texts[update.routeID] else {
        continue
      }
      for one in own {
        stops.insert([
          route, "\(start)", "\(one.stopSequence ?? 0)", updates.texts[one.stopID] ?? "",
        ])
      }
    }
    for trip in index.trips where trip.extra < 0 {
      let route = timetable.route(timetable.route(of: trip.trip)).id
      let start = "\(timetable.start(of: trip.trip))"
      let last = timetable.call(timetable.callCount(of: trip.trip) - 1, of: trip.trip)
      let id = String(decoding: timetable.id(of: last.stop), as: UTF8.self)
      #expect(stops.contains([route, start, "\(last.sequence)", id]))
    }
    for call in index.calls where call.scheduled != RealtimeCall.unscheduled {
      #expect(abs(Int64(call.effective) - Int64(call.scheduled)) < 3 * 3_600)
    }
  }

  @Test func `Koleje Dolnośląskie: none of 25 matches, and the hint says why`() throws {
    guard let zip = recorded("kd.zip"), let file = recorded("kd.pb") else { return }
    let feed = try SampleFeed.recorded(zip.path).feed
    let updates = try TripUpdateFeed(protobuf: [UInt8](Data(contentsOf: file)))
    let now = Int64(try #require(updates.header.timestamp))
    let index = RealtimeIndex(updates, timetable: feed.timetable, arrivedAt: now)
    let report = MatchReport(index, of: feed, leastPercent: 80)
    #expect(index.counters.matched == 0)
    #expect(report.status == .matchesNothing)
    #expect(
      report.hint
        == "25 of 25 trip updates name trips that this timetable does not have; the timetable is from 2023-03-09, the feed from 2023-04-17"
    )
  }
}

/// A recorded feed with other trip ids, changed in its bytes.
private enum DriftedFeed {
  static func bytes(_ feed: [UInt8], _ drift: RealFeedLadderTests.Drift) -> [UInt8] {
    var number = 0
    return rewritten(feed) { field, entity in
      guard field == 2 else { return entity }
      number += 1
      let count = number
      return rewritten(entity) { field, update in
        guard field == 3 else { return update }
        return rewritten(update) { field, descriptor in
          guard field == 1 else { return descriptor }
          return rewritten(descriptor) { field, id in
            field == 1 ? changed(id, count, drift) : id
          }
        }
      }
    }
  }

  private static func changed(
    _ id: [UInt8],
    _ number: Int,
    _ drift: RealFeedLadderTests.Drift
  ) -> [UInt8] {
    switch drift {
    case .none: return id
    case .older: return Array("gone\(number)x".utf8)
    case .prefix: return Array("old:".utf8) + id
    case .some: return number % 5 == 0 ? Array("gone\(number)x".utf8) : id
    case .version:
      let parts = String(decoding: id, as: UTF8.self).split(separator: ":")
      return Array(([parts[0], "7"] + parts.dropFirst(2)).joined(separator: ":").utf8)
    }
  }

  /// A message whose fields with a length are changed.
  private static func rewritten(
    _ message: [UInt8],
    _ change: (UInt64, [UInt8]) -> [UInt8]
  ) -> [UInt8] {
    var result: [UInt8] = []
    var place = 0
    func varint() -> (value: UInt64, bytes: ArraySlice<UInt8>) {
      let start = place
      var (value, shift) = (UInt64(0), UInt64(0))
      while true {
        let byte = message[place]
        place += 1
        value |= UInt64(byte & 127) << shift
        shift += 7
        if byte < 128 { return (value, message[start..<place]) }
      }
    }
    while place < message.count {
      let (tag, bytes) = varint()
      switch tag & 7 {
      case 0: result += bytes + varint().bytes
      case 1, 5:
        let length = tag & 7 == 1 ? 8 : 4
        result += bytes + message[place..<place + length]
        place += length
      default:
        let length = Int(varint().value)
        let field = change(tag >> 3, Array(message[place..<place + length]))
        place += length
        result += bytes
        var count = field.count
        while count > 127 {
          result.append(UInt8(count & 127 | 128))
          count >>= 7
        }
        result.append(UInt8(count))
        result += field
      }
    }
    return result
  }
}
