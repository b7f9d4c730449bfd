import FreshnessServer
import Serving

/// What a client has seen of realtime, perhaps at another server (rule SR8).
struct SeenRealtime: Hashable, Sendable {
  /// The position of the newest publication that it has a board of; `nil` if it does not say.
  var position: Int64?
  /// The source time of its newest board, in seconds since 1970-01-01T00:00:00Z; `nil` if it does not say.
  var instant: Double?

  /// Reads what a client of an event stream has seen.
  ///
  /// The id of an event moves with the stream, and `since_rt` remains in its address: the id comes first.
  ///
  /// - Parameters:
  ///   - last: The position of `Last-Event-ID`.
  ///   - since: The instant of `since_rt`.
  /// - Returns: What the client has seen.
  static func ofStream(last: Int64?, since: Double?) -> SeenRealtime {
    SeenRealtime(position: last, instant: last == nil ? since : nil)
  }

  /// Whether a board of this server shows everything that the client has seen.
  ///
  /// - Parameters:
  ///   - renderer: The renderer of the board.
  ///   - feed: The timetable of the board.
  /// - Returns: Whether nothing that the client has seen is missing.
  func isHere(_ renderer: BoardRenderer, _ feed: Feed) -> Bool {
    guard let sharing = renderer.realtime?.sharing else { return true }
    var shown = MonotonicRead.Shown(position: sharing.complete)
    let seen = MonotonicRead.Seen(position: position, instant: instant)
    guard seen.isCovered(by: shown) else { return false }
    guard position != nil || instant != nil else { return true }
    let snapshot = renderer.snapshot(of: feed)
    // For a moment after an import there are boards, and nothing on them of what is known of their publications.
    if snapshot.isOfAnotherTimetable { return false }
    let trips = snapshot.trips
    guard instant != nil, trips.isConfigured else { return true }
    var known = trips.sourceTime ?? 0
    if renderer.additions.contains(.arrivalTokens) { known = max(known, trips.fetchedAt ?? 0) }
    shown.instant = known
    return seen.isCovered(by: shown, at: renderer.clock.now)
  }

  /// Waits a moment for what the client has seen at another server, if this one does not have it yet.
  ///
  /// - Parameters:
  ///   - renderer: The renderer of the board.
  ///   - feed: The timetable of the board.
  ///   - serving: The places to wait.
  /// - Returns: Whether this server still does not have it.
  /// - Throws: `CancellationError` if the task is canceled.
  func isMissing(
    _ renderer: BoardRenderer,
    _ feed: Feed,
    _ serving: ResourceServing
  ) async throws -> Bool {
    guard let realtime = renderer.realtime, let sharing = realtime.sharing else { return false }
    let began = ContinuousClock.now
    let read = MonotonicRead(sharing.limits, at: .zero)
    @Sendable func step(mayWait: Bool = true) -> MonotonicRead.Step {
      read.step(
        isCovered: isHere(renderer, feed),
        mayWait: mayWait,
        at: began.duration(to: .now)
      )
    }
    guard case .wait(let longest) = step() else { return false }
    if let permit = serving.limiter.enter() {
      defer { withExtendedLifetime(permit) {} }
      try await AdmissionPermit.pause {
        await withTaskGroup { group in
          group.addTask {
            let ticks = realtime.ticks()
            if case .answer = step() { return }
            for await _ in ticks { if case .answer = step() { return } }
          }
          group.addTask { await serving.untilClosed() }
          group.addTask { try? await Task.sleep(for: longest) }
          await group.next()
          group.cancelAll()
        }
      }
    }
    guard step(mayWait: false) == .answer(isBehind: true) else { return false }
    sharing.countBehind()
    return true
  }
}
