import Foundation
import GTFSRealtime
import Testing

@testable import StationboardServer

/// `GET /api/trips/{trip_id}` with realtime: what a person sees who follows a departure.
@Suite struct RealtimeTripTests {
  private typealias Trip = RealtimeWire.Trip
  private typealias Stop = RealtimeWire.Stop

  /// A trip as the contract has it.
  private struct PassList: Decodable {
    struct Head: Decodable {
      var serviceDate: String
      var scheduleRelationship: String?
      var cancelled: Bool
      var realtimeFreshness: String?
    }
    struct Call: Decodable {
      var scheduledDeparture: String?
      var realtimeDeparture: String?
      var delaySec: Int?
      var stopEvent: String?
    }
    struct Meta: Decodable {
      var rtCacheAgeMs: Int?
    }
    var trip: Head
    var stops: [Call]
    var meta: Meta
  }

  private let day = "20261020"

  private func list(
    _ id: String,
    _ updates: [Trip],
    _ more: String = ""
  ) async throws -> (status: Int, list: PassList?) {
    let stage = try SourceStage()
    stage.answer(.tripUpdates, .content(RealtimeWire.feed(updates, at: stage.now)))
    var found: (Int, PassList?) = (0, nil)
    try await stage.run { stage in
      let answer = try await stage.probe.get("/api/trips/\(id)?\(more)")
      found = (answer.status, try? JSONDecoder().decode(PassList.self, from: Data(answer.body)))
    }
    return found
  }

  @Test func `delays go on along the trip, and its age is told`() async throws {
    let update = Trip("R0-14", date: day)
      .with(Stop(1, departure: .delay(60)), Stop(11, departure: .delay(180)))
    let found = try await list("R0-14", [update])
    let trip = try #require(found.list)
    #expect(trip.trip.scheduleRelationship == "SCHEDULED")
    #expect(trip.trip.realtimeFreshness == "fresh")
    #expect(trip.meta.rtCacheAgeMs == 0)
    #expect(trip.stops.count > 3)
    #expect(trip.stops[0].delaySec == 60)
    // The reference: a delay holds for the stops that follow.
    #expect(trip.stops.dropFirst().allSatisfy { $0.delaySec == 180 })
  }

  @Test func `skipped stops and cancelled trips say so`() async throws {
    let skipping = try await list("R0-14", [Trip("R0-14", date: day).with(Stop(11, .skipped))])
    let events = try #require(skipping.list).stops.map(\.stopEvent)
    #expect(events.prefix(3) == [nil, "SKIPPED", nil])
    let cancelled = try await list("R0-14", [Trip("R0-14", .canceled, date: day)])
    #expect(cancelled.list?.trip.cancelled == true)
    #expect(cancelled.list?.trip.scheduleRelationship == "CANCELED")
  }

  @Test func `without an update a trip is as planned`() async throws {
    let found = try await list("R0-14", [Trip("R0-15", .canceled, date: day)])
    let trip = try #require(found.list)
    #expect(trip.trip.scheduleRelationship == nil)
    #expect(trip.stops.allSatisfy { $0.realtimeDeparture == nil && $0.delaySec == nil })
  }

  @Test func `a duplicated trip has its own id, and its template's stops`() async throws {
    let copy = Trip("R0-14", .duplicated).with(Stop(1, departure: .delay(30))).with {
      $0.newTrip = "copy"
      $0.newDate = day
      $0.newStart = "11:00:00"
    }
    let trip = try #require(try await list("copy", [copy]).list)
    let template = try #require(try await list("R0-14", [copy]).list)
    #expect(trip.trip.scheduleRelationship == "DUPLICATED")
    #expect(trip.stops.count == template.stops.count)
    #expect(trip.stops[0].delaySec == 30)
    #expect(template.trip.scheduleRelationship == nil)
    #expect(template.stops[0].delaySec == nil)
  }

  @Test func `a duplicated trip with its template's id does not stand in for it`() async throws {
    let copy = Trip("R0-14", .duplicated).with(Stop(1, departure: .delay(30))).with {
      $0.date = day
      $0.start = "11:00:00"
    }
    for more in ["", "service_date=2026-10-20"] {
      let trip = try #require(try await list("R0-14", [copy], more).list)
      #expect(trip.trip.scheduleRelationship == nil, "\(more)")
      #expect(trip.stops[0].delaySec == nil, "\(more)")
    }
  }

  @Test func `a trip that only realtime has is found on its day, and on no other`() async throws {
    let new = Trip("extra", .new, date: day).with(
      Stop(1, "S0", departure: .time(SourceStage.start + 600)),
      Stop(2, "S1", arrival: .time(SourceStage.start + 900))
    ).with {
      $0.route = "R0"
      $0.start = "08:40:00"
    }
    let found = try await list("extra", [new], "service_date=2026-10-20")
    #expect(found.list?.trip.scheduleRelationship == "NEW")
    #expect(found.list?.stops.count == 2)
    #expect(try await list("extra", [new], "service_date=2026-10-21").status == 404)
    #expect(try await list("extra", []).status == 404)
  }
}
