package import FreshResponses
package import Serving

/// How a stream ended.
package enum StreamEnding: Hashable, Sendable {
  /// The client has the final state.
  case finished
  /// The server shuts down, or the task is canceled.
  case closed
  /// The resource is gone.
  case gone
}

/// Leads one client of a stream from state to state, whatever carries the messages.
///
/// What is sent is decided by ``FreshResponses/StreamCursor`` and made by a ``StreamSource``.
package struct StreamDriver<Source: StreamSource>: Sendable {
  private let source: Source
  private let serving: ResourceServing

  /// Creates a driver.
  ///
  /// - Parameters:
  ///   - source: The events.
  ///   - serving: What served resources share.
  package init(_ source: Source, serving: ResourceServing) {
    self.source = source
    self.serving = serving
  }

  /// Sends messages until the resource has its final state or is gone, or the server shuts down.
  ///
  /// Each message is made in the turn of its client, as a response is, and sent outside of it.
  ///
  /// - Parameters:
  ///   - id: The id of the client's state; empty if it has none.
  ///   - admission: The admission of the client's request; `nil` without turns.
  ///   - send: Sends messages, with the state that they lead to; a sign of life has none. The first messages have no time
  ///     of change.
  /// - Returns: How it ended.
  /// - Throws: What `send` throws, and errors of the source.
  @concurrent
  package func follow(
    from id: String,
    admission: AdmissionPermit? = nil,
    send: @concurrent ([Source.Message], RepresentationState?) async throws -> Void
  ) async throws -> StreamEnding {
    var stream = Stream(source, from: id)
    // The search for changes has turns of its own.
    let wakes = AdmissionPermit.$current.withValue(admission) { signals() }
    do {
      for await wake in wakes {
        var signal = wake
        while try await stream.answer(signal, admission, send) { signal = .change }
        if stream.cursor.hasEnded { return .finished }
      }
    } catch is StreamResourceGone {
      return .gone
    }
    return .closed
  }

  /// A signal now, one after each change, and heartbeats; ends when the server shuts down.
  private func signals() -> AsyncStream<StreamCursor.Signal> {
    let (source, serving) = (source, serving)
    return Waiting.signals(
      of: { source.updates() },
      heartbeat: .seconds(serving.limits.heartbeatSeconds),
      closing: { await serving.untilClosed() }
    )
  }

  /// What changes while one client is led.
  private struct Stream {
    var source: Source
    var cursor: StreamCursor
    /// The first messages give a new client the current state.
    var isFirst = true

    init(_ source: Source, from id: String) {
      self.source = source
      cursor = StreamCursor(
        lastEventID: id,
        hasChanges: source.hasChanges,
        verifies: source.verifies,
        hasReplicas: source.hasReplicas
      )
    }

    /// Sends what a signal calls for.
    ///
    /// - Returns: Whether there is more to be sent at once.
    @concurrent
    mutating func answer(
      _ signal: StreamCursor.Signal,
      _ admission: AdmissionPermit?,
      _ send: @concurrent ([Source.Message], RepresentationState?) async throws -> Void
    ) async throws -> Bool {
      try await admission?.takeAgain()
      defer { admission?.release() }
      guard let newest = try await source.state() else {
        guard signal == .beat, let message = source.absence() else { return false }
        admission?.release()
        try await send([message], nil)
        return false
      }
      var action = cursor.next(signal, newest: newest)
      var part: StreamPart<Source.Message>?
      if case .changes(let id) = action {
        part = try await source.changes(since: id)
        if part == nil { action = cursor.giveUpPosition() }
      }
      switch action {
      case .none, .changes: break
      case .heartbeat:
        guard let message = try await source.heartbeat() else { break }
        admission?.release()
        try await send([message], nil)
      case .verification: part = try await source.verification()
      case .snapshot(let isReset): part = try await source.snapshot(afterReset: isReset)
      case .end: cursor.sent(newest)
      }
      defer { isFirst = false }
      guard let part else { return false }
      admission?.release()
      if !part.messages.isEmpty {
        var state = part.state
        if isFirst { state.changedAt = nil }
        try await send(part.messages, state)
      }
      cursor.sent(part.state)
      return part.hasMore && !cursor.hasEnded
    }
  }
}
