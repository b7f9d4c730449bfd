/// The events that a server still has, which determine what a returning client receives.
public struct ReplayWindow: Hashable, Sendable {
  /// What a client receives before the live events.
  public enum Plan: Hashable, Sendable {
    /// A snapshot: the client is new, or the events it missed are gone.
    case snapshot
    /// The events with these numbers.
    case replay(ClosedRange<Int64>)
    /// Nothing: the client has everything.
    case live
  }

  /// The epoch of the server; empty in a stream without epochs.
  public var epoch: String
  /// The number of the oldest event that is still available, or the next one without events.
  public var oldest: Int64
  /// The number of the newest event, or `oldest - 1` without events.
  public var newest: Int64

  /// Creates a window.
  ///
  /// - Parameters:
  ///   - epoch: The epoch of the server.
  ///   - oldest: The number of the oldest event that is still available.
  ///   - newest: The number of the newest event.
  public init(epoch: String = "", oldest: Int64, newest: Int64) {
    self.epoch = epoch
    self.oldest = oldest
    self.newest = newest
  }

  /// Returns what a client receives.
  ///
  /// - Parameter lastEventID: The id that the client sent; empty if it sent none.
  /// - Returns: What to send before the live events.
  public func plan(after lastEventID: String) -> Plan {
    plan(after: EventNumber(id: lastEventID))
  }

  /// Returns what a client receives.
  ///
  /// A client with a number that the server has not reached refers to another life of the stream
  /// and receives a snapshot.
  ///
  /// - Parameters:
  ///   - last: The number of the last event that the client has; `nil` if it has none.
  ///   - most: The most events that are replayed; a client that missed more receives a snapshot.
  /// - Returns: What to send before the live events.
  public func plan(after last: EventNumber?, atMost most: Int = .max) -> Plan {
    guard let last, last.epoch == epoch, last.number <= newest else { return .snapshot }
    if last.number == newest { return .live }
    guard last.number + 1 >= oldest, newest - last.number <= Int64(most) else { return .snapshot }
    return .replay(last.number + 1...newest)
  }
}
