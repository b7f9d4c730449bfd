package import StrictJSON

/// What reads the records of one format into what is known of a session.
package protocol AgentLog: Hashable, Sendable {
  /// The session so far.
  var session: AgentSession { get set }

  /// A log of which nothing was read.
  init(limits: AgentLimits)

  /// Reads one record.
  ///
  /// - Parameter record: The members of the record.
  /// - Returns: Whether its kind is known.
  mutating func handle(_ record: [String: JSONValue]) -> Bool
}

extension AgentLog {
  /// Notes when the log's file was written and read, before what came out of it is taken.
  mutating func note(writtenAt: WallTime?, readAt: WallTime?) {
    if let time = writtenAt?.bounded(writtenAt: readAt, readAt: nil),
      WallTime.plausible.contains(time.milliseconds)
    {
      session.writtenAt = time
    }
    session.readAt = readAt
  }

  /// Takes what came out of the log's file.
  package mutating func handle(_ finding: LogTail.Finding) {
    switch finding {
    case .line(let bytes):
      let rules = JSONReader.Rules.lenient(
        longest: session.limits.longestLine,
        deepest: session.limits.deepestRecord
      )
      guard case .object(let record)? = try? JSONReader.value(of: bytes, rules: rules) else {
        session.counts.invalid += 1
        session.missedRecord()
        return
      }
      if handle(record) {
        session.counts.known += 1
      } else {
        session.counts.unknown += 1
      }
    case .oversized:
      session.counts.oversized += 1
      session.missedRecord()
    case .skipped(let bytes):
      session.counts.skippedBytes = session.counts.skippedBytes.adding(bytes)
    case .restarted:
      let before = session
      self = Self(limits: before.limits)
      session.counts = before.counts
      session.counts.restarts += 1
      (session.writtenAt, session.readAt) = (before.writtenAt, before.readAt)
    }
  }
}
