import EventFeed
import FreshResponses
import FreshnessServer
import Jobs

/// The events of one job for one subscriber: those that it missed, then new ones, until the last.
///
/// New events come from the subscriber's queue. Events before the next one in the queue are read from the store: the subscriber missed
/// them, or they were lost on the way to the queue.
struct JobStream: StreamSource {
  typealias Message = JobStreamUpdate

  /// What a subscriber gets first.
  enum Beginning: Hashable, Sendable {
    /// The events after a position, or the state instead of them; the state first, if `hasStatus`.
    case missed(after: EventPosition?, hasStatus: Bool)
    /// The start, and the newest progress or the end instead of everything in between.
    case digest
  }

  private let store: any JobStore
  private let subscription: JobSubscription
  private let job: String
  private let beginning: Beginning
  /// The id of the state that the subscriber has.
  let start: String
  /// The position of the last known event.
  private var newest: EventPosition
  /// Whether that event is the end.
  private var isOver = false
  /// The number of the last event that was sent; `nil` before the first part.
  private var sent: Int64?
  /// The last state that was made, which is needed twice for each event.
  private var made: (position: EventPosition, state: RepresentationState)?
  /// Whether the job was read from the store.
  private var hasRead = false
  /// Whether the digest was sent.
  private var hasDigest = false
  /// The state to send before anything else.
  private var pendingStatus: JobStreamUpdate?
  /// Whether anything was sent since the last heartbeat.
  private var hasSent = false

  /// Creates the events of a job.
  ///
  /// - Parameters:
  ///   - job: The job; it may have changed since.
  ///   - store: The jobs.
  ///   - subscription: The subscription. The job is read after it began, so that no event is lost (rule JL9).
  ///   - beginning: What the subscriber gets first.
  init(
    _ job: JobRow,
    in store: any JobStore,
    _ subscription: JobSubscription,
    _ beginning: Beginning
  ) {
    self.store = store
    self.subscription = subscription
    self.job = job.id
    self.beginning = beginning
    // Before its first event, every log is the same.
    newest = EventPosition(epoch: job.position.epoch, seq: 0)
    var last = newest
    if case .missed(let asked?, _) = beginning, asked.seq > 0 { last = asked }
    start = Self.number(last).description
  }

  var hasChanges: Bool { true }

  /// A subscriber that has all events gets the state, if it asks for that.
  var verifies: Bool {
    if case .missed(_, let hasStatus) = beginning { hasStatus } else { false }
  }

  /// All servers read the same store.
  var hasReplicas: Bool { false }

  func updates() -> AsyncStream<Void> { subscription.updates() }

  mutating func state() async throws -> RepresentationState? {
    if !hasRead {
      let row = try await row()
      hasRead = true
      if case .missed(let asked, true) = beginning {
        pendingStatus = .status(row, isRecovered: asked != nil)
      }
    }
    if let event = subscription.newest { reached(event.position, isEnd: event.isTerminal) }
    return state(newest, isFinal: isOver)
  }

  mutating func changes(since id: String) async throws -> StreamPart<JobStreamUpdate>? {
    guard let since = sent ?? EventNumber(id: id)?.number else { return nil }
    if beginning == .digest, !hasDigest {
      hasDigest = true
      return try await digest()
    }
    guard let entry = subscription.next(after: since), entry.covers <= since + 1 else {
      return try await missed(after: since)
    }
    return part(
      statusReport() + [.event(entry.event, covers: entry.covers)],
      entry.event.position,
      isFinal: entry.event.isTerminal,
      changedAt: entry.event.at
    )
  }

  mutating func snapshot(afterReset isReset: Bool) async throws -> StreamPart<JobStreamUpdate>? {
    pendingStatus = nil
    let row = try await row()
    let end = row.state.isTerminal ? [try await end(row.position)] : []
    return part(
      [.status(row, isRecovered: false)] + end,
      row.position,
      isFinal: row.state.isTerminal
    )
  }

  mutating func verification() async throws -> StreamPart<JobStreamUpdate>? {
    let end = isOver ? [try await end(newest)] : []
    return part(statusReport() + end, newest, isFinal: isOver)
  }

  /// Returns that the job continues, unless something was sent since the last heartbeat or is sent now.
  mutating func heartbeat() async throws -> JobStreamUpdate? {
    defer { hasSent = false }
    guard !hasSent else { return nil }
    let known = newest
    // The store knows whether the job continues.
    let row = try await row()
    guard newest == known else {
      // Events that were not announced are sent instead.
      subscription.wake()
      return nil
    }
    return .alive(row.progress)
  }

  // MARK: Parts

  /// Reads the job from the store.
  ///
  /// - Throws: ``StreamResourceGone`` once its results are gone.
  private mutating func row() async throws -> JobRow {
    guard let row = try await store.job(job), !row.isGone(at: store.now) else {
      throw StreamResourceGone()
    }
    reached(row.position, isEnd: row.state.isTerminal)
    return row
  }

  /// Reads the stored events after a number; returns `nil` if they are too many.
  private mutating func missed(after since: Int64) async throws -> StreamPart<JobStreamUpdate>? {
    let asked = EventPosition(epoch: newest.epoch, seq: since)
    guard newest.replayStart(for: asked, atMost: store.limits.replayedEvents) != nil else {
      return nil
    }
    var updates = statusReport()
    var last = newest
    var hasEnd = false
    for bytes in try await store.messages(job, after: since, limit: .max) {
      guard let event = StoredEvent.event(bytes) else { continue }
      updates.append(.stored(event, bytes))
      last = max(last, event.position)
      hasEnd = event.isTerminal
      if hasEnd { break }
    }
    if isOver, !hasEnd { throw withoutEnd }
    return part(updates, last, isFinal: hasEnd)
  }

  /// Reads the start, and the newest progress or the end.
  private mutating func digest() async throws -> StreamPart<JobStreamUpdate> {
    let row = try await row()
    var events = try await store.messages(job, after: 0, limit: 1)
      .compactMap { StoredEvent.event($0) }
    var covers = events.map(\.position.seq)
    if row.state.isTerminal, events.last?.isTerminal != true {
      let last = try await store.messages(job, after: max(1, row.position.seq - 2), limit: 2)
        .compactMap { StoredEvent.event($0) }
      guard last.last?.isTerminal == true else { throw withoutEnd }
      events += last
      covers += last.map { min(2, $0.position.seq) }
    } else if !row.state.isTerminal, row.position.seq > 1 {
      events.append(
        JobEvent(position: row.position, at: row.updatedAt, body: .progress(row.progress))
      )
      covers.append(2)
    }
    return part(
      zip(events, covers).map { .event($0, covers: $1) },
      max(row.position, events.last?.position ?? row.position),
      isFinal: events.last?.isTerminal ?? false
    )
  }

  /// Reads the last event of a job that is over.
  private func end(_ position: EventPosition) async throws -> JobStreamUpdate {
    let stored = try await store.messages(job, after: position.seq - 1, limit: 1)
    guard let bytes = stored.first, let event = StoredEvent.event(bytes) else { throw withoutEnd }
    return .stored(event, bytes)
  }

  private var withoutEnd: JobStoreError {
    .damaged("the job \(job) is over and has no last event")
  }

  private mutating func statusReport() -> [JobStreamUpdate] {
    defer { pendingStatus = nil }
    return pendingStatus.map { [$0] } ?? []
  }

  private mutating func reached(_ position: EventPosition, isEnd: Bool) {
    newest = max(newest, position)
    isOver = isOver || isEnd
  }

  private mutating func part(
    _ updates: [JobStreamUpdate],
    _ position: EventPosition,
    isFinal: Bool,
    changedAt: Int64? = nil
  ) -> StreamPart<JobStreamUpdate> {
    reached(position, isEnd: isFinal)
    sent = position.seq
    hasSent = hasSent || !updates.isEmpty
    var state = state(position, isFinal: isFinal)
    state.changedAt = changedAt
    return StreamPart(updates, state, hasMore: position < newest)
  }

  private mutating func state(_ position: EventPosition, isFinal: Bool) -> RepresentationState {
    var state: RepresentationState
    if let made, made.position == position {
      state = made.state
    } else {
      state = RepresentationState(version: Self.number(position))
      // So a verification is sent once at most.
      state.publication = 0
      made = (position, state)
    }
    state.isFinal = isFinal
    return state
  }

  private static func number(_ position: EventPosition) -> EventNumber {
    EventNumber(position.seq, epoch: String(position.epoch))
  }
}
