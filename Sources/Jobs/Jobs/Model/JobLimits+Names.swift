extension JobLimits {
  /// The largest value that ``set(_:to:)`` takes.
  public static let largest = 1 << 31

  /// The names of all limits, in alphabetical order.
  public static var names: [String] { table.map(\.name).sorted() }

  private typealias Place = any WritableKeyPath<JobLimits, Int> & Sendable

  private static let table: [(name: String, place: Place)] = [
    ("csvBytes", \.csvBytes), ("csvRows", \.csvRows), ("books", \.books),
    ("titleCharacters", \.titleCharacters), ("authorCharacters", \.authorCharacters),
    ("isbnCharacters", \.isbnCharacters), ("booksBytes", \.booksBytes), ("photos", \.photos),
    ("photoBytes", \.photoBytes), ("openJobs", \.openJobs), ("runningJobs", \.runningJobs),
    ("uploads", \.uploads), ("uploadBytes", \.uploadBytes),
    ("uploadsWaiting", \.uploadsWaiting), ("uploadWaitSeconds", \.uploadWaitSeconds),
    ("uploadBytesPerSecond", \.uploadBytesPerSecond),
    ("uploadSlackSeconds", \.uploadSlackSeconds), ("uploadSeconds", \.uploadSeconds),
    ("resultSeconds", \.resultSeconds), ("tombstoneSeconds", \.tombstoneSeconds),
    ("tokenSeconds", \.tokenSeconds), ("tokenGraceSeconds", \.tokenGraceSeconds),
    ("idempotencySeconds", \.idempotencySeconds), ("idempotencyBytes", \.idempotencyBytes),
    ("pageItems", \.pageItems), ("pageItemsByDefault", \.pageItemsByDefault),
    ("replayedEvents", \.replayedEvents), ("listenersOfJob", \.listenersOfJob),
    ("listeners", \.listeners), ("incomingBytes", \.incomingBytes),
    ("noticesPerMinute", \.noticesPerMinute), ("waitingMessages", \.waitingMessages),
    ("recentMessages", \.recentMessages), ("embeddedItems", \.embeddedItems),
    ("heartbeatSeconds", \.heartbeatSeconds), ("pollSeconds", \.pollSeconds),
    ("stuckSeconds", \.stuckSeconds), ("lockedSeconds", \.lockedSeconds),
    ("sweepSeconds", \.sweepSeconds), ("leaseSeconds", \.leaseSeconds),
    ("crashesOfJob", \.crashesOfJob), ("tokensOfJob", \.tokensOfJob),
    ("startsAtOnce", \.startsAtOnce), ("attemptsOfJob", \.attemptsOfJob),
    ("leastRetrySeconds", \.leastRetrySeconds), ("mostRetrySeconds", \.mostRetrySeconds),
    ("scheduleSeconds", \.scheduleSeconds), ("scheduledJobs", \.scheduledJobs),
    ("priorityStepSeconds", \.priorityStepSeconds), ("deadLetters", \.deadLetters),
    ("startsPerMinute", \.startsPerMinute), ("startsAtOnceOfClient", \.startsAtOnceOfClient),
    ("startsPerMinuteOfClient", \.startsPerMinuteOfClient),
  ]

  /// Sets a limit by its name.
  ///
  /// - Parameters:
  ///   - name: The name, one of ``names``.
  ///   - value: The value, 1 to ``largest``.
  /// - Returns: Whether there is such a limit and the value is within its bounds.
  public mutating func set(_ name: String, to value: Int) -> Bool {
    guard (1...Self.largest).contains(value),
      let place = Self.table.first(where: { $0.name == name })?.place
    else { return false }
    self[keyPath: place] = value
    return true
  }
}
