package import Serving

extension JobsService {
  /// Whether the list of jobs can be read, and none of them is stuck.
  package func dependency() async -> DependencyReading {
    do {
      _ = try await store.counts()
      let stuck = try await store.stuck()
      guard !stuck.isEmpty else { return DependencyReading("jobs", .ok, isRequired: true) }
      let detail = "\(stuck.count) do not go on, one of them \(stuck[0])"
      return DependencyReading("jobs", .degraded, detail: detail, isRequired: true)
    } catch {
      return DependencyReading(
        "jobs",
        .down,
        detail: "the list of jobs cannot be read: \(error)",
        isRequired: true
      )
    }
  }
}
