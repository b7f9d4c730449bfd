package import Jobs

/// A subscription to the events of a job, starting with its state.
package struct JobHearing: Sendable {
  /// The job when the listening began.
  package let job: JobRow
  let store: any JobStore
  let broadcaster: JobEventBroadcaster
  let listener: JobSubscription

  /// Tells events until the job is over or the server ends: its start, the newest progress in place of all that was
  /// before, and then what happens.
  ///
  /// - Parameter notify: Takes a piece of news.
  /// - Returns: How it ended.
  /// - Throws: What `notify` throws, and errors of the store.
  @concurrent
  package func follow(
    _ notify: @concurrent (JobListening.Piece) async throws -> Void
  ) async throws -> JobListening.Ending {
    guard let job = try await store.job(job.id), !job.isGone(at: store.now) else { return .expired }
    for bytes in try await store.messages(job.id, after: 0, limit: 1) {
      guard let event = StoredEvent.event(bytes) else { continue }
      try await notify(.event(event, covers: event.position.seq))
      if event.isTerminal { return .finished }
    }
    if job.state.isTerminal {
      let seq = job.position.seq
      let last = try await store.messages(job.id, after: max(1, seq - 2), limit: 2)
        .compactMap { StoredEvent.event($0) }
      guard last.last?.isTerminal == true else {
        throw JobStoreError.damaged("the job \(job.id) is over and has no last event")
      }
      for event in last { try await notify(.event(event, covers: min(2, event.position.seq))) }
      return .finished
    }
    if job.position.seq > 1 {
      let event = JobEvent(position: job.position, at: job.updatedAt, body: .progress(job.progress))
      try await notify(.event(event, covers: 2))
    }
    return try await JobListening(store: store, listener: listener, job: job.id).follow(
      after: job.position.seq,
      notify
    )
  }

  /// Lets the listener go.
  package func finish() { listener.finish() }

  /// Whether the server lets its listeners go.
  package var isFinished: Bool { listener.isFinished }

  /// Counts a message sent over a socket.
  package func told() { broadcaster.metrics.sent(.webSocket) }

  /// Counts subscribers over sockets.
  package func listens(_ change: Int) { broadcaster.metrics.listens(.webSocket, change) }

  /// Counts a message of a client that is not understood.
  package func noticed() { broadcaster.metrics.noticed() }

  /// Counts a close.
  package func closed(_ code: JobCloseCode) { broadcaster.metrics.closed(code) }
}
