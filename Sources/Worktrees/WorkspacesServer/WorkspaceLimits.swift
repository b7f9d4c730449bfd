/// What one client may ask of the workspaces' part of a server, in one place.
package enum WorkspaceLimits {
  /// The longest wait that `Prefer: wait` asks for, in seconds.
  package static let longestWait: Int64 = 60
  /// The most requests and streams that wait at a time.
  package static let waiters = 512
  /// How long a response waits until everything was scanned once, in seconds.
  package static let firstScan = 2.0
  /// The time between two heartbeats of a stream, in seconds.
  package static let heartbeat: Int64 = 15
  /// How long a client of a stream waits before it comes back, in milliseconds.
  package static let streamRetry: Int64 = 2_000
  /// When a client may retry after the server was at its limit, in seconds.
  package static let retryAfter: Int64 = 5
  /// The most resources of a batch.
  package static let batch = 32
  /// The most bytes of the body of a request.
  package static let bodyBytes = 64 << 10
  /// The shortest token that is taken, in bytes.
  package static let tokenBytes = 16
}
