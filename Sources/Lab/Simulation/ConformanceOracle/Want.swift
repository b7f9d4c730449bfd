import Freshness

/// A refresh request as the oracle tracks it: from the event to the request that carries it out.
struct Want: Hashable, Sendable {
  var origin: RefreshRequest.Origin
  var isForced = false
  var isUnconditional = false
  var showsLoading = false
  /// Whether it is the one retry after a response without a body (R17).
  var isRecovery = false
  /// Whether it is the one repetition after a response that may not have what was asked for (R33, R38).
  var isRepetition = false

  /// Whether it only says that the copy is out of date (R33).
  var isNews: Bool { origin == .change && !isForced && !isUnconditional && !isRecovery }

  /// Whether the user or the device requests it now (R40).
  var isImpatient: Bool { origin == .person || origin == .catchUp }

  static let schedule = Want(origin: .schedule)

  /// R2: the stronger origin wins, and no flag is lost.
  func and(_ other: Want?) -> Want {
    guard let other else { return self }
    return Want(
      origin: origin.rawValue >= other.origin.rawValue ? origin : other.origin,
      isForced: isForced || other.isForced,
      isUnconditional: isUnconditional || other.isUnconditional,
      showsLoading: showsLoading || other.showsLoading,
      isRecovery: isRecovery || other.isRecovery,
      // R33: of one that repeats and one that does not, the response may be repeated.
      isRepetition: isRepetition && other.isRepetition
    )
  }
}

extension Want {
  init(_ wish: RefreshRequest) {
    origin = wish.origin
    isForced = wish.isForced
    isUnconditional = wish.isUnconditional
    showsLoading = wish.showsLoading
  }
}
