package import PostgresSharing

/// The limits of servers that share realtime through a database.
///
/// A leader that stops without releasing its lease is replaced in less than five seconds.
package struct LeadershipLimits: Hashable, Sendable {
  /// The limits of the lease of a source.
  package var lease = LeaseLimits()
  /// How long one statement of a publication may take.
  package var publishWithin = Duration.milliseconds(20_000)
  /// The longest name of a server, in characters.
  package var nameLength = 128
  /// How many publications of a source the database keeps.
  package var keptPublications = 4
  /// How long after a publication earlier ones are removed.
  package var removeAfter = Duration.milliseconds(1_000)
  /// How many days after its last renewal a source is removed with its publications.
  package var keptSourceDays = 30
  /// How long a request waits for a publication that its client has seen already.
  package var readWait = Duration.milliseconds(1_000)
  /// The longest reason that a leader reports of a failure, in characters.
  package var reasonLength = 200
  /// The connections of a server for publications.
  package var connections = 3
  /// The connections of a server for leases, which wait for no publication.
  package var leaseConnections = 2

  /// Creates the default limits.
  package init() {}
}
