/// The limits of a lease.
///
/// An owner that stops without releasing its lease is replaced within ``watchEvery``, ``duration`` and ``acquireSpread`` together,
/// and the time of two statements.
package struct LeaseLimits: Hashable, Sendable {
  /// How long an owner may act after it sent its last renewal, and how long another server sees no renewal before it takes
  /// the lease over.
  package var duration = Duration.milliseconds(3_000)
  /// How much earlier than that an owner stops, since clocks do not run equally fast.
  package var margin = Duration.milliseconds(150)
  /// How often an owner renews its lease.
  package var renewEvery = Duration.milliseconds(750)
  /// How often another server checks the lease.
  package var watchEvery = Duration.milliseconds(1_000)
  /// The time over which servers spread when they take over a lease that was not released.
  package var acquireSpread = Duration.milliseconds(400)
  /// The time over which servers spread when a lease was given back.
  package var freeSpread = Duration.milliseconds(100)
  /// How long after a failed statement another one is tried.
  package var retryEvery = Duration.milliseconds(500)
  /// How long a statement about a lease may take.
  package var answerWithin = Duration.milliseconds(2_000)

  /// Creates the default limits.
  package init() {}
}
