/// Where a job stands.
public enum JobState: String, CaseIterable, Hashable, Sendable {
  /// It is stored and waits for its turn.
  case queued
  /// It is worked on.
  case running
  /// It is worked on and shall stop at the next item.
  case canceling
  /// It is done.
  case succeeded
  /// It ended before it was done, for a reason of its own.
  case failed
  /// It was stopped because somebody asked.
  case canceled
  /// It ended some time ago; its results are gone.
  case expired

  /// Whether it will never work again.
  public var isTerminal: Bool {
    switch self {
    case .queued, .running, .canceling: false
    case .succeeded, .failed, .canceled, .expired: true
    }
  }

  /// The state after something happened: the one place that says what may follow what.
  ///
  /// - Parameter cause: What happened.
  /// - Returns: The state, the same one for what has happened before; nothing if it cannot happen here.
  public func after(_ cause: JobCause) -> JobState? {
    switch (self, cause) {
    case (.queued, .begin), (.running, .begin): .running
    // Begun again after a crash: the wish to stop is still there.
    case (.canceling, .begin): .canceling
    case (.queued, .cancel): .canceled
    case (.running, .cancel), (.canceling, .cancel): .canceling
    case (.running, .succeed), (.canceling, .succeed): .succeeded
    case (.queued, .fail), (.running, .fail), (.canceling, .fail): .failed
    case (.canceling, .stop): .canceled
    case (.succeeded, .expire), (.failed, .expire), (.canceled, .expire), (.expired, .expire):
      .expired
    default: nil
    }
  }
}

/// What happens to a job.
public enum JobCause: CaseIterable, Hashable, Sendable {
  /// Work begins, or begins again after a crash.
  case begin
  /// Somebody asks it to stop.
  case cancel
  /// Its pipeline has done everything.
  case succeed
  /// Its pipeline gave up.
  case fail
  /// Its pipeline stopped because it was asked to.
  case stop
  /// Its time is over.
  case expire
}
