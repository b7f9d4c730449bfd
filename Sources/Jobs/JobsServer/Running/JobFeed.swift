import Jobs
import NIOCore
import StrictJSON

/// One message for a listener.
struct FeedMessage: Sendable {
  /// The bytes, shared by all listeners that get the same message.
  var bytes: ByteBuffer
  /// The last event it stands for; `nil` for a message that is not an event.
  var position: EventPosition?
  /// Whether the job ends with it.
  var isTerminal: Bool
  /// How many further events it stands for.
  var skipped = 0
  /// When it happened, in milliseconds since 1970; `nil` for one that is not new.
  var at: Int64?
}

/// The messages of one job for one listener, in the listener's version: missed events, then new ones.
struct JobFeed: Sendable {
  typealias Ending = JobListening.Ending

  let store: any JobStore
  let broadcaster: JobEventBroadcaster
  let listener: JobSubscription
  let writer: JobMessageWriter

  /// Sends messages until the job ends or the server shuts down.
  ///
  /// - Parameters:
  ///   - asked: The last event that the listener has; `nil` if it has none.
  ///   - saysWhere: Whether to send the current state first.
  ///   - send: Sends a message.
  /// - Returns: How it ended.
  /// - Throws: What `send` throws, and errors of the store.
  @concurrent
  func follow(
    from asked: EventPosition?,
    saysWhere: Bool,
    send: @concurrent (FeedMessage) async throws -> Void
  ) async throws -> Ending {
    guard let job = try await store.job(writer.job), !job.isGone(at: store.now) else {
      return .expired
    }
    var last: Int64
    if let after = job.position.replayStart(for: asked, atMost: store.limits.replayedEvents) {
      if saysWhere { try await send(statusReport(job, isRecovered: asked != nil)) }
      last = after
      for bytes in try await store.messages(job.id, after: after, limit: .max) {
        guard let message = try await message(bytes) else { continue }
        try await send(message)
        last = message.position?.seq ?? last
        if message.isTerminal { return .finished }
      }
    } else {
      try await send(statusReport(job, isRecovered: false))
      last = job.position.seq
    }
    if job.state.isTerminal { return try await finish(job, send) }
    return try await news(after: last, send)
  }

  @concurrent
  private func news(
    after last: Int64,
    _ send: @concurrent (FeedMessage) async throws -> Void
  ) async throws -> Ending {
    try await JobListening(store: store, listener: listener, job: writer.job).follow(after: last) {
      news in
      switch news {
      case .event(let event, let covers):
        var message = try await message(event, covers: covers)
        message.at = event.at
        try await send(message)
      case .alive(let progress):
        let bytes = ByteBuffer(bytes: writer.keepAlive(progress, at: store.now).bytes)
        try await send(FeedMessage(bytes: bytes, position: nil, isTerminal: false))
      }
    }
  }

  /// Sends the last event of a job that is over.
  @concurrent
  private func finish(
    _ job: JobRow,
    _ send: @concurrent (FeedMessage) async throws -> Void
  ) async throws -> Ending {
    let stored = try await store.messages(job.id, after: job.position.seq - 1, limit: 1)
    guard let bytes = stored.first, let message = try await message(bytes) else {
      throw JobStoreError.damaged("the job \(job.id) is over and has no last event")
    }
    try await send(message)
    return .finished
  }

  private func statusReport(_ job: JobRow, isRecovered: Bool) -> FeedMessage {
    FeedMessage(
      bytes: ByteBuffer(
        bytes: writer.reconnected(job.snapshot(), isRecovered: isRecovered).bytes
      ),
      position: isRecovered ? nil : job.coveredPosition,
      isTerminal: false
    )
  }

  private func message(_ stored: [UInt8]) async throws -> FeedMessage? {
    guard let event = StoredEvent.event(stored) else { return nil }
    guard writer.version == .newest else { return try await message(event, covers: nil) }
    return FeedMessage(
      bytes: ByteBuffer(bytes: stored),
      position: event.position,
      isTerminal: event.isTerminal
    )
  }

  private func message(_ event: JobEvent, covers: Int64?) async throws -> FeedMessage {
    let seq = event.position.seq
    let skipped = Int(seq - (covers ?? seq))
    let bytes =
      if skipped > 0 {
        try await Self.bytes(event, covers, writer, store)
      } else {
        try await broadcaster.recent.message(writer.job, seq, writer.version) { [writer, store] in
          try await Self.bytes(event, nil, writer, store)
        }
      }
    return FeedMessage(
      bytes: bytes,
      position: event.position,
      isTerminal: event.isTerminal,
      skipped: skipped
    )
  }

  private static func bytes(
    _ event: JobEvent,
    _ covers: Int64?,
    _ writer: JobMessageWriter,
    _ store: any JobStore
  ) async throws -> ByteBuffer {
    var items: [JobItem] = []
    if event.isTerminal, writer.version == .v1 {
      items = try await store.items(writer.job, after: -1, limit: store.limits.embeddedItems)
    }
    return ByteBuffer(bytes: writer.message(event, items: items, covers: covers).bytes)
  }
}
