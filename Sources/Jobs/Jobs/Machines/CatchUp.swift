/// What a listener gets before new events: the events it missed, or the state in their place.
public enum CatchUp: Hashable, Sendable {
  /// The events after a number, all of them.
  case events(after: Int64, isRecovered: Bool)
  /// The state; after it, if the job is over, its last event.
  case state

  /// The contents of an event log.
  public struct Log: Hashable, Sendable {
    /// Which log it is.
    public var epoch: Int64
    /// The number of the first event that is still there.
    public var first: Int64
    /// The number of the last one; one less than the first for an empty log.
    public var last: Int64

    /// Creates a description of a log.
    public init(epoch: Int64, first: Int64, last: Int64) {
      self.epoch = epoch
      self.first = first
      self.last = last
    }
  }

  /// Decides what a listener gets.
  ///
  /// A position of another log, before its beginning or behind its end cannot be gone on from: then it is
  /// the state, as it is for a listener that missed too much.
  ///
  /// - Parameters:
  ///   - asked: The last event that the listener has; `nil` if it has none.
  ///   - log: The stored events.
  ///   - most: The most events that are sent one by one.
  public init(from asked: EventPosition?, in log: Log, most: Int) {
    let after = asked?.seq ?? 0
    let isOfThisLog = asked.map { $0.epoch == log.epoch || $0.seq == 0 } ?? true
    guard isOfThisLog, after >= log.first - 1, after <= log.last, log.last - after <= Int64(most)
    else {
      self = .state
      return
    }
    self = .events(after: after, isRecovered: asked != nil)
  }
}
