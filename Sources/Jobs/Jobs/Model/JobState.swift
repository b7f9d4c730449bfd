/// The state of a job.
public enum JobState: String, CaseIterable, Hashable, Sendable {
  /// It is stored and waits to run.
  case queued
  /// It is running.
  case running
  /// It is running and will stop at the next item.
  case canceling
  /// It is complete.
  case succeeded
  /// It failed.
  case failed
  /// It was stopped on request.
  case canceled
  /// It ended some time ago; its results were removed.
  case expired

  /// Whether it will never run again.
  public var isTerminal: Bool {
    switch self {
    case .queued, .running, .canceling: false
    case .succeeded, .failed, .canceled, .expired: true
    }
  }

  /// Returns the state after a cause: the only place that defines the transitions.
  ///
  /// - Parameter cause: What happened.
  /// - Returns: The state, unchanged if the cause was applied before; `nil` if the transition is not allowed.
  public func after(_ cause: JobCause) -> JobState? {
    switch (self, cause) {
    case (.queued, .begin), (.running, .begin): .running
    // Begun again after a crash: the request to stop is still in effect.
    case (.canceling, .begin): .canceling
    case (.queued, .cancel): .canceled
    case (.running, .cancel), (.canceling, .cancel): .canceling
    case (.running, .succeed), (.canceling, .succeed): .succeeded
    case (.running, .retry): .queued
    case (.queued, .fail), (.running, .fail), (.canceling, .fail): .failed
    case (.canceling, .stop): .canceled
    case (.succeeded, .expire), (.failed, .expire), (.canceled, .expire), (.expired, .expire):
      .expired
    default: nil
    }
  }
}

/// A cause of a transition.
public enum JobCause: CaseIterable, Hashable, Sendable {
  /// Work begins, or begins again after a crash.
  case begin
  /// A client requests that it stops.
  case cancel
  /// Its pipeline has done everything.
  case succeed
  /// Its pipeline gave up.
  case fail
  /// An attempt failed, and another one follows later.
  case retry
  /// Its pipeline stopped because it was asked to.
  case stop
  /// Its time is over.
  case expire
}
