/// Decides when each worktree is scanned, as a pure machine.
///
/// Invariants:
/// 1. Each key has at most one running scan, and its scans start at least ``spacing`` seconds apart.
/// 2. At most ``most`` running scans started less than ``patience`` seconds ago, and at most four times as many run in
///    all: a hanging scan delays no other.
/// 3. Every request gets a scan that starts after it; waiting requests for one key are combined.
/// 4. Of the keys whose scans may start, the one that has waited longest starts first.
public struct RefreshBudget<Key: Hashable & Sendable>: Sendable {
  private struct Entry {
    var began: Double?
    var isRunning = false
    /// When it was requested, and in which order.
    var asked: (at: Double, order: UInt64)?
  }

  /// The seconds between the starts of two scans of one key.
  public let spacing: Double
  /// The most concurrent scans.
  public let most: Int
  /// After how many seconds a running scan gives up its place.
  public let patience: Double
  private var entries: [Key: Entry] = [:]
  private var order: UInt64 = 0
  /// The number of running scans.
  public private(set) var running = 0

  /// Creates a budget.
  public init(spacing: Double, most: Int, patience: Double = .infinity) {
    self.patience = patience
    self.spacing = max(0, spacing)
    self.most = max(1, most)
  }

  /// The number of waiting keys.
  public var waiting: Int { entries.values.count { $0.asked != nil } }

  /// Returns the earliest start of a scan of a key.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - now: The current instant.
  ///   - asked: When it will be requested, if it is not yet.
  /// - Returns: `now` if it is running; `nil` if it is not requested.
  public func begins(_ key: Key, at now: Double, asked: Double?) -> Double? {
    if entries[key]?.isRunning == true { return now }
    let times = [entries[key]?.asked?.at, asked].compactMap(\.self)
    guard let first = times.min() else { return nil }
    return max(first, now, entries[key]?.began.map { $0 + spacing } ?? now)
  }

  /// Requests a scan of a key.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - now: When it may start; the earliest of several requests counts.
  public mutating func request(_ key: Key, at now: Double) {
    if let asked = entries[key]?.asked {
      if now < asked.at { entries[key]?.asked?.at = now }
      return
    }
    order += 1
    entries[key, default: Entry()].asked = (now, order)
  }

  /// Starts the scans that are due, and returns their keys.
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

  /// Ends a scan, whatever its result.
  public mutating func end(_ key: Key) {
    guard entries[key]?.isRunning == true else { return }
    entries[key]?.isRunning = false
    running -= 1
  }

  /// Forgets a key that has no running scan.
  public mutating func forget(_ key: Key) {
    guard entries[key]?.isRunning == false else {
      entries[key]?.asked = nil
      return
    }
    entries[key] = nil
  }

  /// When the next scan may start if none ends before; `nil` if no key waits for time alone.
  public var deadline: Double? {
    guard running < most * 4, let first = entries.values.compactMap({ due($0) }).min() else {
      return nil
    }
    guard running >= most else { return first }
    guard patience < .infinity else { return nil }
    // The next place becomes free when the `most`-th youngest running scan exceeds its patience.
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
