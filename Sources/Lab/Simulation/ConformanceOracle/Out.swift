import Freshness

/// A request in flight.
struct Out: Sendable {
  var request: Request
  var want: Want
  var startedAt: Int64
  /// When the request before was ordered.
  var previousStart: Int64?
  var deadline: Int64
  var followUp: Want?
  /// R39: whether it is a long poll that was sent as an ordinary request.
  var isNotHeld = false
  /// R39: whether it was sent, or still waited, after it was ordered.
  var isProlonged = false
}
