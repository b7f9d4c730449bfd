import GTFS
import GTFSRealtime
import Testing
import Timetable

@testable import StationboardServer

/// What a feed of modifications costs at most.
extension ModificationTests {
  @Test func `broken modifications cost their entity, within limits`() throws {
    var limits = RealtimeLimits.standard
    limits.modificationElements = 1
    var changed = detour
    changed.trips = ["T", "U"]
    var undated = detour
    undated.dates = ["soon"]
    let bytes = RealtimeWire.feed([], at: 1_771_231_800, modifications: [changed, undated, detour])
    let feed = try TripUpdateFeed(protobuf: bytes, limits: limits)
    #expect(feed.modifications.map(\.entityID) == ["m"])
    #expect(feed.modifications.map(\.tripIDs) == [["T"]])
    #expect(feed.counters.rejectedTotal == 1 && feed.invalidModifications == 1)
    // Each has a limit of its own.
    for (elements, changes, stops) in [(1, 0, 1), (9, 1, 0)] {
      limits.modificationElements = elements
      limits.modificationsPerEntity = changes
      limits.replacementStops = stops
      let feed = try TripUpdateFeed(
        protobuf: RealtimeWire.feed([], at: 1, modifications: [detour]),
        limits: limits
      )
      #expect(feed.modifications.isEmpty && feed.counters.rejectedTotal == 1)
    }
    let whole = try TripUpdateFeed(protobuf: RealtimeWire.feed([], at: 1, modifications: [detour]))
    #expect(whole.modifications.first?.modifications.first?.propagatedDelay == 300)
  }

  @Test func `no more trips, days and stops change than the limits allow`() throws {
    let stage = try stage()
    var changed = detour
    changed.trips = ["T", "other"]
    changed.dates = ["20260216", "20260217"]
    changed.changes = [Change(from: (1, nil), stops: [("x", 60)])]
    func entries(_ policy: RealtimePolicy) throws -> [String] {
      let feed = try TripUpdateFeed(
        protobuf: RealtimeWire.feed([], at: 1, modifications: [changed])
      )
      let timetable = stage.feed.timetable
      let today = date.daysSinceEpoch
      let found = ModifiedTrips(feed, timetable, today: today, reference: 0, policy)
      return found.entries.map { entry in
        String(decoding: timetable.tripId(of: entry.trip), as: UTF8.self)
          + "+\(Int(entry.day) - today)"
      }
    }
    var policy = RealtimePolicy.standard
    #expect(try entries(policy) == ["T+0", "T+1", "other+0", "other+1"])
    policy.mostModifiedTrips = 1
    #expect(try entries(policy) == ["T+0"])
    policy = .standard
    // T has 5 stops, the other trip 3; with the stop that is added, and two selectors.
    policy.mostModifiedStops = 8 + 8 + 6
    #expect(try entries(policy) == ["T+0", "T+1", "other+0"])
  }

  @Test func `a trip never has more stops than positions can count`() throws {
    let stage = try stage()
    func modified(_ count: Int) throws -> [Int] {
      var limits = RealtimeLimits.standard
      limits.replacementStops = count
      var changed = detour
      changed.changes = [
        Change(from: (1, nil), stops: Array(repeating: ("x", 60), count: count))
      ]
      let bytes = RealtimeWire.feed([], at: 1_771_231_800, modifications: [changed])
      let feed = try TripUpdateFeed(protobuf: bytes, limits: limits)
      let index = RealtimeIndex(feed, timetable: stage.feed.timetable, arrivedAt: 1_771_231_800)
      return [index.counters.modified, index.counters.unusableModifications]
    }
    #expect(try modified(65_530) == [1, 0])
    #expect(try modified(65_531) == [0, 1])
  }
}
