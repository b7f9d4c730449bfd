import ConditionalHTTP

/// An instant of the wall clock, in milliseconds since 1970-01-01T00:00:00Z.
///
/// Agents write wall-clock times into their logs; nothing here reads a clock.
package struct WallTime: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  package var milliseconds: Int64

  /// An instant.
  ///
  /// - Parameter milliseconds: Milliseconds since 1970-01-01T00:00:00Z.
  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// The instants that the clock of an agent can plausibly show: the years 2000 to 2099, in milliseconds since 1970.
  ///
  /// Any other time in a file is ignored, so seconds, micro- and nanoseconds are never mistaken for milliseconds.
  package static let plausible: ClosedRange<Int64> = 946_684_800_000...4_102_444_799_999

  /// The longest time by which a record may be later than the last write of its file, in milliseconds:
  /// the granularity of a file system's clock.
  package static let clockStep: Int64 = 2_000

  /// Creates an instant that a file gives; `nil` if it is not plausible.
  ///
  /// - Parameter milliseconds: Milliseconds since 1970-01-01T00:00:00Z.
  package init?(told milliseconds: Int64) {
    guard Self.plausible.contains(milliseconds) else { return nil }
    self.milliseconds = milliseconds
  }

  /// Reads an RFC 3339 instant; `nil` if the string is not an instant, or not a plausible one.
  package init?(_ text: String) {
    guard let seconds = InstantText.read(text) else { return nil }
    self.init(told: Int64((seconds * 1_000).rounded()))
  }

  /// Returns the instant, or when its file was written if its clock is ahead.
  ///
  /// - Parameters:
  ///   - writtenAt: When the file was last written; `nil` if unknown.
  ///   - readAt: When it was read; `nil` if unknown.
  /// - Returns: An instant not much later than either.
  package func bounded(writtenAt: WallTime?, readAt: WallTime?) -> WallTime {
    // An implausible file time was set by hand and says nothing.
    guard let writtenAt, writtenAt.milliseconds >= Self.plausible.lowerBound else {
      return readAt.map { min(self, $0) } ?? self
    }
    guard let readAt else {
      return milliseconds(since: writtenAt) > Self.clockStep ? writtenAt : self
    }
    // A file written during the read is slightly later than now; a time much later is not valid.
    let written = writtenAt.milliseconds(since: readAt) > Self.clockStep ? readAt : writtenAt
    let isAhead =
      milliseconds(since: written) > Self.clockStep || self > max(readAt, written)
    return isAhead ? written : self
  }

  /// The instant in RFC 3339 format, in UTC with milliseconds.
  package var text: String { InstantText.write(Double(milliseconds) / 1_000 + 0.000_1) }

  /// The instant some milliseconds later, limited to the last one that fits.
  package func advanced(by milliseconds: Int64) -> WallTime {
    WallTime(milliseconds: self.milliseconds.adding(milliseconds))
  }

  /// Milliseconds from another instant to this one; negative if the other is later.
  ///
  /// The result is limited to the numbers that fit.
  package func milliseconds(since other: WallTime) -> Int64 {
    let (difference, overflows) = milliseconds.subtractingReportingOverflow(other.milliseconds)
    guard overflows else { return difference }
    return milliseconds < other.milliseconds ? .min : .max
  }

  /// Whether one instant is before another.
  package static func < (one: WallTime, other: WallTime) -> Bool {
    one.milliseconds < other.milliseconds
  }
}

extension Int64 {
  /// Returns the sum, limited to the numbers that fit.
  package func adding(_ other: Int64) -> Int64 {
    let (sum, overflows) = addingReportingOverflow(other)
    guard overflows else { return sum }
    return other < 0 ? .min : .max
  }
}
