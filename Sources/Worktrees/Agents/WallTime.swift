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

  /// The instants that a clock of an agent can have shown: the years 2000 to 2099, in milliseconds since 1970.
  ///
  /// Everything else that a file gives as a time is none: seconds, micro- and nanoseconds are taken for
  /// milliseconds by nobody.
  package static let plausible: ClosedRange<Int64> = 946_684_800_000...4_102_444_799_999

  /// How much later than its file was last written a record may have been made, in milliseconds: the
  /// longest step of a file system's clock.
  package static let clockStep: Int64 = 2_000

  /// An instant that a file gives; `nil` if no clock can have shown it.
  ///
  /// - Parameter milliseconds: Milliseconds since 1970-01-01T00:00:00Z.
  package init?(told milliseconds: Int64) {
    guard Self.plausible.contains(milliseconds) else { return nil }
    self.milliseconds = milliseconds
  }

  /// Reads an instant of RFC 3339; `nil` if the text is none, or one that no clock can have shown.
  package init?(_ text: String) {
    guard let seconds = InstantText.read(text) else { return nil }
    self.init(told: Int64((seconds * 1_000).rounded()))
  }

  /// The instant, unless the clock that told it is ahead: then the one at which its file was written.
  ///
  /// - Parameters:
  ///   - writtenAt: When the file was last written; `nil` if nobody knows.
  ///   - readAt: When it was read; `nil` if nobody knows.
  /// - Returns: An instant that is not much later than either.
  package func bounded(writtenAt: WallTime?, readAt: WallTime?) -> WallTime {
    // A file's time that no clock can have shown was set by somebody, and says nothing.
    guard let writtenAt, writtenAt.milliseconds >= Self.plausible.lowerBound else {
      return readAt.map { min(self, $0) } ?? self
    }
    guard let readAt else {
      return milliseconds(since: writtenAt) > Self.clockStep ? writtenAt : self
    }
    // What is written while it is read is a little later than the moment; what is much later is no time.
    let written = writtenAt.milliseconds(since: readAt) > Self.clockStep ? readAt : writtenAt
    let isAhead =
      milliseconds(since: written) > Self.clockStep || self > max(readAt, written)
    return isAhead ? written : self
  }

  /// The instant in UTC, with milliseconds, as RFC 3339 writes it.
  package var text: String { InstantText.write(Double(milliseconds) / 1_000 + 0.000_1) }

  /// The instant some milliseconds later; the last one there is if that is beyond it.
  package func advanced(by milliseconds: Int64) -> WallTime {
    WallTime(milliseconds: self.milliseconds.adding(milliseconds))
  }

  /// Milliseconds from another instant to this one; negative if the other is later.
  ///
  /// What does not fit into a number is the greatest or the least one.
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
  /// The sum; the greatest or the least number if it does not fit.
  package func adding(_ other: Int64) -> Int64 {
    let (sum, overflows) = addingReportingOverflow(other)
    guard overflows else { return sum }
    return other < 0 ? .min : .max
  }
}
