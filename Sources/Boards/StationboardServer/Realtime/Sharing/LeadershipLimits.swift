/// The limits of servers that share realtime through a database.
///
/// A leader that stops without releasing its lease is replaced within ``watchEvery``, ``lease`` and ``takeSpread`` together, and the
/// time of two statements: less than five seconds.
package struct LeadershipLimits: Hashable, Sendable {
  /// How long a leader may poll and publish after it sent its last renewal, and how long a follower sees no renewal
  /// before it takes the lease over.
  package var lease = Duration.milliseconds(3_000)
  /// How much earlier than that a leader stops, since clocks do not run equally fast.
  package var margin = Duration.milliseconds(150)
  /// How often a leader renews its lease.
  package var renewEvery = Duration.milliseconds(750)
  /// How often a follower looks at the lease, and at the number of the newest publication.
  package var watchEvery = Duration.milliseconds(1_000)
  /// The time over which followers spread when they take over a lease that was not released.
  package var takeSpread = Duration.milliseconds(400)
  /// The time over which followers spread when a lease was given back.
  package var freeSpread = Duration.milliseconds(100)
  /// How long after a failed statement another one is tried.
  package var retryEvery = Duration.milliseconds(500)
  /// How long a statement about a lease may take.
  package var answerWithin = Duration.milliseconds(2_000)
  /// How long one statement of a publication may take.
  package var publishWithin = Duration.milliseconds(20_000)
  /// The longest name of a server, in characters.
  package var nameLength = 128
  /// How many publications of a source the database keeps.
  package var keptPublications = 4
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
