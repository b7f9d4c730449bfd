import PostgresSharing

/// The bytes of a feed that a leader accepted, as all servers index them.
struct SharedPublication: Sendable {
  /// Identifies the publication before it has a position; a repeated statement finds it stored.
  var id: Int64
  /// When the leader fetched it: seconds since 1970-01-01T00:00:00Z, of its service clock.
  var fetchedAt: Double
  /// When the source last answered without it; `nil` if it never did.
  var absentAt: Double?
  var contentType: String?
  var content: [UInt8]
}

/// The status of a source, as its leader reports it.
struct SourceReport: Hashable, Sendable {
  /// When the source was last asked.
  var polledAt: Double?
  /// When it last answered with a feed, or said that nothing changed.
  var answeredAt: Double?
  /// Why the last request failed.
  var failure: String?
  /// Whether the source responds, but with content that cannot be read.
  var isOfContent = false
  /// Why the newest content is not used.
  var refusal: String?
}

/// The answer to a statement about the lease of a source.
struct LeaseAnswer: Sendable {
  var lease: LeaseDriver.Answer
  /// The name of the server that has the lease.
  var ownerName: String
  /// The newest position of all publications.
  var position: Int64
  /// What the leader said last.
  var report: SourceReport
}
