/// Up to which event the subscribers of each job were notified, and from where events are read for them (rule JL9).
///
/// Events are always read after the last one that was relayed, whatever was announced. So they reach subscribers in the
/// order of the log, and those that could not be read, or that were not announced, come with the next one.
struct RelayPositions: Sendable {
  /// Events to read.
  struct Read: Hashable, Sendable {
    var job: String
    /// The number of the event after which to read.
    var after: Int64
  }

  /// By job that has subscribers: the number of the last event that was relayed, and `nil` before the first.
  private var positions: [String: Int64?] = [:]
  /// Whether something could not be read.
  private var isBehind = false

  init() {}

  /// Notes that a job has a subscriber, which reads what is stored after that.
  mutating func follow(_ job: String) {
    if positions[job] == nil { positions[job] = .some(nil) }
  }

  /// Notes that a job has no subscriber any more.
  mutating func unfollow(_ job: String) { positions[job] = nil }

  /// Notes that an event is stored.
  ///
  /// - Returns: What to read; `nil` if the job has no subscribers, or they have the event.
  mutating func announced(_ job: String, _ seq: Int64) -> Read? {
    guard let position = positions[job], position.map({ $0 < seq }) ?? true else { return nil }
    // Subscribers read by themselves what was stored before they subscribed. If this event cannot be read now, the next
    // one brings it.
    let after = position ?? seq - 1
    positions[job] = after
    return Read(job: job, after: after)
  }

  /// Notes that announcements may be missing, or that reads failed.
  ///
  /// - Returns: What to read.
  mutating func missed() -> [Read] {
    isBehind = false
    // What is announced next is relayed after what was missed, also if that cannot be read now.
    for (job, position) in positions { positions[job] = position ?? 0 }
    return positions.map { Read(job: $0, after: ($1 ?? 0)) }.sorted { $0.job < $1.job }
  }

  /// Notes that an event is relayed.
  ///
  /// - Returns: Whether the job has subscribers.
  mutating func relayed(_ job: String, _ seq: Int64) -> Bool {
    guard let position = positions[job] else { return false }
    positions[job] = max(position ?? 0, seq)
    return true
  }

  /// Notes that a read failed.
  mutating func failed() { isBehind = true }

  /// What to read again because reads failed.
  mutating func retry() -> [Read] { isBehind ? missed() : [] }
}
