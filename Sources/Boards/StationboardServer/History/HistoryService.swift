import Foundation
package import FreshResponses
import FreshnessServer
import GTFS
package import Logging
package import Serving
import Synchronization
import Timetable

/// Keeps the history of punctuality: counts what is published, writes it once a minute, and answers from the file.
///
/// Nothing here is on the way of a tick or of an answer: publications are counted on a thread of low priority and written
/// on SQLite's own. If the file cannot be written, boards continue, what was counted waits within limits, and health says so.
package final class HistoryService: Sendable {
  /// The most counts and points that wait for a file that cannot be written.
  private static let mostPending = 100_000
  /// The time between two checks, in seconds.
  private static let checkSeconds = 5.0

  /// What the history is of.
  struct State {
    var counting: [String: FeedCounting] = [:]
    var samples = HistorySamples()
    /// What waits to be written; the newest counts of a line replace earlier ones.
    var lines: [PendingLine: HistoryStore.Batch.Entry] = [:]
    var points: [HistorySeries.Place: HistoryPoint] = [:]
    var writtenAt = -Double.infinity
    var writtenReal: ContinuousClock.Instant?
    /// When a publication last came, by the machine's clock.
    var publishedReal: ContinuousClock.Instant?
  }

  struct PendingLine: Hashable {
    var feed: String
    var line: LineDay
  }

  private struct Opened {
    var store: HistoryStore?
    var lock: FileLock?
    var failure: String?
    var isWriting: Bool { lock != nil && store != nil }
  }

  let feeds: FeedStore
  let realtime: RealtimeFeeds?
  let clock: ServiceClock
  private let folder: DataFolder
  private let inbox: HistoryInbox
  /// How many days of lines are kept.
  package let days: Int
  private let logger: Logger
  private let state = Mutex(State())
  private let opened = Mutex(Opened())
  /// The counts of the days that are not over, by feed.
  private let shown = Mutex<[String: [LineDay: LineCounts]]>([:])
  /// Names the lines of feeds.
  private let names = Mutex<[String: FeedLines]>([:])
  private let changes = UpdateBroadcaster()

  /// Creates a history; nothing is opened yet.
  ///
  /// - Parameters:
  ///   - folder: The data folder, in which the file is.
  ///   - feeds: The timetables.
  ///   - realtime: The realtime sources; `nil` without any.
  ///   - inbox: Where the sources hand over what they put in place.
  ///   - clock: The service clock.
  ///   - days: How many days of lines are kept.
  ///   - logger: Logs what an operator should know.
  package init(
    in folder: DataFolder,
    feeds: FeedStore,
    realtime: RealtimeFeeds?,
    inbox: HistoryInbox,
    clock: ServiceClock,
    days: Int = HistoryLimits.usualDays,
    logger: Logger
  ) {
    self.folder = folder
    self.feeds = feeds
    self.realtime = realtime
    self.inbox = inbox
    self.clock = clock
    self.days = days
    self.logger = logger
  }

  /// The file to answer from; `nil` while it is absent.
  var store: HistoryStore? { opened.withLock { $0.store } }

  /// Why the history is not written; `nil` while it is.
  var failure: String? { opened.withLock { $0.failure } }

  /// How the history fares; boards are served without it.
  package var dependency: DependencyReading {
    DependencyReading("history", failure == nil ? .ok : .degraded, detail: failure)
  }

  /// Waits for changes of what is counted; ends when the task is cancelled.
  func updates() -> AsyncStream<Void> { changes.changes() }

  // MARK: Running

  /// Counts and writes until the task is cancelled, then writes the rest.
  ///
  /// - Parameter servedAges: The ages of the data in all answers so far.
  package func run(servedAges: @escaping @Sendable () -> Histogram) async {
    let (ticks, continuation) = AsyncStream.makeStream(
      of: Void.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    let delay = HistoryLimits.countAfterSeconds / clock.pace
    let pause = max(Self.checkSeconds / clock.pace, 0.2)
    await withTaskGroup { group in
      group.addTask { [inbox] in
        for await _ in inbox.arrivals() {
          try? await Task.sleep(for: .seconds(delay))
          continuation.yield()
        }
      }
      group.addTask {
        while !Task.isCancelled {
          continuation.yield()
          try? await Task.sleep(for: .seconds(pause))
        }
        continuation.finish()
      }
      for await _ in ticks { await step(servedAges) }
    }
    // A task that is cancelled does not write.
    let last = Task { await self.step(servedAges, isLast: true) }
    await last.value
  }

  private func step(_ servedAges: @escaping @Sendable () -> Histogram, isLast: Bool = false) async {
    if !opened.withLock(\.isWriting) { await open() }
    guard opened.withLock(\.isWriting) else {
      // Publications that are not counted are not kept: each publication holds the index of its whole feed.
      await BackgroundExecutor.late { withExtendedLifetime(self.inbox.drain()) {} }
      return
    }
    await BackgroundExecutor.late { self.count(servedAges()) }
    changes.send()
    await write(isLast: isLast)
  }

  private func open() async {
    await BackgroundExecutor.late {
      do {
        let lock = try FileLock(path: self.folder.path + "/history.lock", kind: .exclusive)
        guard let lock else {
          let store = self.store ?? (try? HistoryStore.openForReading(in: self.folder))
          self.opened.withLock { $0.store = store }
          return self.note("another server writes the history of this data folder")
        }
        let store = try self.openStore()
        self.opened.withLock { $0 = Opened(store: store, lock: lock, failure: nil) }
        // In a new file nothing is there yet.
        self.work { state in
          for key in state.counting.keys { state.counting[key]?.recorder.writeAgain() }
        }
      } catch {
        self.note("\((error as? FeedError)?.message ?? "\(error)")")
      }
    }
  }

  /// Opens the file; one that is damaged is set aside, and a new one begun.
  private func openStore() throws -> HistoryStore {
    let damage: HistoryFailure
    do throws(HistoryFailure) {
      return try HistoryStore.open(in: folder)
    } catch {
      damage = error
    }
    guard damage.isDamage else { throw damage }
    let place = try HistoryStore.setAside(in: folder)
    logger.warning(
      "the history is damaged: it was set aside, and a new one is begun",
      metadata: ["reason": "\(damage.description)", "damaged": "\(place)"]
    )
    return try HistoryStore.open(in: folder)
  }

  /// Says once that the history cannot be written.
  private func note(_ failure: String?) {
    let before = opened.withLock { opened -> String? in
      defer { opened.failure = failure }
      return opened.failure
    }
    guard before != failure else { return }
    if let failure {
      logger.warning(
        "the history of punctuality is not written; boards go on",
        metadata: ["reason": "\(failure)"]
      )
    } else {
      logger.notice("the history of punctuality is written again")
    }
  }

  // MARK: Counting

  /// Takes what is counted out of the lock, and puts it back: one task at a time works on it.
  private func work(_ body: (inout State) -> Void) {
    var taken = state.withLock { state in
      defer { state = State() }
      return state
    }
    body(&taken)
    state.withLock { $0 = taken }
  }

  private func count(_ served: Histogram) {
    let publications = inbox.drain()
    let now = clock.now
    let serving = feeds.feeds
    work { state in
      state.counting = state.counting.filter { key, _ in serving.contains { $0.entry.key == key } }
      if !publications.isEmpty { state.publishedReal = .now }
      for feed in serving {
        let first = publications.first { $0.feed === feed }?.at
        // A replay begins with its first publication, whatever the clock shows when it is here.
        if let begin = first ?? (isReplayed(feed) ? nil : now) { follow(feed, &state, from: begin) }
      }
      for publication in publications {
        let key = publication.feed.entry.key
        guard state.counting[key]?.feed === publication.feed else { continue }
        state.counting[key]?.recorder.publish(
          publication.index,
          sources: publication.sources,
          at: publication.at
        )
      }
      for feed in serving {
        let key = feed.entry.key
        if !isReplayed(feed) || hasEnded(state) { state.counting[key]?.recorder.advance(to: now) }
        if let recentCounts = state.counting[key]?.takeRecentCounts() {
          state.samples.series.change(.departures(key), at: now) {
            $0.add(departures: recentCounts)
          }
        }
        if let realtime {
          state.samples.record(realtime.snapshot(of: feed).sources, of: key, at: now)
        }
      }
      state.samples.record(served: served, at: now)
      let lines = state.counting.mapValues { $0.recorder.lines }
      shown.withLock { $0 = lines }
      let named = state.counting.mapValues(\.lines)
      names.withLock { $0 = named }
    }
  }

  /// A replay at a high pace hands its publications over late by the service clock: time passes with them, until none
  /// has come for so many seconds of the machine.
  private static let replaySilence = 5

  private func hasEnded(_ state: State) -> Bool {
    state.publishedReal.map { .now - $0 > .seconds(Self.replaySilence) } ?? true
  }

  private func isReplayed(_ feed: Feed) -> Bool {
    realtime?.sources.contains { $0.isReplay && $0.prefix == feed.entry.prefix ?? "" } ?? false
  }

  /// Begins to count a feed, or continues with another import of it.
  private func follow(_ feed: Feed, _ state: inout State, from now: Double) {
    let key = feed.entry.key
    if let counting = state.counting[key] {
      guard counting.feed !== feed else { return }
      collect(key, &state)
      state.counting[key] = FeedCounting(feed, after: counting)
    } else {
      state.counting[key] = FeedCounting(feed, from: now, store: store)
    }
  }

  /// Moves the counts that have changed to those that wait to be written.
  private func collect(_ key: String, _ state: inout State) {
    guard let entries = state.counting[key]?.takeChanges() else { return }
    for entry in entries {
      let line = LineDay(day: entry.day, route: entry.line.route, source: entry.source)
      state.lines[PendingLine(feed: key, line: line)] = entry
    }
  }

  // MARK: Writing

  private func write(isLast: Bool) async {
    let now = clock.now
    let real = ContinuousClock.now
    var batch: HistoryStore.Batch?
    work { state in
      let isDue =
        now - state.writtenAt >= HistoryLimits.writeSeconds
        && state.writtenReal.map {
          real - $0 >= .seconds(HistoryLimits.leastWriteSeconds)
        } ?? true
      guard isDue || isLast else { return }
      state.writtenAt = now
      state.writtenReal = real
      for key in state.counting.keys { collect(key, &state) }
      for entry in state.samples.series.takeChanges(at: now) {
        state.points[HistorySeries.Place(start: entry.start, subject: entry.subject)] = entry.point
      }
      let zone = feeds.feeds.first?.timetable.zone ?? .gmt
      batch = HistoryStore.Batch(
        lines: Array(state.lines.values),
        points: state.points.map { ($0.key.start, $0.key.subject, $0.value) },
        checkpoints: state.counting.mapValues { $0.recorder.checkpoint },
        today: ServiceDay(zone: zone).date(at: Int64(now)).daysSinceEpoch,
        now: now,
        days: days
      )
    }
    guard let batch, let store else { return }
    do throws(HistoryFailure) {
      try await store.write(batch)
      work { state in
        state.lines = [:]
        state.points = [:]
      }
      note(nil)
    } catch {
      work(Self.bound)
      note(error.description)
      if error.isDamage {
        opened.withLock { $0 = Opened(store: nil, lock: nil, failure: $0.failure) }
      }
    }
  }

  /// Forgets the oldest of what could not be written for too long.
  private static func bound(_ state: inout State) {
    if state.lines.count > mostPending, let first = state.lines.keys.map(\.line.day).min() {
      state.lines = state.lines.filter { $0.key.line.day > first }
    }
    if state.points.count > mostPending {
      let starts = state.points.keys.map(\.start).sorted()
      let first = starts[starts.count / 2]
      state.points = state.points.filter { $0.key.start >= first }
    }
  }

  // MARK: What is counted now

  /// The counts of the days that are not over, by feed; they may be a minute newer than those of the file.
  var current: [String: [LineDay: LineCounts]] { shown.withLock(\.self) }

  /// A line of a feed, as it is named; `nil` if the import that is counted does not have it.
  func line(_ route: String, of feed: Feed) -> HistoryStore.Line? {
    names.withLock { $0[feed.entry.key] }?.line(route)
  }
}
