/// The update of one stop of a trip (`StopTimeUpdate`), packed into 56 bytes.
///
/// It is linked to the timetable by ``stopSequence``, by ``stopID`` or by both.
package struct StopTimeUpdate: Hashable, Sendable {
  @usableFromInline struct Flags: OptionSet, Hashable, Sendable {
    @usableFromInline var rawValue: UInt16
    @inlinable init(rawValue: UInt16) { self.rawValue = rawValue }

    @usableFromInline static let arrival = Flags(rawValue: 1)
    @usableFromInline static let arrivalTime = Flags(rawValue: 2)
    @usableFromInline static let arrivalDelay = Flags(rawValue: 4)
    @usableFromInline static let arrivalUncertainty = Flags(rawValue: 8)
    @usableFromInline static let departure = Flags(rawValue: 16)
    @usableFromInline static let departureTime = Flags(rawValue: 32)
    @usableFromInline static let departureDelay = Flags(rawValue: 64)
    @usableFromInline static let departureUncertainty = Flags(rawValue: 128)
    @usableFromInline static let sequence = Flags(rawValue: 256)
  }

  @usableFromInline var arrivalTime: Int64 = 0
  @usableFromInline var departureTime: Int64 = 0
  @usableFromInline var arrivalDelay: Int32 = 0
  @usableFromInline var departureDelay: Int32 = 0
  @usableFromInline var arrivalUncertainty: Int32 = 0
  @usableFromInline var departureUncertainty: Int32 = 0
  @usableFromInline var sequence: UInt32 = 0
  @usableFromInline var stop: UInt32 = TextID.none
  @usableFromInline var assignedStop: UInt32 = TextID.none
  @usableFromInline var details: UInt32 = .max
  @usableFromInline var relationshipNumber: Int32 = 0
  @usableFromInline var flags: Flags = []

  init() {}

  /// `stop_sequence`: the stop's number in stop_times.txt.
  @inlinable package var stopSequence: UInt32? { flags.contains(.sequence) ? sequence : nil }

  /// `stop_id`: the stop, as in stops.txt.
  @inlinable package var stopID: TextID? {
    stop == TextID.none ? nil : TextID(number: stop)
  }

  /// `assigned_stop_id`: where the vehicle stops instead, within the same station: a platform change.
  @inlinable package var assignedStopID: TextID? {
    assignedStop == TextID.none ? nil : TextID(number: assignedStop)
  }

  /// How the stop time relates to the timetable.
  @inlinable package var relationship: StopScheduleRelationship {
    StopScheduleRelationship(number: relationshipNumber)
  }

  /// The arrival; `nil` if the update has none, empty if it has one that says nothing.
  @inlinable package var arrival: StopTimeEvent? {
    guard flags.contains(.arrival) else { return nil }
    return StopTimeEvent(
      time: flags.contains(.arrivalTime) ? arrivalTime : nil,
      delay: flags.contains(.arrivalDelay) ? arrivalDelay : nil,
      uncertainty: flags.contains(.arrivalUncertainty) ? arrivalUncertainty : nil
    )
  }

  /// The departure; `nil` if the update has none, empty if it has one that says nothing.
  @inlinable package var departure: StopTimeEvent? {
    guard flags.contains(.departure) else { return nil }
    return StopTimeEvent(
      time: flags.contains(.departureTime) ? departureTime : nil,
      delay: flags.contains(.departureDelay) ? departureDelay : nil,
      uncertainty: flags.contains(.departureUncertainty) ? departureUncertainty : nil
    )
  }
}
