/// The event stream as required by the rules (R33).
enum Stream: Hashable, Sendable {
  case off
  case opening(until: Int64)
  case live(since: Int64, silentAt: Int64)
  case waiting(least: Int64, most: Int64)
  /// R40: none is wanted any more, and none was stable.
  case closed

  var isLive: Bool {
    if case .live = self { return true }
    return false
  }

  func isOverdue(at now: Int64) -> Bool {
    switch self {
    case .off, .closed, .waiting: false
    case .opening(let until): until <= now
    case .live(_, let silentAt): silentAt <= now
    }
  }
}
