import Jobs
package import Serving

extension JobsService {
  /// Whether the list of jobs can be read, and none of them is stuck.
  ///
  /// A server without its shared database still has boards: it stays ready.
  package func dependency() async -> DependencyReading {
    let isRequired = !store.isShared
    do {
      let stuck = try await inTime { [store] in
        _ = try await store.counts()
        return try await store.stuck()
      }
      guard let stuck else {
        return DependencyReading(
          "jobs",
          .down,
          detail: "the list of jobs cannot be read within \(JobLimits.measureSeconds) s",
          isRequired: isRequired
        )
      }
      guard !stuck.isEmpty else { return DependencyReading("jobs", .ok, isRequired: isRequired) }
      let detail = "\(stuck.count) do not go on, one of them \(stuck[0])"
      return DependencyReading("jobs", .degraded, detail: detail, isRequired: isRequired)
    } catch {
      return DependencyReading(
        "jobs",
        .down,
        detail: "the list of jobs cannot be read: \(error)",
        isRequired: isRequired
      )
    }
  }
}
