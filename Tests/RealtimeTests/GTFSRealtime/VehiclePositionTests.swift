import GTFS
import SwiftProtobuf
import Testing

@testable import GTFSRealtime

/// Vehicle positions are read as SwiftProtobuf reads them, and broken ones cost only themselves.
@Suite struct VehiclePositionTests {
  private typealias Entity = TransitRealtime_FeedEntity

  private func bytes(_ entities: [Entity]) throws -> [UInt8] {
    var message = TransitRealtime_FeedMessage()
    message.header.gtfsRealtimeVersion = "2.0"
    message.header.timestamp = 1_795_500_000
    message.entity = entities
    return try message.serializedBytes()
  }

  private func feed(_ entities: [Entity]) throws -> VehiclePositionFeed {
    try VehiclePositionFeed(protobuf: try bytes(entities))
  }

  /// A position with every field.
  private var whole: Entity {
    .with {
      $0.id = "1"
      $0.vehicle.trip.tripID = "t"
      $0.vehicle.trip.startDate = "20260216"
      $0.vehicle.trip.startTime = "10:00:00"
      $0.vehicle.trip.routeID = "R"
      $0.vehicle.vehicle.id = "v1"
      $0.vehicle.vehicle.label = "2001"
      $0.vehicle.vehicle.licensePlate = "VD 1"
      $0.vehicle.vehicle.wheelchairAccessible = .wheelchairAccessible
      $0.vehicle.position.latitude = 46.5
      $0.vehicle.position.longitude = 6.6
      $0.vehicle.position.bearing = 90
      $0.vehicle.position.odometer = 12
      $0.vehicle.position.speed = 7
      $0.vehicle.currentStopSequence = 3
      $0.vehicle.stopID = "c"
      $0.vehicle.currentStatus = .stoppedAt
      $0.vehicle.timestamp = 1_795_499_990
      $0.vehicle.congestionLevel = .runningSmoothly
      $0.vehicle.occupancyStatus = .fewSeatsAvailable
      $0.vehicle.occupancyPercentage = 55
      $0.vehicle.multiCarriageDetails = [
        .with {
          $0.id = "c2"
          $0.label = "2"
          $0.occupancyStatus = .full
          $0.occupancyPercentage = 110
          $0.carriageSequence = 2
        },
        .with {
          $0.label = "1"
          $0.carriageSequence = 1
        },
      ]
    }
  }

  @Test func `every field that is used is read, in protobuf and in JSON`() throws {
    let bytes = try bytes([whole])
    let json = try FeedDocument(bytes).json()
    for feed in [
      try VehiclePositionFeed(protobuf: bytes), try FeedDocument(json).vehiclePositions(),
    ] {
      let trip = try #require(feed.carriers.trips.first)
      let texts = feed.carriers.texts
      #expect(texts[trip.tripID] == "t")
      #expect(trip.startDate == ServiceDate(year: 2026, month: 2, day: 16))
      #expect(trip.startTime == 36_000)
      #expect(texts[trip.routeID] == "R")
      #expect(trip.timestamp == 1_795_499_990)
      let position = try #require(feed.positions.first)
      #expect(position.stopSequence == 3)
      #expect(texts[position.stopID] == "c")
      #expect(position.status == .stoppedAt)
      #expect(texts[position.label] == "2001")
      #expect(position.isWheelchairAccessible == true)
      #expect(position.coordinate == .init(latitude: 46.5, longitude: 6.6))
      #expect(position.occupancy == .fewSeats)
      #expect(position.occupancyPercent == 55)
      // In the order of travel.
      #expect(position.carriages.map { texts[$0.label] } == ["1", "2"])
      #expect(position.carriages.map(\.occupancy) == [nil, .full])
      #expect(position.carriages.map(\.occupancyPercent) == [nil, 110])
      let carrier = feed.carriers.updates(of: trip)
      #expect(carrier.map(\.stopSequence) == [3])
      #expect(carrier.map { texts[$0.stopID] } == ["c"])
      #expect(feed.counters.used == 1)
    }
  }

  @Test func `a position that gives nothing says nothing`() throws {
    let feed = try feed([
      .with {
        $0.id = "1"
        $0.vehicle.trip.tripID = "t"
      }
    ])
    #expect(feed.positions == [VehiclePosition()])
    #expect(feed.positions.first?.status == .inTransitTo)
    #expect(feed.carriers.trips.first?.stopTimeUpdates.isEmpty == true)
  }

  @Test func `values that mean nothing are none`() throws {
    let feed = try feed([
      .with {
        $0.id = "1"
        $0.vehicle.trip.tripID = "t"
        $0.vehicle.occupancyStatus = .noDataAvailable
        $0.vehicle.occupancyPercentage = 4_000_000_000
        $0.vehicle.position.latitude = 91
        $0.vehicle.position.longitude = .nan
        $0.vehicle.vehicle.wheelchairAccessible = .unknown
        $0.vehicle.multiCarriageDetails = [.with { $0.occupancyPercentage = -1 }]
      }
    ])
    let position = try #require(feed.positions.first)
    #expect(position.occupancy == nil)
    #expect(position.occupancyPercent == nil)
    #expect(position.coordinate == nil)
    #expect(position.isWheelchairAccessible == nil)
    #expect(position.carriages == [VehiclePosition.Carriage()])
  }

  @Test func `vehicles without a trip, other kinds and deleted ones are counted`() throws {
    let feed = try feed([
      whole,
      .with {
        $0.id = "2"
        $0.vehicle.position.latitude = 46
        $0.vehicle.position.longitude = 6
      },
      .with {
        $0.id = "3"
        $0.tripUpdate.trip.tripID = "t"
      },
      .with {
        $0.id = "4"
        $0.isDeleted = true
      },
    ])
    #expect(feed.positions.count == 1)
    #expect(feed.carriers.trips.count == 1)
    #expect(feed.counters.used == 1)
    #expect(feed.counters.other == 2)
    #expect(feed.counters.deleted == 1)
    // And the other way round.
    let trips = try TripUpdateFeed(protobuf: try bytes([whole]))
    #expect(trips.counters.other == 1)
  }

  @Test func `random positions are read as SwiftProtobuf reads them`() throws {
    for seed in 0..<1_000 as Range<UInt64> {
      var random = RandomFeed(seed: seed)
      let message = random.feed(entities: random.generator.below(8))
      let feed = try VehiclePositionFeed(protobuf: try message.serializedBytes())
      #expect(feed.counters.rejectedTotal == 0, "seed \(seed)")
      let wanted = message.entity.filter {
        !$0.isDeleted && $0.hasVehicle && $0.vehicle.hasTrip
          && ![.canceled, .deleted].contains($0.vehicle.trip.scheduleRelationship)
      }
      #expect(feed.positions.count == wanted.count, "seed \(seed)")
      let texts = feed.carriers.texts
      for (number, entity) in wanted.enumerated() where number < feed.positions.count {
        let (vehicle, position) = (entity.vehicle, feed.positions[number])
        let trip = feed.carriers.trips[number]
        func given(_ has: Bool, _ text: String) -> String? { has && !text.isEmpty ? text : nil }
        #expect(texts[trip.tripID] == given(vehicle.trip.hasTripID, vehicle.trip.tripID))
        #expect(
          position.stopSequence
            == (vehicle.hasCurrentStopSequence ? vehicle.currentStopSequence : nil)
        )
        #expect(texts[position.stopID] == given(vehicle.hasStopID, vehicle.stopID))
        #expect(position.status == .init(number: Int32(vehicle.currentStatus.rawValue)))
        #expect(trip.timestamp == (vehicle.timestamp == 0 ? nil : vehicle.timestamp))
        #expect(texts[position.label] == given(vehicle.vehicle.hasLabel, vehicle.vehicle.label))
        let occupancy =
          vehicle.hasOccupancyStatus
          ? VehiclePosition.Occupancy(number: Int32(vehicle.occupancyStatus.rawValue)) : nil
        #expect(position.occupancy == occupancy)
        #expect(position.carriages.count == vehicle.multiCarriageDetails.count)
      }
    }
  }

  @Test func `bytes cut or damaged anywhere are read or refused, and never more than that`() throws
  {
    let other = Entity.with {
      $0.id = "2"
      $0.vehicle.trip.tripID = "u"
      $0.vehicle.occupancyStatus = .full
    }
    let bytes = try bytes([whole, other])
    for count in 0..<bytes.count {
      do throws(RealtimeError) {
        let feed = try VehiclePositionFeed(protobuf: Array(bytes.prefix(count)))
        #expect(feed.positions.count == feed.carriers.trips.count)
        #expect(feed.positions.count < 2)
      } catch {
        #expect(error.code == .malformed || error.code == .missingHeader || error.code == .empty)
      }
    }
    for place in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[place] ^= 1 << UInt8(bit)
        guard let feed = try? VehiclePositionFeed(protobuf: damaged) else { continue }
        #expect(feed.positions.count == feed.carriers.trips.count)
        // What is left out leaves nothing behind.
        let used = feed.carriers.trips.reduce(0) { $0 + $1.stopTimeUpdates.count }
        #expect(feed.carriers.stopTimeUpdates.count == used)
        #expect(feed.counters.used == feed.positions.count)
      }
    }
  }

  /// A position whose field has another wire type, in a feed with one that is right.
  @Test(
    arguments: [
      [0x08, 0x01], [0x10, 0x01], [0x1A, 0x00], [0x22, 0x00], [0x2A, 0x00], [0x38, 0x01],
      [0x40, 0x01], [0x4A, 0x00], [0x52, 0x00], [0x58, 0x01], [0x0B], [0x0E],
      [0x12, 0x02, 0x08, 0x01], [0x42, 0x02, 0x10, 0x01], [0x5A, 0x02, 0x1A, 0x00],
      [0x12, 0x02, 0x0D, 0x01],
    ] as [[UInt8]]
  )
  func `a field of the wrong kind rejects its entity only`(field: [UInt8]) throws {
    let vehicle: [UInt8] = [0x0A, 0x03, 0x0A, 0x01, 0x78] + field
    let entity = [0x0A, 0x01, 0x39, 0x22, UInt8(vehicle.count)] + vehicle
    let feed = try VehiclePositionFeed(
      protobuf: try bytes([whole]) + [0x12, UInt8(entity.count)] + entity
    )
    #expect(feed.positions.count == 1)
    #expect(feed.counters.rejectedTotal == 1)
    #expect(feed.counters.rejections.first?.path.hasPrefix("entity[1].vehicle") == true)
  }

  @Test func `a vehicle of too many carriages, and one with a date that is none, are rejected`()
    throws
  {
    func train(_ carriages: Int) -> Entity {
      var entity = whole
      entity.vehicle.multiCarriageDetails = Array(repeating: .init(), count: carriages)
      return entity
    }
    let most = RealtimeLimits.standard.carriagesPerVehicle
    #expect(try feed([train(most)]).positions.first?.carriages.count == most)
    let long = try feed([train(most + 1), whole])
    #expect(long.positions.count == 1)
    #expect(long.counters.rejections.first?.cause == .limitExceeded)
    var dateless = whole
    dateless.vehicle.trip.startDate = "20261301"
    let dates = try feed([dateless])
    #expect(dates.positions.isEmpty)
    #expect(dates.carriers.stopTimeUpdates.isEmpty)
    #expect(dates.counters.rejections.first?.path == "entity[0].vehicle.trip.start_date")
  }
}
