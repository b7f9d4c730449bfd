package import Serving

extension RealtimeFeeds {
  /// How each source fares, for operators; boards are served without realtime too.
  package var dependencies: [DependencyReading] {
    sources.enumerated().map { index, source in
      let prefix = source.prefix.isEmpty ? "" : ".\(source.prefix)"
      let name = "realtime.\(source.kind.rawValue)\(prefix).\(index + 1)"
      guard let poller = poller(of: source) else {
        return DependencyReading(name, .degraded, detail: "not requested yet: \(source.title)")
      }
      guard let failure = poller.failure else { return DependencyReading(name, .ok) }
      return DependencyReading(name, .degraded, detail: "\(source.title): \(failure)")
    }
  }
}
