/// What waits for one subscriber to read on: in order, with a limit, and nothing but progress is left out.
///
/// When the queue is full, waiting progress is replaced by newer progress, which then says from which event on it
/// covers the others (``Entry/covers``). So a subscriber always gets the start, the newest progress and the end, and
/// can tell what was left out from what was lost.
public struct SubscriberQueue: Sendable {
  /// An event that waits.
  public struct Entry: Hashable, Sendable {
    /// The event.
    public var event: JobEvent
    /// The number of the first event it covers; its own if nothing was left out.
    public var covers: Int64
  }

  private var entries: [Entry] = []
  private let most: Int
  /// The last number that was taken in.
  public private(set) var last: Int64
  /// How many events were left out.
  public private(set) var skipped = 0

  /// Creates an empty queue.
  ///
  /// - Parameters:
  ///   - last: The number of the last event that the subscriber has.
  ///   - most: The most events that wait; at least 4.
  public init(after last: Int64, most: Int) {
    self.last = last
    self.most = max(4, most)
  }

  /// Whether nothing waits.
  public var isEmpty: Bool { entries.isEmpty }
  /// How many events wait.
  public var count: Int { entries.count }

  /// Takes an event in; one that was taken before is left out.
  ///
  /// - Parameter event: The event.
  public mutating func push(_ event: JobEvent) {
    guard event.position.seq > last else { return }
    last = event.position.seq
    var entry = Entry(event: event, covers: event.position.seq)
    if entries.count >= most {
      // The newest waiting progress is replaced: everything before it stays in order.
      if event.isProgress, let waiting = entries.last, waiting.event.isProgress {
        entry.covers = waiting.covers
        entries.removeLast()
        skipped += 1
      } else if let place = entries.firstIndex(where: { $0.event.isProgress }) {
        let gone = entries.remove(at: place)
        if place < entries.count {
          entries[place].covers = gone.covers
        } else {
          entry.covers = gone.covers
        }
        skipped += 1
      }
    }
    entries.append(entry)
  }

  /// The newest event that waits.
  public var newest: JobEvent? { entries.last?.event }

  /// Takes the next event out.
  ///
  /// - Parameter number: The number of the last event that the subscriber has: it subscribes before it reads what is stored,
  ///   so that events may reach it both ways (rule JL9).
  /// - Returns: The next event that it does not have; `nil` if none waits.
  public mutating func pop(after number: Int64 = 0) -> Entry? {
    let known = entries.prefix { $0.event.position.seq <= number }.count
    guard known < entries.count else {
      entries.removeAll()
      return nil
    }
    defer { entries.removeFirst(known + 1) }
    return entries[known]
  }
}
