/// What is known of the server's clock minus the device's timeline, in milliseconds (R37).
struct ClockSpan: Hashable, Sendable {
  var least: Int64
  var most: Int64
}
