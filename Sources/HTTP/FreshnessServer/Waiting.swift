package import FreshResponses
package import Hummingbird
import Serving

/// The waits of requests and streams: the same for every served resource.
package enum Waiting {
  /// Holds a request until something happens, its time is over, the server shuts down, or the client is gone.
  ///
  /// Others run meanwhile (``AdmissionPermit``). Detecting a disconnect reads what the client sends next, so the connection cannot be reused afterwards.
  ///
  /// - Parameters:
  ///   - body: The body of the request.
  ///   - longest: The longest wait.
  ///   - closing: Returns when the server shuts down.
  ///   - happens: Returns when what the request waits for has happened.
  /// - Throws: `CancellationError` if the task is canceled.
  package static func hold(
    _ body: RequestBody,
    atMost longest: Duration,
    closing: @escaping @concurrent @Sendable () async -> Void,
    until happens: @escaping @concurrent @Sendable () async -> Void
  ) async throws {
    do {
      try await AdmissionPermit.pause {
        try await body.consumeWithCancellationOnInboundClose { _ in
          await withTaskGroup { group in
            group.addTask { await happens() }
            group.addTask { await closing() }
            group.addTask { try? await Task.sleep(for: longest) }
            await group.next()
            group.cancelAll()
          }
        }
      }
    } catch is CancellationError where !Task.isCancelled {
      // The client has closed its side, and may still read.
    }
  }

  /// Returns what wakes an event stream: each update, and heartbeats; ends when the server shuts down.
  ///
  /// - Parameters:
  ///   - updates: Returns a sequence with an element now and one after each change.
  ///   - heartbeat: The time between two heartbeats.
  ///   - closing: Returns when the server shuts down.
  /// - Returns: The signals; those that are not yet read are merged.
  package static func signals(
    of updates: @escaping @Sendable () -> AsyncStream<Void>,
    heartbeat: Duration,
    closing: @escaping @concurrent @Sendable () async -> Void
  ) -> AsyncStream<StreamCursor.Signal> {
    AsyncStream(bufferingPolicy: .bufferingNewest(2)) { continuation in
      let tasks = [
        Task { for await _ in updates() { continuation.yield(.change) } },
        Task {
          while (try? await Task.sleep(for: heartbeat)) != nil { continuation.yield(.beat) }
        },
        Task {
          await closing()
          continuation.finish()
        },
      ]
      continuation.onTermination = { _ in for task in tasks { task.cancel() } }
    }
  }
}
