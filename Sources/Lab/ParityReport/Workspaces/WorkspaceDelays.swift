/// The times from changes of agents to the screen of one client.
struct WorkspaceDelays {
  /// How a change reached the screen.
  enum Way: Hashable, CaseIterable {
    /// By a stream.
    case pushed
    /// By polling, while the app was visible during activity.
    case polled
    /// By polling at the slow pace of idle or background.
    case polledSlowly
  }

  /// Milliseconds, by the kind of change and how it arrived.
  ///
  /// A change that was never shown counts with the time that was waited for it.
  private(set) var times: [AgentGroundTruth.Change.Kind: [Way: [Int64]]] = [:]
  /// The lines of the ground truth that were never shown.
  private(set) var missed: [Int] = []
  /// The number of changes that were superseded before they were late.
  private(set) var superseded = 0

  /// Compares what a client showed with the ground truth.
  init(_ recording: Recording, _ truths: [AgentGroundTruth]) {
    let isStreamed = recording.wire.contains(where: \.isStream)
    let shown = Dictionary(grouping: recording.shown, by: \.worktree)
      .mapValues { $0.sorted { $0.at < $1.at } }
    let samples = recording.samples.sorted { $0.startedAt < $1.startedAt }
    guard let begin = samples.first?.endedAt else { return }
    let end = recording.span.end
    for truth in truths {
      var next: [Key: AgentGroundTruth.Change] = [:]
      for change in truth.changes.reversed() {
        let key = Key(worktree: change.worktree, kind: change.kind)
        let after = next.updateValue(change, forKey: key)
        // Other states depend on whether the user looked at the results.
        guard change.kind == .todos || change.isStartOrStop else { continue }
        // Changes before the client began, changes it had no time to learn, and worktrees of
        // another server say nothing.
        guard change.planned >= begin, change.written + WorkspaceReportLimits.patience <= end,
          let shown = shown[change.worktree]
        else { continue }
        let way = isStreamed ? Way.pushed : Self.way(at: change.written, samples)
        add(change, until: after?.planned, shown, way)
      }
    }
  }

  private struct Key: Hashable {
    var worktree: String
    var kind: AgentGroundTruth.Change.Kind
  }

  /// Returns the pace at which a change at this time is found: that of the next request.
  private static func way(at instant: Int64, _ samples: [RecordedSample]) -> Way {
    var (low, high) = (0, samples.count)
    while low < high {
      let middle = (low + high) / 2
      if samples[middle].startedAt < instant { low = middle + 1 } else { high = middle }
    }
    guard low < samples.count else { return .polledSlowly }
    return PollState(cadence: samples[low].cadence)?.isBusy == true ? .polled : .polledSlowly
  }

  private mutating func add(
    _ change: AgentGroundTruth.Change,
    until end: Int64?,
    _ shown: [ShownWorkspace],
    _ way: Way
  ) {
    let before = shown.last { $0.at < change.planned }
    // The screen does not change.
    if let before, change.isShown(before) { return }
    let deadline = min(end ?? .max, change.written + WorkspaceReportLimits.patience)
    let first = shown.first { $0.at >= change.planned && $0.at < deadline && change.isShown($0) }
    if let first {
      times[change.kind, default: [:]][way, default: []].append(max(first.at - change.written, 0))
    } else if deadline - change.written >= limit(change.kind, way) {
      times[change.kind, default: [:]][way, default: []].append(deadline - change.written)
      missed.append(change.line)
    } else {
      superseded += 1
    }
  }

  private func limit(_ kind: AgentGroundTruth.Change.Kind, _ way: Way) -> Int64 {
    switch (way, kind) {
    case (.pushed, _): WorkspaceReportLimits.pushed
    case (.polled, .todos): WorkspaceReportLimits.todosPolled
    case (.polled, .state): WorkspaceReportLimits.statesPolled
    case (.polledSlowly, _): WorkspaceReportLimits.patience
    }
  }
}
