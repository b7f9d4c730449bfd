/// How exact the scheduled time of a stop is.
package enum TimeCertainty: Hashable, Sendable {
  /// The feed gives a time.
  case exact
  /// The feed gives a time that vehicles keep to: they do not leave before it (timepoint 1).
  case timepoint
  /// The feed gives no time, or one that it calls approximate (timepoint 0).
  case interpolated
}

extension Timetable {
  /// How exact the time of a stop of a trip is, as stop_times.txt has it; `nil` if the file does not say.
  package func certainty(_ position: Int, of trip: Trip) -> TimeCertainty? {
    let attributes = attributes(position, of: trip)
    if attributes.isRough { return .interpolated }
    // A timetable imported by a program that did not read timepoint has times of which it is not known.
    guard metadata.hasTimepoints == true else { return nil }
    return attributes.isTimepoint && !attributes.isInterpolated ? .timepoint : .exact
  }

  /// The most seconds by which the departure of a stop may be off.
  ///
  /// The vehicle leaves between its departure from the last stop before with an exact time, and its arrival at the next
  /// one.
  ///
  /// - Returns: The seconds; `nil` if the time is exact, or if no stop before or after has an exact time within
  ///   ``certaintyReach`` stops.
  package func uncertainty(_ position: Int, of trip: Trip) -> Int32? {
    guard attributes(position, of: trip).isRough else { return nil }
    let record = image.trips[Int(trip)]
    let pattern = image.patterns[Int(record.pattern)]
    let first = Int(pattern.first)
    let profile = Int(record.profile)
    let before = (max(0, position - Self.certaintyReach)..<position).last {
      !image.patternAttributes[first + $0].isRough
    }
    let after = (position + 1..<min(Int(pattern.count), position + 1 + Self.certaintyReach)).first {
      !image.patternAttributes[first + $0].isRough
    }
    guard let before, let after else { return nil }
    let time = image.profileTimes[profile + position].departure
    return max(
      0,
      time - image.profileTimes[profile + before].departure,
      image.profileTimes[profile + after].arrival - time
    )
  }

  /// The most stops on each side among which one with an exact time is searched for.
  package static let certaintyReach = 256

  /// pickup_type of a stop of a trip: 0 to 3.
  package func pickupType(_ position: Int, of trip: Trip) -> UInt8 {
    attributes(position, of: trip).pickupType
  }

  private func attributes(_ position: Int, of trip: Trip) -> StopTimeAttributes {
    let pattern = image.patterns[Int(image.trips[Int(trip)].pattern)]
    return image.patternAttributes[Int(pattern.first) + position]
  }
}
