import EventFeed
import Jobs

extension EventPosition {
  /// Returns where a client continues in a log that ends with this event and still has all before it.
  ///
  /// - Parameters:
  ///   - asked: The last event that the client has; `nil` if it has none, so that it continues at the beginning.
  ///   - most: The most events that are sent one by one.
  /// - Returns: The number after which the client gets the events; `nil` if it gets the state in their place.
  func replayStart(for asked: EventPosition?, atMost most: Int) -> Int64? {
    // Before its first event, every log is the same.
    let asked = asked.flatMap { $0.seq > 0 ? $0 : nil } ?? EventPosition(epoch: epoch, seq: 0)
    let window = ReplayWindow(epoch: String(epoch), oldest: 1, newest: seq)
    return
      switch window.plan(after: EventNumber(asked.seq, epoch: String(asked.epoch)), atMost: most)
    {
    case .snapshot: nil
    case .replay(let numbers): numbers.lowerBound - 1
    case .live: seq
    }
  }
}
