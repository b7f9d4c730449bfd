package import FreshnessServer
package import Jobs

/// A subscription to the events of a job, starting with its state.
package struct JobEventSubscription: Sendable {
  /// The job when the listening began.
  package let job: JobRow
  let stream: JobStream
  let broadcaster: JobEventBroadcaster
  let serving: ResourceServing

  /// Reports events until the job is over or the server shuts down: its start, its newest progress instead of all earlier
  /// progress, and then each event.
  ///
  /// - Parameter notify: Handles an update.
  /// - Returns: How it ended.
  /// - Throws: What `notify` throws, and errors of the store.
  @concurrent
  package func follow(
    _ notify: @concurrent (JobStreamUpdate) async throws -> Void
  ) async throws -> StreamEnding {
    try await StreamDriver(stream, serving: serving).follow(from: stream.start) { updates, _ in
      for update in updates { try await notify(update) }
    }
  }

  /// Whether the server ends its streams and sockets.
  package var isEnding: Bool { serving.isClosed }

  /// Counts a message sent over a socket.
  package func countMessage() { broadcaster.metrics.sent(.webSocket) }

  /// Counts subscribers over sockets.
  package func listens(_ change: Int) { broadcaster.metrics.listens(.webSocket, change) }

  /// Counts a message of a client that is not understood.
  package func noticed() { broadcaster.metrics.noticed() }

  /// Counts a close.
  package func closed(_ code: JobCloseCode) { broadcaster.metrics.closed(code) }
}
