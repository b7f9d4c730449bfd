/// A position in the events of a job.
public struct EventPosition: Hashable, Comparable, Sendable {
  /// The log that the numbers belong to; a log that was lost and recreated has a new value.
  public var epoch: Int64
  /// The number of the last event, from 1; 0 before the first.
  public var seq: Int64

  /// Creates a position.
  public init(epoch: Int64, seq: Int64) {
    self.epoch = epoch
    self.seq = seq
  }

  /// Orders by epoch and then by number.
  public static func < (left: EventPosition, right: EventPosition) -> Bool {
    (left.epoch, left.seq) < (right.epoch, right.seq)
  }
}
