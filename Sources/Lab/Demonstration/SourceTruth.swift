/// When the data was made that a page can have: the truth that its age is compared with.
///
/// A value without a clock. Instants are milliseconds since 1970-01-01T00:00:00Z.
package struct SourceTruth: Hashable, Sendable {
  /// When the newest publication was made that the server has received whole.
  private var received: Int64?
  /// When the newest one was made that a page can have.
  package private(set) var madeAt: Int64?
  private var reachesPages = true

  /// Nothing is known.
  package init() {}

  /// A publication was received whole by the server.
  package mutating func receive(madeAt: Int64) {
    received = max(received ?? madeAt, madeAt)
    if reachesPages { self.madeAt = received }
  }

  /// What is broken has changed.
  package mutating func change(to breakage: Breakage) {
    reachesPages = breakage.reachesPages
    // A server that was killed forgets what it received; it asks again before it answers with realtime.
    if breakage.server == .killed { received = nil }
    if reachesPages, let received { madeAt = received }
  }
}
