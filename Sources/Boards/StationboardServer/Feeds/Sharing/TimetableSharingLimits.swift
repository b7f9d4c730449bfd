package import PostgresSharing

/// The limits of servers that share timetables through a database.
package struct TimetableSharingLimits: Hashable, Sendable {
  /// How often a server looks for new timetables that no notification has announced.
  package var watchEvery = Duration.milliseconds(2_000)
  /// How long after a failed statement another one is tried.
  package var retryEvery = Duration.milliseconds(500)
  /// How long a statement may take, except those of ``bulkWithin``.
  package var answerWithin = Duration.milliseconds(5_000)
  /// How long a statement may take that carries a part of a timetable, or removes timetables with their parts.
  package var bulkWithin = Duration.milliseconds(60_000)
  /// How long after a timetable could not be fetched it is tried again; the wait doubles with each further failure.
  package var firstRetry = Duration.milliseconds(1_000)
  /// The longest wait before a timetable is tried again.
  package var longestRetry = Duration.milliseconds(60_000)
  /// How often a generation that waits for its first day is compared with its checksums.
  package var verifyEvery = Duration.milliseconds(21_600_000)
  /// How long before its first day it is compared for the last time.
  package var verifyBefore = Duration.milliseconds(3_600_000)
  /// How often a server removes what importers left that were killed.
  package var sweepEvery = Duration.milliseconds(10_000)
  /// How long a server or command may change a feed after it sent its last renewal of the feed's lease, and how long another one
  /// sees no renewal before it takes the lease over.
  package var leaseDuration = Duration.milliseconds(10_000)
  /// How often a lease is renewed.
  package var renewLeaseEvery = Duration.milliseconds(2_000)
  /// How often a server or command that waits for a lease checks it.
  package var watchLeaseEvery = Duration.milliseconds(500)
  /// The bytes of a part of a file.
  package var chunkBytes = 4 << 20
  /// The most bytes of the files of a timetable.
  package var artifactBytes = 16 << 30
  /// How long the database is asked whether it has stored a change whose commit it did not answer.
  package var outcomeWithin = Duration.milliseconds(20_000)
  /// How many changes of a feed the list of changes keeps.
  package var keptChanges = 100
  /// The most feeds, with those that were taken out of service.
  package var feeds = 256
  /// The longest name of a server, in characters.
  package var nameLength = 128
  /// The connections of a server for timetables, besides the one that listens.
  package var connections = 5
  /// The connections of a server for leases, which wait for no part of a timetable.
  package var leaseConnections = 2

  /// The limits of the lease of a feed.
  package var lease: LeaseLimits {
    var lease = LeaseLimits()
    lease.duration = leaseDuration
    lease.renewEvery = renewLeaseEvery
    lease.watchEvery = watchLeaseEvery
    lease.answerWithin = answerWithin
    return lease
  }

  /// Creates the default limits.
  package init() {}
}
