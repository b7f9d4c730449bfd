import GTFS
import GTFSRealtime
import SwiftProtobuf
import Testing

@Suite struct TripUpdateFeedTests {
  private func read(
    _ fill: (inout TransitRealtime_FeedMessage) -> Void
  ) throws -> TripUpdateFeed {
    var message = TransitRealtime_FeedMessage()
    message.header.gtfsRealtimeVersion = "2.0"
    fill(&message)
    return try TripUpdateFeed(protobuf: try message.serializedBytes() as [UInt8])
  }

  private func entity(
    _ id: String,
    _ fill: (inout TransitRealtime_TripUpdate) -> Void = { _ in }
  ) -> TransitRealtime_FeedEntity {
    .with {
      $0.id = "entity of \(id)"
      $0.tripUpdate.trip.tripID = id
      fill(&$0.tripUpdate)
    }
  }

  @Test func `a trip and its stops are read with all that is said of them`() throws {
    let feed = try read {
      $0.header.timestamp = 1_795_500_000
      $0.header.feedVersion = "2026-11"
      $0.entity = [
        entity("105.TA") {
          $0.trip.startDate = "20261124"
          $0.trip.startTime = "25:02:00"
          $0.trip.originalTripID = "ch:1:sjyid:100308:87865-001"
          $0.trip.scheduleRelationship = .replacement
          $0.timestamp = 1_795_499_990
          $0.tripProperties.tripHeadsign = "Basel SBB"
          $0.stopTimeUpdate = [
            .with {
              $0.stopSequence = 3
              $0.stopID = "8501120:0:3"
              $0.arrival.delay = 66
              $0.departure.time = 1_795_500_600
              $0.departure.scheduledTime = 1_795_500_540
              $0.stopTimeProperties.assignedStopID = "8501120:0:4"
              $0.stopTimeProperties.pickupType = .none
            },
            .with {
              $0.stopID = "8501120:0:3"
              $0.scheduleRelationship = .noData
            },
          ]
        }
      ]
    }
    #expect(feed.header.timestamp == 1_795_500_000)
    #expect(feed.header.feedVersion == "2026-11")
    let trip = try #require(feed.trips.first)
    #expect(feed.texts[trip.tripID] == "105.TA")
    #expect(feed.texts[trip.originalTripID] == "ch:1:sjyid:100308:87865-001")
    #expect(trip.startDate == ServiceDate(year: 2026, month: 11, day: 24))
    #expect(trip.startTime == 90_120)
    #expect(trip.relationship == .replacement)
    #expect(feed.texts[trip.properties?.headsign] == "Basel SBB")
    let updates = Array(feed.updates(of: trip))
    #expect(updates.map(\.stopSequence) == [3, nil])
    #expect(updates[0].arrival == StopTimeEvent(delay: 66))
    #expect(updates[0].departure == StopTimeEvent(time: 1_795_500_600))
    #expect(feed.texts[updates[0].assignedStopID] == "8501120:0:4")
    #expect(feed.details(of: updates[0])?.scheduledDeparture == 1_795_500_540)
    #expect(feed.details(of: updates[0])?.pickup == StopTimeDetails.Access.none)
    #expect(updates[1].relationship == .noData)
    #expect(updates[1].arrival == nil)
    #expect(feed.details(of: updates[1]) == nil)
    #expect(updates[0].stopID == updates[1].stopID, "equal texts have equal numbers")
  }

  @Test func `an update takes 56 bytes`() {
    #expect(MemoryLayout<StopTimeUpdate>.stride == 56)
  }

  @Test func `texts are stored once, and found again, however many there are`() throws {
    let feed = try read { message in
      for number in 0..<20_000 { message.entity.append(entity("trip \(number % 5_000)")) }
    }
    #expect(feed.trips.count == 20_000)
    #expect(feed.texts.count == 10_000, "5,000 trips and 5,000 entities")
    for (number, trip) in feed.trips.enumerated() where number % 97 == 0 {
      #expect(feed.texts[trip.tripID] == "trip \(number % 5_000)")
    }
    #expect(feed.texts.id(of: "trip 4999") == feed.trips[4_999].tripID)
    #expect(feed.texts.id(of: "trip 5000") == nil)
  }

  @Test func `deleted entities and other kinds are counted, not read`() throws {
    let feed = try read {
      $0.entity = [
        entity("A"),
        .with {
          $0.id = "gone"
          $0.isDeleted = true
        },
        .with {
          $0.id = "bus"
          $0.vehicle.stopID = "S"
        },
      ]
    }
    #expect(feed.deletedEntities.map { feed.texts[$0] } == ["gone"])
    #expect(feed.counters.used == 1)
    #expect(feed.counters.deleted == 1)
    #expect(feed.counters.other == 1)
    #expect(feed.counters.rejectedTotal == 0)
  }

  @Test func `numbers that the reference does not define are kept`() throws {
    let wire = WireWalk.self
    let bytes =
      wire.block(1, wire.text(1, "2.0") + wire.number(2, 9))
      + wire.block(
        2,
        wire.text(1, "E")
          + wire.block(
            3,
            wire.block(1, wire.text(1, "T") + wire.number(4, 42))
              + wire.block(2, wire.number(5, 17))
          )
      )
    let feed = try TripUpdateFeed(protobuf: bytes)
    #expect(feed.header.incrementality == .unknown(9))
    #expect(feed.trips[0].relationship == .unknown(42))
    #expect(feed.stopTimeUpdates[0].relationship == .unknown(17))
  }

  @Test func `a timestamp of 0 and an empty id count as absent`() throws {
    let feed = try read {
      $0.header.timestamp = 0
      $0.entity = [
        entity("") {
          $0.trip.startDate = ""
          $0.timestamp = 0
          $0.stopTimeUpdate = [.with { $0.stopID = "" }]
        }
      ]
    }
    #expect(feed.header.timestamp == nil)
    #expect(feed.trips[0].tripID == nil)
    #expect(feed.trips[0].startDate == nil)
    #expect(feed.trips[0].timestamp == nil)
    #expect(feed.stopTimeUpdates[0].stopID == nil)
  }
}
