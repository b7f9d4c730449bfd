public import EventFeed

/// The newest changes of a resource, numbered without a gap; older ones are dropped.
public struct ChangeLog<Change: Sendable>: Sendable {
  /// The number of the newest change; 0 in its epoch before the first one.
  public private(set) var newest: EventNumber
  private var changes: [Change] = []
  private var first = 0
  private let most: Int

  /// Creates a log.
  ///
  /// - Parameters:
  ///   - epoch: Distinguishes the numbers of this log from those of another one.
  ///   - most: The most changes that are kept.
  public init(epoch: String, most: Int) {
    newest = EventNumber(0, epoch: epoch)
    self.most = max(0, most)
  }

  /// Appends a change.
  ///
  /// - Returns: Its number.
  @discardableResult
  public mutating func append(_ change: Change) -> EventNumber {
    newest = newest.next
    changes.append(change)
    if changes.count - first > most { first += 1 }
    // Dropped in blocks, so that an append takes constant time on average.
    if first > most {
      changes.removeFirst(first)
      first = 0
    }
    return newest
  }

  /// Returns the changes after a number, oldest first; `nil` if some are no longer kept, or the number is not one of
  /// this log.
  public func changes(since number: EventNumber) -> ArraySlice<Change>? {
    guard number.epoch == newest.epoch, number.number <= newest.number else { return nil }
    let kept = Int64(changes.count - first)
    let missing = newest.number - number.number
    guard missing <= kept else { return nil }
    return changes.suffix(Int(missing))
  }
}
