/// Decides which worktrees are looked at when, as a pure machine.
///
/// Invariants:
/// 1. Of one key at most one look runs at a time, and looks begin at least ``spacing`` seconds apart.
/// 2. At most ``most`` looks run at a time that began less than ``patience`` seconds ago, and at most four times as many
///    in all: what hangs holds up nobody.
/// 3. Whoever asks gets a look that begins after the request; requests for one key that wait are one.
/// 4. Of keys that may begin, the one that has waited longest begins first.
public struct RefreshBudget<Key: Hashable & Sendable>: Sendable {
  private struct Entry {
    var began: Double?
    var isRunning = false
    /// When somebody asked, and in which order.
    var asked: (at: Double, order: UInt64)?
  }

  /// The seconds between the beginnings of two looks at one key.
  public let spacing: Double
  /// The most looks at a time.
  public let most: Int
  /// After how many seconds a look that runs makes room for another one.
  public let patience: Double
  private var entries: [Key: Entry] = [:]
  private var order: UInt64 = 0
  /// How many looks run.
  public private(set) var running = 0

  /// Creates a budget.
  public init(spacing: Double, most: Int, patience: Double = .infinity) {
    self.patience = patience
    self.spacing = max(0, spacing)
    self.most = max(1, most)
  }

  /// How many keys wait.
  public var waiting: Int { entries.values.count { $0.asked != nil } }

  /// When a look at a key begins at the earliest.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - now: The moment.
  ///   - asked: When it will be asked for, if it is not yet.
  /// - Returns: `now` if it runs; `nil` if nobody asks.
  public func begins(_ key: Key, at now: Double, asked: Double?) -> Double? {
    if entries[key]?.isRunning == true { return now }
    let times = [entries[key]?.asked?.at, asked].compactMap(\.self)
    guard let first = times.min() else { return nil }
    return max(first, now, entries[key]?.began.map { $0 + spacing } ?? now)
  }

  /// Asks for a look at a key.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - now: When it may begin; the earliest of several requests counts.
  public mutating func request(_ key: Key, at now: Double) {
    if let asked = entries[key]?.asked {
      if now < asked.at { entries[key]?.asked?.at = now }
      return
    }
    order += 1
    entries[key, default: Entry()].asked = (now, order)
  }

  /// The keys whose looks begin now.
  public mutating func begin(at now: Double) -> [Key] {
    let room = min(most - young(at: now), most * 4 - running)
    guard room > 0 else { return [] }
    let ready = entries.filter { due($0.value).map { $0 <= now } ?? false }
    let first = ready.sorted { ($0.value.asked?.order ?? 0) < ($1.value.asked?.order ?? 0) }
      .prefix(room)
    for (key, _) in first {
      entries[key]?.asked = nil
      entries[key]?.began = now
      entries[key]?.isRunning = true
      running += 1
    }
    return first.map(\.key)
  }

  /// A look has ended, however it went.
  public mutating func end(_ key: Key) {
    guard entries[key]?.isRunning == true else { return }
    entries[key]?.isRunning = false
    running -= 1
  }

  /// Forgets a key that does not run.
  public mutating func forget(_ key: Key) {
    guard entries[key]?.isRunning == false else {
      entries[key]?.asked = nil
      return
    }
    entries[key] = nil
  }

  /// When the next look may begin if none ends before; nothing if nobody waits for time alone.
  public var deadline: Double? {
    guard running < most * 4, let first = entries.values.compactMap({ due($0) }).min() else {
      return nil
    }
    guard running >= most else { return first }
    guard patience < .infinity else { return nil }
    // The room that the youngest look but so many leaves when it has run for long.
    let began = entries.values.filter(\.isRunning).compactMap(\.began).sorted(by: >)
    return max(first, began[most - 1] + patience)
  }

  private func young(at now: Double) -> Int {
    running < most
      ? running
      : entries.values.count { $0.isRunning && ($0.began ?? now) > now - patience }
  }

  private func due(_ entry: Entry) -> Double? {
    guard !entry.isRunning, let asked = entry.asked else { return nil }
    return max(asked.at, entry.began.map { $0 + spacing } ?? asked.at)
  }
}
