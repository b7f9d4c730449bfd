package import PostgresClient
package import Serving
import Synchronization

// What operators may know of timetables that servers share.
extension TimetableSharing {
  /// Returns how many feeds of a database serve.
  ///
  /// - Parameter connection: A connection to a database with the tables of this program.
  /// - Returns: The number of feeds.
  /// - Throws: `PostgresError`.
  package static func feedCount(_ connection: PostgresConnection) async throws -> Int {
    let rows = try await connection.query(
      "SELECT count(*) FROM \(PostgresSchema.timetables().name).feed WHERE entry IS NOT NULL"
    )
    return try rows.first?[0] ?? 0
  }

  /// How a feed fares, for `/api/status`.
  func state(of key: String) -> StatusReport.SharedState {
    state.withLock { state in
      guard let follower = state.follower, follower.answers != nil, state.failure == nil else {
        return .unknown
      }
      return switch follower.state(of: key) {
      case .current, .incomplete: .current
      case .fetching: .fetching
      case .waiting: .waiting
      case .refused: .refused
      case nil: .onlyHere
      }
    }
  }

  /// How sharing fares, for operators; what is here serves in any case.
  package var dependency: DependencyReading {
    let now = now
    let (follower, failure) = state.withLock { ($0.follower, $0.failure) }
    let name = "timetables.shared"
    if let failure {
      return DependencyReading(
        name,
        .degraded,
        detail: "the database cannot be reached, what is here serves on: \(failure)"
      )
    }
    guard let follower, follower.answers != nil else {
      return DependencyReading(name, .degraded, detail: "not requested yet")
    }
    for key in follower.keys {
      switch follower.state(of: key) {
      case .refused(let reason):
        return DependencyReading(
          name,
          .degraded,
          detail: "the feed \(key): a timetable cannot be used, what serves goes on: \(reason)"
        )
      case .fetching:
        return behind(follower, at: now, "the feed \(key): a newer timetable is being fetched")
      case .waiting(isLocked: false):
        return behind(follower, at: now, "the feed \(key): a newer timetable is to be fetched")
      case .waiting(isLocked: true):
        return behind(
          follower,
          at: now,
          "the feed \(key): a newer timetable is known; another process of this machine has the lock of the data folder"
        )
      case .incomplete(let reason):
        return DependencyReading(
          name,
          .degraded,
          detail:
            "the feed \(key): the timetable that waits for its first day cannot be used: \(reason)"
        )
      case .current, nil: break
      }
    }
    return DependencyReading(name, .ok, detail: "up to change \(follower.complete)")
  }

  /// How sharing fares while a newer timetable is known: that takes its time, and is not a fault until it takes too long.
  private func behind(
    _ follower: TimetableFollower,
    at now: Duration,
    _ detail: String
  ) -> DependencyReading {
    let state: DependencyReading.State =
      follower.behind(at: now) < limits.longestRetry ? .ok : .degraded
    return DependencyReading("timetables.shared", state, detail: detail)
  }

  /// Writes the measurements.
  package func write(to metrics: inout MetricsText) {
    let now = now
    let (follower, isAway, bytes, fetches, refusals, stored, removed) = state.withLock {
      (
        $0.follower, $0.failure != nil, $0.fetchedBytes, $0.fetches, $0.refusals, $0.stored,
        $0.removed
      )
    }
    guard let follower else { return }
    metrics.add(
      "freshet_timetables_position",
      .gauge,
      "The position up to which all changes of shared timetables are in place",
      Double(follower.complete)
    )
    metrics.add(
      "freshet_timetables_newest_position",
      .gauge,
      "The position of the newest change of shared timetables that is known",
      Double(follower.known)
    )
    metrics.add(
      "freshet_timetables_behind_seconds",
      .gauge,
      "For how long a newer timetable is known than serves; 0 if none is",
      follower.behind(at: now).seconds
    )
    metrics.add(
      "freshet_timetables_fetched_bytes_total",
      .counter,
      "Bytes of timetables that were fetched from the database",
      Double(bytes)
    )
    metrics.add(
      "freshet_timetables_fetched_total",
      .counter,
      "Timetables that were fetched from the database",
      Double(fetches)
    )
    metrics.add(
      "freshet_timetables_refused_total",
      .counter,
      "Attempts to fetch a timetable, or to let it serve, that failed because of it or of this machine",
      Double(refusals)
    )
    metrics.add(
      "freshet_timetables_stored_total",
      .counter,
      "Changes of timetables that this server made for all",
      Double(stored)
    )
    metrics.add(
      "freshet_timetables_removed_total",
      .counter,
      "Timetables that no feed names and that this server removed from the database",
      Double(removed)
    )
    metrics.add(
      "freshet_timetables_database_up",
      .gauge,
      "0 while the database that shares timetables does not answer, else 1",
      isAway ? 0 : 1
    )
  }
}
