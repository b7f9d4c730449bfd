import PostgresSharing
package import Serving

extension RealtimeFeeds {
  /// How each source fares, for operators; boards are served without realtime too.
  package var dependencies: [DependencyReading] {
    sources.enumerated().map { index, source in
      let prefix = source.prefix.isEmpty ? "" : ".\(source.prefix)"
      let name = "realtime.\(source.kind.rawValue)\(prefix).\(index + 1)"
      if let status = sharing?.status(of: source), !status.isLeader {
        return reading(name, source, status)
      }
      guard let poller = poller(of: source) else {
        return DependencyReading(name, .degraded, detail: "not requested yet: \(source.title)")
      }
      guard let failure = poller.failure else { return DependencyReading(name, .ok) }
      return DependencyReading(name, .degraded, detail: "\(source.title): \(failure)")
    }
  }

  /// How a source fares that servers share and this one does not poll.
  private func reading(
    _ name: String,
    _ source: RealtimeSource,
    _ status: SourceLeader.Status
  ) -> DependencyReading {
    if status.owner == nil {
      let failure = sharing?.failure
      guard status.hasAnswered || failure != nil else {
        return DependencyReading(name, .degraded, detail: "not requested yet: \(source.title)")
      }
      let reason = failure ?? "no answer to a statement about its lease"
      return DependencyReading(
        name,
        .degraded,
        detail: "\(source.title): the database that shares it cannot be reached: \(reason)"
      )
    }
    let leader = status.owner == .another ? "polled by \(status.ownerName)" : "about to be polled"
    guard let failure = report(of: source).failure else {
      return DependencyReading(name, .ok, detail: leader)
    }
    return DependencyReading(name, .degraded, detail: "\(source.title): \(failure), \(leader)")
  }
}
