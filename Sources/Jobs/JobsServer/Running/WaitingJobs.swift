import Jobs

/// The jobs that wait in this process, in order of their ranks.
struct WaitingJobs {
  /// A job that waits.
  struct Job: Hashable {
    let id: String
    let rank: Int64
    /// Before which instant it does not run.
    let due: Int64
  }

  /// The jobs, the lowest rank first.
  private(set) var jobs: [Job] = []

  var count: Int { jobs.count }

  /// Adds a job behind those of its rank, unless it waits already.
  mutating func add(_ row: JobRow) {
    guard !jobs.contains(where: { $0.id == row.id }) else { return }
    let job = Job(
      id: row.id,
      rank: row.rank,
      due: row.state == .queued ? row.schedule.runAt ?? 0 : 0
    )
    jobs.insert(job, at: jobs.firstIndex { $0.rank > job.rank } ?? jobs.count)
  }

  mutating func remove(at place: Int) { jobs.remove(at: place) }

  /// Removes those that wait for an instant and are no longer open.
  mutating func keep(_ open: Set<String>, at now: Int64) {
    jobs.removeAll { $0.due > now && !open.contains($0.id) }
  }

  /// The places of those whose time has come.
  func due(at now: Int64) -> [Int] { jobs.indices.filter { jobs[$0].due <= now } }

  /// The next instant for which a job waits.
  func nextDue(after now: Int64) -> Int64? { jobs.map(\.due).filter { $0 > now }.min() }
}
