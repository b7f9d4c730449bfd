import GTFS
import Timetable

/// Writes trip updates as protobuf (TripUpdate of the GTFS-Realtime reference).
struct TripUpdateWriter {
  /// Field numbers of the reference.
  private enum Field {
    static let entity: UInt64 = 2
    static let entityID: UInt64 = 1
    static let tripUpdate: UInt64 = 3
    static let trip: UInt64 = 1
    static let stopTimeUpdate: UInt64 = 2
    static let timestamp: UInt64 = 4
    static let properties: UInt64 = 6
  }

  /// The schedule relationships of the reference that are written.
  enum Relationship: Int64 {
    case scheduled = 0
    case added = 1
    case canceled = 3
    case replacement = 5
    case duplicated = 6
    case deleted = 7
    case new = 8
  }

  let timetable: Timetable
  /// The instant that the feed describes.
  let instant: Int64
  var wire: WireWriter
  private var day = ServiceDate(daysSinceEpoch: .min)
  private(set) var dayText = ""

  init(_ timetable: Timetable, instant: Int64, capacity: Int) {
    self.timetable = timetable
    self.instant = instant
    wire = WireWriter(capacity: capacity)
  }

  /// Writes the header (FeedHeader).
  mutating func header() {
    let header = wire.open(1)
    wire.text(1, "2.0")
    wire.number(2, 0)
    wire.number(3, instant)
    if let version = timetable.metadata.version, !version.isEmpty { wire.text(4, version) }
    wire.close(header)
  }

  /// Writes what is known of a run of the timetable, if anything.
  mutating func run(_ scenario: TripScenario, _ state: RunState) {
    let relationship: Relationship
    switch state.phase {
    case .unreported, .extra: return
    case .running: relationship = .scheduled
    case .cancelled: relationship = .canceled
    case .deleted: relationship = .deleted
    case .replaced: relationship = .replacement
    }
    let style = scenario.style
    let entity = open(scenario, suffix: "")
    let update = wire.open(Field.tripUpdate)
    let trip = wire.open(Field.trip)
    wire.text(1, timetable.tripId(of: scenario.run.trip))
    if style.namesStart { wire.text(2, startTime(of: scenario, offset: 0)) }
    wire.text(3, dayText)
    if relationship != .scheduled { wire.number(4, relationship.rawValue) }
    wire.text(5, timetable.routeId(of: scenario.run.trip))
    wire.close(trip)
    if state.phase == .replaced {
      fullCalls(state, hasSchedule: true)
    } else {
      calls(state, style)
    }
    if let lag = style.lag { wire.number(Field.timestamp, instant - lag) }
    wire.close(update)
    wire.close(entity)
  }

  /// Writes what is known of the extra run beside a run, if anything.
  mutating func extra(
    _ scenario: TripScenario,
    _ extra: TripScenario.Extra,
    id: String,
    headsign: UnsafeRawBufferPointer,
    _ state: RunState
  ) {
    guard state.phase == .extra else { return }
    let entity = open(scenario, suffix: "~extra")
    let update = wire.open(Field.tripUpdate)
    let trip = wire.open(Field.trip)
    let isCopy = extra.kind == .duplicated
    let startTime = startTime(of: scenario, offset: extra.offset)
    if isCopy {
      wire.text(1, timetable.tripId(of: scenario.run.trip))
    } else {
      wire.text(1, id)
      wire.text(2, startTime)
    }
    wire.text(3, dayText)
    let relationship: Relationship =
      isCopy ? .duplicated : extra.kind == .new ? .new : .added
    wire.number(4, relationship.rawValue)
    wire.text(5, timetable.routeId(of: scenario.run.trip))
    wire.close(trip)
    if isCopy {
      calls(state, TripScenario.Style())
    } else {
      fullCalls(state, hasSchedule: extra.kind == .new)
    }
    let properties = wire.open(Field.properties)
    if isCopy {
      wire.text(1, id)
      wire.text(2, dayText)
      wire.text(3, startTime)
    }
    if headsign.count > 0, !isCopy { wire.text(5, headsign) }
    if extra.kind == .substitute { wire.text(6, "EV") }
    wire.close(properties)
    wire.close(update)
    wire.close(entity)
  }

  /// Begins an entity whose id is the same in every publication.
  mutating func open(_ scenario: TripScenario, suffix: String) -> Int {
    if scenario.run.day != day {
      day = scenario.run.day
      dayText = day.description.replacing("-", with: "")
    }
    let entity = wire.open(Field.entity)
    var id = dayText + "."
    id += String(decoding: timetable.tripId(of: scenario.run.trip), as: UTF8.self)
    if scenario.isFrequency { id += "." + startTime(of: scenario, offset: 0) }
    wire.text(Field.entityID, id + suffix)
    return entity
  }

  func startTime(of scenario: TripScenario, offset: Int64) -> String {
    TimeOfDay.text(Int(scenario.start - scenario.dayStart + offset))
  }
}

// MARK: - Stops

extension TripUpdateWriter {
  /// Writes stop time updates relative to the timetable.
  private mutating func calls(_ state: RunState, _ style: TripScenario.Style) {
    var style = style
    // A trip that serves a stop twice needs the sequence; so does a stop that is replaced by
    // another.
    if !style.namesSequence, Self.needsSequence(state.calls) { style.namesSequence = true }
    var carried: Int32?
    for index in state.firstReported..<max(state.firstReported, state.calls.count) {
      let call = state.calls[index]
      let isFirst = call.position == 0
      let isLast = index == state.calls.count - 1
      if style.isSparse, let carried, call.status == .served, call.newPlatform == nil,
        call.arrivalDelay == carried, call.departureDelay == carried
      {
        continue
      }
      // Without data, nothing changes.
      if style.isSparse, call.status == .noData, index > state.firstReported,
        state.calls[index - 1].status == .noData
      {
        continue
      }
      let update = wire.open(Field.stopTimeUpdate)
      if style.namesSequence { wire.number(1, Int64(call.sequence)) }
      if call.status == .served {
        let alone =
          style.prefersArrivals && !isFirst && call.arrivalDelay == call.departureDelay
        if !isFirst {
          event(2, delay: call.arrivalDelay, time: call.arrival, style)
        }
        if !isLast, !alone { event(3, delay: call.departureDelay, time: call.departure, style) }
        carried = isLast || alone ? call.arrivalDelay : call.departureDelay
      } else {
        carried = nil
      }
      // Half of all producers give a new platform in stop_id, half in assigned_stop_id.
      let saysAssigned = call.newPlatform != nil && !style.hasTime
      if style.namesStop || call.newPlatform != nil {
        let stop = saysAssigned ? call.stop : call.newPlatform ?? call.stop
        wire.text(4, timetable.id(of: stop))
      }
      switch call.status {
      case .served: break
      case .skipped: wire.number(5, 1)
      case .noData: wire.number(5, 2)
      }
      if saysAssigned, let platform = call.newPlatform {
        let properties = wire.open(6)
        wire.text(1, timetable.id(of: platform))
        wire.close(properties)
      }
      wire.close(update)
    }
  }

  /// Writes all stop times of a run that is not in the timetable.
  private mutating func fullCalls(_ state: RunState, hasSchedule: Bool) {
    for (index, call) in state.calls.enumerated() {
      let update = wire.open(Field.stopTimeUpdate)
      wire.number(1, Int64(call.sequence))
      if index > 0 {
        event(2, time: call.arrival, scheduled: hasSchedule ? call.scheduledArrival : nil)
      }
      if index < state.calls.count - 1 {
        event(3, time: call.departure, scheduled: hasSchedule ? call.scheduledDeparture : nil)
      }
      wire.text(4, timetable.id(of: call.stop))
      wire.close(update)
    }
  }

  private static func needsSequence(_ calls: [RunCall]) -> Bool {
    if calls.contains(where: { $0.newPlatform != nil }) { return true }
    return Set(calls.lazy.map(\.stop)).count < calls.count
  }

  private mutating func event(
    _ field: UInt64,
    delay: Int32,
    time: Int64,
    _ style: TripScenario.Style
  ) {
    let event = wire.open(field)
    if style.hasDelay { wire.number(1, Int64(delay)) }
    if style.hasTime { wire.number(2, time) }
    if let uncertainty = style.uncertainty { wire.number(3, Int64(uncertainty)) }
    wire.close(event)
  }

  private mutating func event(_ field: UInt64, time: Int64, scheduled: Int64?) {
    let event = wire.open(field)
    wire.number(2, time)
    if let scheduled { wire.number(4, scheduled) }
    wire.close(event)
  }
}
