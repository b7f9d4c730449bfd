/// What is known of the server's clock minus the device's timeline, in milliseconds (R37).
struct ClockSpan: Hashable, Sendable {
  var least: Int64
  var most: Int64
  /// Whether it may be even later: only ways that no request measured bound it.
  var isOpen = false
}

/// Responses in a row that show one earlier time (R37): their number, the quarters of a second that they took, and how
/// far behind they are at least, in tenths of a second.
struct ClockDoubts: Hashable, Sendable {
  var count: Int64
  var quarters: Int64
  var nearest: Int64
}
