import Freshness

/// A refresh request as the oracle tracks it: from the event to the request that carries it out.
struct Want: Hashable, Sendable {
  var reason: RefreshRequest.Reason
  var isForced = false
  var isUnconditional = false
  var showsLoading = false
  /// Whether it is the one retry after a response without a body (R17).
  var isRecovery = false
  /// Whether it is the one repetition after a response that may not have what was asked for (R33, R38).
  var isRepetition = false

  /// Whether it only says that the copy is out of date (R33).
  var isChangeNotice: Bool { reason == .change && !isForced && !isUnconditional && !isRecovery }

  /// Whether the user or the device requests it now (R40).
  var isImpatient: Bool { reason == .person || reason == .catchUp }

  static let schedule = Want(reason: .schedule)

  /// R2: the stronger reason wins, and no flag is lost.
  func and(_ other: Want?) -> Want {
    guard let other else { return self }
    return Want(
      reason: reason.rawValue >= other.reason.rawValue ? reason : other.reason,
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
  init(_ refresh: RefreshRequest) {
    reason = refresh.reason
    isForced = refresh.isForced
    isUnconditional = refresh.isUnconditional
    showsLoading = refresh.showsLoading
  }
}
