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

  /// Reads an instant of RFC 3339; `nil` if the text is none.
  package init?(_ text: String) {
    guard let seconds = InstantText.read(text) else { return nil }
    milliseconds = Int64((seconds * 1_000).rounded())
  }

  /// The instant in UTC, with milliseconds, as RFC 3339 writes it.
  package var text: String { InstantText.write(Double(milliseconds) / 1_000 + 0.000_1) }

  /// The instant some milliseconds later.
  package func advanced(by milliseconds: Int64) -> WallTime {
    WallTime(milliseconds: self.milliseconds + milliseconds)
  }

  /// Milliseconds from another instant to this one; negative if the other is later.
  package func milliseconds(since other: WallTime) -> Int64 {
    milliseconds - other.milliseconds
  }

  /// Whether one instant is before another.
  package static func < (one: WallTime, other: WallTime) -> Bool {
    one.milliseconds < other.milliseconds
  }
}
