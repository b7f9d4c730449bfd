import GTFS
import Timetable

/// Where the vehicle of a run is.
package struct VehicleState: Hashable, Sendable {
  /// Where it is in relation to its current stop; the raw value is that of `VehicleStopStatus`.
  package enum Status: Int64, Hashable, Sendable {
    case incomingAt = 0
    case stoppedAt = 1
    case inTransitTo = 2
  }

  /// How long before its first departure a vehicle waits at the stop, in seconds.
  static let standsBefore: Int64 = 180
  /// How long after its last arrival a vehicle is still reported, in seconds.
  static let standsAfter: Int64 = 60
  /// How long before an arrival a vehicle is about to arrive, in seconds.
  static let arrivesWithin: Int64 = 40

  /// Where it is in relation to its current stop.
  package let status: Status
  /// The place of the current stop in ``RunState/calls``.
  package let call: Int
  /// How full it is, the number of `OccupancyStatus`; `nil` if the vehicle does not count.
  package let occupancy: Int64?
  /// How full it is in percent.
  package let percent: Int64?
  /// Whether wheelchairs can board; `nil` if the producer does not say.
  package let isAccessible: Bool?
  /// The carriages, each as full as this in percent.
  package let carriages: [Int64]
}

extension FeedWorld {
  /// The vehicle positions of a publication, as protobuf.
  package func vehiclePositions(of tick: FeedTick) -> [UInt8] {
    let instant = tick.sourceTime
    var writer = TripUpdateWriter(timetable, instant: instant, capacity: 1 << 18)
    writer.header()
    var state = RunState()
    visitRuns(at: instant) { scenario in
      fill(&state, with: scenario, at: instant)
      if let vehicle = vehicle(of: scenario, state, at: instant) {
        writer.vehicle(scenario, state, vehicle, extraID: nil)
      }
      guard let extra = scenario.extra else { return }
      fill(&state, with: scenario, extra: extra, at: instant)
      guard state.phase == .extra, let vehicle = vehicle(of: scenario, state, at: instant) else {
        return
      }
      writer.vehicle(scenario, state, vehicle, extraID: extraID(of: scenario))
    }
    return writer.wire.bytes
  }

  /// Returns where the vehicle of a run is at an instant; `nil` if it is not under way.
  package func vehicle(of run: TripRun, at instant: Int64) -> VehicleState? {
    guard timetable.runs(run.trip, on: run.day), timetable.callCount(of: run.trip) > 1 else {
      return nil
    }
    let scenario = TripScenario(run, in: self)
    var state = RunState()
    fill(&state, with: scenario, at: instant)
    return vehicle(of: scenario, state, at: instant)
  }

  private func vehicle(
    of scenario: TripScenario,
    _ state: RunState,
    at instant: Int64
  ) -> VehicleState? {
    switch state.phase {
    case .running, .replaced, .extra: break
    case .unreported, .cancelled, .deleted: return nil
    }
    let served = state.calls.indices.filter { state.calls[$0].status == .served }
    guard let first = served.first, let last = served.last,
      instant >= state.calls[first].departure - VehicleState.standsBefore,
      instant < state.calls[last].arrival + VehicleState.standsAfter
    else { return nil }
    let current = served.first { $0 == last || state.calls[$0].departure > instant } ?? last
    let call = state.calls[current]
    let status: VehicleState.Status =
      current == first || call.arrival <= instant
      ? .stoppedAt
      : call.arrival - instant <= VehicleState.arrivesWithin ? .incomingAt : .inTransitTo
    let random = self.random.of(.vehicle, timetable.tripId(of: scenario.run.trip))
      .of(.vehicle, UInt64(bitPattern: Int64(scenario.run.day.daysSinceEpoch)))
    // Three vehicles of four count; how many people are in one changes from stop to stop.
    let percent = random.isHit(750, .load) ? Int64(random.within(0...110, .load, current + 1)) : nil
    let type = timetable.route(timetable.route(of: scenario.run.trip)).type
    let isTrain = type == 2 || (100...199).contains(type)
    return VehicleState(
      status: status,
      call: current,
      occupancy: percent.map { min($0 / 20, 5) },
      percent: percent,
      isAccessible: random.isHit(800, .vehicle, 1) ? random.isHit(900, .vehicle, 2) : nil,
      carriages: percent == nil || !isTrain
        ? [] : (0..<4).map { Int64(random.within(0...110, .load, 1_000 + current * 8 + $0)) }
    )
  }
}

extension TripUpdateWriter {
  /// Writes the position of a vehicle (VehiclePosition).
  mutating func vehicle(
    _ scenario: TripScenario,
    _ state: RunState,
    _ vehicle: VehicleState,
    extraID: String?
  ) {
    let entity = open(scenario, suffix: extraID == nil ? "@" : "~extra@")
    let position = wire.open(4)
    let trip = wire.open(1)
    if let extraID {
      wire.text(1, extraID)
    } else {
      wire.text(1, timetable.tripId(of: scenario.run.trip))
      if scenario.style.namesStart || scenario.isFrequency {
        wire.text(2, startTime(of: scenario, offset: 0))
      }
    }
    wire.text(3, dayText)
    wire.text(5, timetable.routeId(of: scenario.run.trip))
    wire.close(trip)
    let call = state.calls[vehicle.call]
    // A trip that serves a stop twice needs the sequence.
    let isTwice = state.calls.count { $0.stop == call.stop } > 1
    if scenario.style.namesSequence || isTwice { wire.number(3, Int64(call.sequence)) }
    // In transit is what a position without a status says.
    if vehicle.status != .inTransitTo { wire.number(4, vehicle.status.rawValue) }
    wire.number(5, instant - (scenario.style.lag ?? 0))
    if scenario.style.namesStop || !scenario.style.namesSequence {
      wire.text(7, timetable.id(of: call.newPlatform ?? call.stop))
    }
    let descriptor = wire.open(8)
    wire.text(2, timetable.tripId(of: scenario.run.trip))
    if let isAccessible = vehicle.isAccessible { wire.number(4, isAccessible ? 2 : 3) }
    wire.close(descriptor)
    if let occupancy = vehicle.occupancy { wire.number(9, occupancy) }
    if let percent = vehicle.percent { wire.number(10, percent) }
    for (number, percent) in vehicle.carriages.enumerated() {
      let carriage = wire.open(11)
      wire.text(2, "\(number + 1)")
      wire.number(3, min(percent / 20, 5))
      wire.number(4, percent)
      wire.number(5, Int64(number + 1))
      wire.close(carriage)
    }
    wire.close(position)
    wire.close(entity)
  }
}
