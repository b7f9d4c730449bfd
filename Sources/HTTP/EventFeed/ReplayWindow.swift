/// The events a server still has, and what it sends to a client that comes back.
public struct ReplayWindow: Hashable, Sendable {
  /// What a client gets before the live events.
  public enum Plan: Hashable, Sendable {
    /// A snapshot: the client is new, or what it missed is gone.
    case snapshot
    /// The events of these numbers.
    case replay(ClosedRange<Int64>)
    /// Nothing: the client has everything.
    case live
  }

  /// The epoch the server counts in; empty in a stream without epochs.
  public var epoch: String
  /// The number of the oldest event that is still there, or the next one if there is none.
  public var oldest: Int64
  /// The number of the newest event, `oldest - 1` if there is none.
  public var newest: Int64

  /// Creates a window.
  ///
  /// - Parameters:
  ///   - epoch: The epoch the server counts in.
  ///   - oldest: The number of the oldest event that is still there.
  ///   - newest: The number of the newest event.
  public init(epoch: String = "", oldest: Int64, newest: Int64) {
    self.epoch = epoch
    self.oldest = oldest
    self.newest = newest
  }

  /// Decides what a client gets.
  ///
  /// A client that claims a number the server has not reached speaks of another life of the stream
  /// and gets a snapshot.
  ///
  /// - Parameter lastEventID: What the client sent; empty if it sent nothing.
  /// - Returns: What goes before the live events.
  public func plan(after lastEventID: String) -> Plan {
    guard let last = EventNumber(id: lastEventID), last.epoch == epoch, last.number <= newest
    else { return .snapshot }
    if last.number == newest { return .live }
    return last.number + 1 < oldest ? .snapshot : .replay(last.number + 1...newest)
  }
}
