/// What one server does to serve the timetables of the database: when it checks, what it fetches, and when it lets it serve.
///
/// A change of a feed has an id, which no other change has in any database, and a position, one sequence for all feeds in the
/// order of commits (ST3). A server takes the newest change of each feed (rule ST4), whatever its position: first it fetches the
/// generation that serves, lets it serve, and then fetches the others that are kept. A notification names a position; it may be
/// lost, so the server also checks periodically (ST5). What cannot be fetched changes nothing that serves (ST6).
///
/// A value without a clock or a random source. Times are those of a clock that never goes back, from any origin.
package struct TimetableFollower: Hashable, Sendable {
  /// The newest change of a feed.
  package struct Row: Hashable, Sendable {
    package var key: String
    /// The id of the change.
    package var change: Int64
    /// The position of the change.
    package var sequence: Int64
    /// The generation that serves; `nil` if the feed was taken out of service.
    package var serving: String?
    /// The kept generations that are not in the data folder, in the order in which they are fetched.
    package var missing: [String]
    /// The generation that waits for its first day; `nil` for none.
    package var waiting: Waiting?

    /// Creates a row.
    package init(
      key: String,
      change: Int64,
      sequence: Int64,
      serving: String?,
      missing: [String],
      waiting: Waiting? = nil
    ) {
      self.key = key
      self.change = change
      self.sequence = sequence
      self.serving = serving
      self.missing = missing
      self.waiting = waiting
    }
  }

  /// A generation that waits for its first day.
  package struct Waiting: Hashable, Sendable {
    package var generation: String
    /// When its first day begins.
    package var startsAt: Duration

    /// Creates a description of a generation.
    package init(generation: String, startsAt: Duration) {
      self.generation = generation
      self.startsAt = startsAt
    }
  }

  /// Why a generation was not fetched, or a change not put in place.
  package enum Failure: Hashable, Sendable {
    /// A newer change has removed it.
    case gone
    /// A generation that is to serve now is not in the data folder, although it was, or because its first day has come.
    case missing(String)
    /// The database does not answer.
    case away
    /// Another process of this machine has the lock of what is to be read or written.
    case busy
    /// Another version of the program stored it.
    case unreadable(String)
    /// It is not what was stored, or there is no room for it.
    case broken(String)
  }

  /// What happens.
  package enum Event: Hashable, Sendable {
    /// Time has passed; see ``TimetableFollower/wakesAt``.
    case woke
    /// The database announced a change.
    case noticed(Int64)
    /// Announcements may have been lost.
    case missed
    /// The feeds whose newest change was not known, all that the database has, and the newest position at that instant.
    case listed(number: Int, [Row], keys: Set<String>, upTo: Int64)
    /// The changes could not be read, or the answer was lost.
    case failed(number: Int)
    /// The locks are held and the database has answered: a generation is being fetched, or a change put in place.
    case began(number: Int)
    /// A generation is in the data folder, whole.
    case fetched(number: Int)
    /// A change is put in place: its generation serves.
    case installed(number: Int)
    /// A generation in the data folder is as it was stored.
    case verified(number: Int)
    /// A generation was not fetched, a change not put in place, or a generation not found as it was stored.
    case refused(number: Int, Failure)
    /// A generation that serves is damaged in the data folder.
    case damaged(key: String, generation: String)
  }

  /// What the driver does.
  package enum Effect: Hashable, Sendable {
    /// Reads which feeds there are, and those whose newest change has none of these ids.
    case list(number: Int, knowing: Set<Int64>)
    /// Fetches a generation.
    case fetch(number: Int, key: String, generation: String)
    /// Lets the generations serve that are here.
    case install(number: Int, key: String, change: Int64)
    /// Compares a generation in the data folder with its checksums.
    case verify(number: Int, key: String, generation: String)
    /// Stops fetching or comparing; what was asked for is no longer needed.
    case stop(number: Int)
  }

  /// How a feed fares.
  package enum State: Hashable, Sendable {
    /// The newest change is in place.
    case current
    /// It is, and the generation that waits for its first day cannot be used.
    case incomplete(String)
    /// It is being fetched, or put in place.
    case fetching
    /// It is known, and nothing is under way: its turn has not come, or another process of this machine has the lock.
    case waiting(isLocked: Bool)
    /// It cannot be used.
    case refused(String)
  }

  private struct Feed: Hashable, Sendable {
    var row: Row
    /// The id of the change that is in place.
    var installed: Int64?
    /// Whether something is here that the manifest does not name yet.
    var hasMore = false
    /// The generations that this program does not read, and why.
    var unreadable: [String: String] = [:]
    var failure: String?
    var failures = 0
    /// Whether another process of this machine had the lock at the last attempt.
    var isLocked = false
    var retryAt: Duration?
    /// Since when a newer timetable is known than serves.
    var behindSince: Duration?
    /// When the waiting generation is compared with its checksums.
    var verifyAt = Duration.zero

    /// The waiting generation if it is in the data folder.
    var present: Waiting? {
      row.waiting.flatMap { row.missing.contains($0.generation) ? nil : $0 }
    }
  }

  private enum Work: Hashable, Sendable {
    case fetch(key: String, generation: String, Int)
    case install(key: String, change: Int64, Int)
    case verify(key: String, generation: String, Int)

    var number: Int {
      switch self {
      case .fetch(_, _, let number), .install(_, _, let number), .verify(_, _, let number): number
      }
    }

    var key: String {
      switch self {
      case .fetch(let key, _, _), .install(let key, _, _), .verify(let key, _, _): key
      }
    }
  }

  package let limits: TimetableSharingLimits
  /// The newest position that is known.
  package private(set) var known: Int64 = 0
  /// Whether the database answered when it was asked last; `nil` before the first answer.
  package private(set) var answers: Bool?
  private var feeds: [String: Feed] = [:]
  private var announced: Int64 = 0
  /// What was announced when the check under way began.
  private var announcedBefore: Int64 = 0
  private var hasGap = true
  /// The number of the check under way.
  private var checkNumber: Int?
  private var checkAt = Duration.zero
  private var nextCheckAt: Duration
  private var work: Work? { didSet { if work != oldValue { hasBegun = false } } }
  /// Whether the work under way holds its locks.
  private var hasBegun = false
  private var numbers = 0

  /// Creates the state of a server that checks at once.
  ///
  /// - Parameters:
  ///   - limits: The limits.
  ///   - now: The instant.
  package init(
    _ limits: TimetableSharingLimits = TimetableSharingLimits(),
    at now: Duration
  ) {
    self.limits = limits
    nextCheckAt = now
  }

  /// When ``Event/woke`` is due.
  package var wakesAt: Duration {
    var at = checkNumber == nil ? nextCheckAt : checkAt + limits.answerWithin
    if work == nil {
      for feed in feeds.values where next(feed, ignoringWait: true) != nil {
        if let retry = feed.retryAt { at = min(at, retry) }
      }
      for feed in feeds.values where feed.present != nil {
        at = min(at, max(feed.verifyAt, feed.retryAt ?? .zero))
      }
    }
    return at
  }

  /// Whether the answer to a check counts: a later one has taken the place of one that took too long.
  package func isChecking(_ number: Int) -> Bool { checkNumber == number }

  /// How a feed fares; `nil` if the database does not have it.
  package func state(of key: String) -> State? {
    guard let feed = feeds[key] else { return nil }
    if let reason = feed.row.serving.flatMap({ feed.unreadable[$0] }) { return .refused(reason) }
    guard feed.installed != feed.row.change else {
      guard let waiting = feed.row.waiting?.generation, feed.row.missing.contains(waiting),
        let reason = feed.unreadable[waiting] ?? feed.failure
      else { return .current }
      return .incomplete(reason)
    }
    if let reason = feed.failure { return .refused(reason) }
    return hasBegun && work?.key == key ? .fetching : .waiting(isLocked: feed.isLocked)
  }

  /// The feeds that the database has.
  package var keys: [String] { feeds.keys.sorted() }

  /// The id of the change of a feed that is in place; `nil` for none.
  package func installed(_ key: String) -> Int64? { feeds[key]?.installed }

  /// The position up to which all changes are in place.
  package var complete: Int64 {
    let behind = feeds.values.filter { $0.installed != $0.row.change }.map(\.row.sequence)
    return behind.min().map { $0 - 1 } ?? known
  }

  /// For how long a newer timetable is known than serves.
  package func behind(at now: Duration) -> Duration {
    feeds.values.compactMap(\.behindSince).min().map { now - $0 } ?? .zero
  }

  /// Applies an event.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - now: When it happens.
  /// - Returns: What to do, in order.
  package mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
    var effects: [Effect] = []
    switch event {
    case .woke: break
    case .noticed(let position): announced = max(announced, position)
    case .missed: hasGap = true
    case .listed(let number, let rows, let keys, let end):
      guard checkNumber == number else { break }
      checkNumber = nil
      answers = true
      effects += listed(rows, keys, upTo: end, at: now)
    case .failed(let number):
      guard checkNumber == number else { break }
      checkFailed(at: now)
    case .began(let number):
      guard let work, work.number == number else { break }
      hasBegun = true
      feeds[work.key]?.isLocked = false
    case .fetched(let number):
      guard let work, work.number == number, case .fetch(let key, let generation, _) = work else {
        break
      }
      self.work = nil
      succeeded(key)
      feeds[key]?.row.missing.removeAll { $0 == generation }
      feeds[key]?.hasMore = true
      // Its checksums were compared on the way.
      if feeds[key]?.row.waiting?.generation == generation { wasVerified(key, at: now) }
    case .verified(let number):
      guard let work, work.number == number, case .verify(let key, _, _) = work else { break }
      self.work = nil
      succeeded(key)
      wasVerified(key, at: now)
    case .installed(let number):
      guard let work, work.number == number, case .install(let key, let change, _) = work else {
        break
      }
      self.work = nil
      succeeded(key)
      feeds[key]?.installed = change
      feeds[key]?.hasMore = false
      if feeds[key]?.row.change == change { feeds[key]?.behindSince = nil }
    case .refused(let number, let failure):
      guard let work, work.number == number else { break }
      self.work = nil
      refused(work, failure, at: now)
    case .damaged(let key, let generation):
      guard feeds[key]?.row.serving == generation else { break }
      if feeds[key]?.row.missing.contains(generation) == false {
        feeds[key]?.row.missing.insert(generation, at: 0)
      }
    }
    if checkNumber != nil, now >= checkAt + limits.answerWithin { checkFailed(at: now) }
    if checkNumber == nil, now >= nextCheckAt || answers == true && (hasGap || announced > known) {
      effects.append(begin(at: now))
    }
    if work == nil, let next = nextWork(at: now) { effects.append(next) }
    return effects
  }

  /// Schedules the next comparison of a waiting generation: periodically, and shortly before its first day.
  private mutating func wasVerified(_ key: String, at now: Duration) {
    guard let waiting = feeds[key]?.row.waiting else { return }
    let last = waiting.startsAt - limits.verifyBefore
    let next = now + limits.verifyEvery
    feeds[key]?.verifyAt = now < last ? min(next, last) : next
  }

  // MARK: Looking

  private mutating func begin(at now: Duration) -> Effect {
    numbers += 1
    (checkNumber, checkAt) = (numbers, now)
    hasGap = false
    announcedBefore = announced
    return .list(number: numbers, knowing: Set(feeds.values.map(\.row.change)))
  }

  private mutating func checkFailed(at now: Duration) {
    checkNumber = nil
    answers = false
    hasGap = true
    nextCheckAt = now + limits.retryEvery
  }

  private mutating func listed(
    _ rows: [Row],
    _ keys: Set<String>,
    upTo end: Int64,
    at now: Duration
  ) -> [Effect] {
    nextCheckAt = now + limits.watchEvery
    // The position may be an earlier one, as in a database that was restored.
    known = end
    // What was announced before the check is committed, so a position that it did not find does not exist.
    if announced == announcedBefore { announced = min(announced, known) }
    // What another database does not have serves on here.
    for key in feeds.keys where !keys.contains(key) { feeds[key] = nil }
    for row in rows {
      var feed = feeds[row.key] ?? Feed(row: row)
      if feed.row.change != row.change { (feed.failure, feed.failures) = (nil, 0) }
      feed.row = row
      feed.retryAt = nil
      feed.verifyAt = now
      feed.behindSince = feed.installed == row.change ? nil : feed.behindSince ?? now
      feeds[row.key] = feed
    }
    return preempted(at: now)
  }

  /// Stops fetching what no change names any more, or what does not serve while something that serves is missing.
  private mutating func preempted(at now: Duration) -> [Effect] {
    let row = work.flatMap { feeds[$0.key]?.row }
    let (generation, number, isNeeded): (String, Int, Bool)
    switch work {
    case .fetch(_, let name, let count):
      (generation, number, isNeeded) = (name, count, row?.missing.contains(name) == true)
    case .verify(_, let name, let count):
      (generation, number, isNeeded) = (name, count, row?.waiting?.generation == name)
    case .install, nil: return []
    }
    let hasMoreUrgent =
      row?.serving != generation
      && feeds.values.contains { feed in
        switch next(feed, at: now) {
        case .fetch, .install: true
        case .fetchKept, .verify, nil: false
        }
      }
    guard !isNeeded || hasMoreUrgent else { return [] }
    work = nil
    return [.stop(number: number)]
  }

  // MARK: Fetching

  private mutating func succeeded(_ key: String) {
    feeds[key]?.failure = nil
    feeds[key]?.failures = 0
    feeds[key]?.isLocked = false
    feeds[key]?.retryAt = nil
  }

  private mutating func refused(_ work: Work, _ failure: Failure, at now: Duration) {
    let key = work.key
    if case .verify(_, let generation, _) = work {
      return notVerified(key, generation, failure, at: now)
    }
    switch failure {
    case .gone:
      hasGap = true
      feeds[key]?.retryAt = now + limits.retryEvery
    case .missing(let generation):
      feeds[key]?.row.serving = generation
      feeds[key]?.row.missing.removeAll { $0 == generation }
      feeds[key]?.row.missing.insert(generation, at: 0)
    case .away, .busy:
      feeds[key]?.isLocked = failure == .busy
      feeds[key]?.retryAt = now + limits.retryEvery
    case .unreadable(let reason):
      if case .fetch(_, let generation, _) = work {
        feeds[key]?.unreadable[generation] = reason
      }
    case .broken(let reason):
      feeds[key]?.failure = reason
      let failures = min(feeds[key]?.failures ?? 0, 16)
      feeds[key]?.failures = failures + 1
      feeds[key]?.retryAt = now + min(limits.firstRetry * (1 << failures), limits.longestRetry)
    }
  }

  private mutating func notVerified(
    _ key: String,
    _ generation: String,
    _ failure: Failure,
    at now: Duration
  ) {
    switch failure {
    case .missing:
      if feeds[key]?.row.missing.contains(generation) == false {
        feeds[key]?.row.missing.append(generation)
      }
    case .gone:
      hasGap = true
      feeds[key]?.retryAt = now + limits.retryEvery
    case .away, .busy: feeds[key]?.retryAt = now + limits.retryEvery
    // What it is compared with cannot be used.
    case .unreadable, .broken: wasVerified(key, at: now)
    }
  }

  /// What a feed needs next.
  private enum Need: Hashable {
    case fetch(String)
    case install
    /// A generation that does not serve.
    case fetchKept(String)
    case verify(String)
  }

  private func next(_ feed: Feed, ignoringWait: Bool = false, at now: Duration = .zero) -> Need? {
    if !ignoringWait, let retry = feed.retryAt, now < retry { return nil }
    let missing = feed.row.missing.filter { feed.unreadable[$0] == nil }
    if let serving = feed.row.serving, feed.row.missing.contains(serving) {
      return missing.contains(serving) ? .fetch(serving) : nil
    }
    if feed.installed != feed.row.change || feed.hasMore { return .install }
    if let kept = missing.first { return .fetchKept(kept) }
    guard !ignoringWait, let waiting = feed.present, now >= feed.verifyAt else { return nil }
    return .verify(waiting.generation)
  }

  private mutating func nextWork(at now: Duration) -> Effect? {
    var kept: (key: String, generation: String)?
    var unverified: (key: String, generation: String)?
    for (key, feed) in feeds.sorted(by: { $0.key < $1.key }) {
      switch next(feed, at: now) {
      case .fetch(let generation): return fetch(key, generation)
      case .install:
        numbers += 1
        work = .install(key: key, change: feed.row.change, numbers)
        return .install(number: numbers, key: key, change: feed.row.change)
      case .fetchKept(let generation): kept = kept ?? (key, generation)
      case .verify(let generation): unverified = unverified ?? (key, generation)
      case nil: break
      }
    }
    if let kept { return fetch(kept.key, kept.generation) }
    guard let (key, generation) = unverified else { return nil }
    numbers += 1
    work = .verify(key: key, generation: generation, numbers)
    return .verify(number: numbers, key: key, generation: generation)
  }

  private mutating func fetch(_ key: String, _ generation: String) -> Effect {
    numbers += 1
    work = .fetch(key: key, generation: generation, numbers)
    return .fetch(number: numbers, key: key, generation: generation)
  }
}
