package import Jobs

/// Hears what happens to one job from now on.
package struct JobListening: Sendable {
  /// How it ends.
  package enum Ending: Sendable {
    /// With the terminal event.
    case finished
    /// The server ends.
    case closed
    /// The job's results went while it was listened to.
    case expired
  }

  /// One piece of news.
  package enum Piece: Sendable {
    /// An event, and the number of the first one it stands for.
    case event(JobEvent, covers: Int64)
    /// Nothing new for a while; the job lives.
    case alive(JobProgress)
  }

  let store: any JobStore
  let listener: JobSubscription
  let job: String

  /// Reports events until the job ends or the server shuts down.
  ///
  /// - Parameters:
  ///   - last: The number of the last event that the listener has.
  ///   - notify: Takes a piece of news.
  /// - Returns: How it ended.
  /// - Throws: What `notify` throws, and errors of the store.
  @concurrent
  func follow(
    after last: Int64,
    _ notify: @concurrent (Piece) async throws -> Void
  ) async throws -> Ending {
    var position = ListenerPosition(last: last)
    var spoken = ContinuousClock.now
    let beat = Duration.seconds(store.limits.heartbeatSeconds)
    let pulse = Task { [listener] in
      while (try? await Task.sleep(for: beat)) != nil { listener.wake() }
    }
    defer { pulse.cancel() }
    listener.wake()
    for await _ in listener.wakes {
      while let entry = listener.next() {
        guard position.admits(entry.event) else { continue }
        try await notify(.event(entry.event, covers: entry.covers))
        spoken = .now
        if entry.event.isTerminal { return .finished }
      }
      guard ContinuousClock.now - spoken >= beat else { continue }
      // The store says whether the job lives, not the silence.
      guard let row = try await store.job(job), !row.isGone(at: store.now) else {
        return .expired
      }
      try await notify(.alive(row.progress))
      spoken = .now
    }
    return .closed
  }
}

/// What one listener has: it subscribes before it reads what is stored, so that events may reach it both ways (rule JL9).
struct ListenerPosition: Hashable, Sendable {
  /// The number of the last event that it has.
  private(set) var last: Int64

  /// Whether an event is new to the listener, which has it then.
  mutating func admits(_ event: JobEvent) -> Bool {
    guard event.position.seq > last else { return false }
    last = event.position.seq
    return true
  }
}
