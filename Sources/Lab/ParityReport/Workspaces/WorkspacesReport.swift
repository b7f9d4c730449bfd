/// Seed 003's tables from recorded traffic, and whether they hold.
///
/// Several recordings make one report: polling shows requests and bytes, a stream shows push times.
/// What no recording shows fails its gate.
package struct WorkspacesReport: Sendable {
  /// The times of one kind of change that reached the screen in one way.
  package struct DelayRow: Sendable {
    /// The kind of change, and how it arrived.
    package var name: String
    /// From the change to the screen, in milliseconds.
    package var times: Distribution
    /// The maximum of the percentile; `nil` without a requirement.
    package var limit: Int64?
  }

  /// The recordings.
  package let recordings: [Recording]
  /// The ground truth.
  package let truths: [AgentGroundTruth]
  /// The rows of the table of requests and bytes, in the order of the seed's.
  package let rows: [PollRow]
  /// The rows of the table of times.
  package let delays: [DelayRow]
  /// The gates of each recording.
  package let gatesOfRecordings: [[Gate]]
  /// The gates of all together.
  package let gates: [Gate]
  /// The size of the largest complete list received, in bytes; 0 without one.
  package let wholeList: Int64
  /// The bytes over streams, and the time, in milliseconds.
  package let streamed: (bytes: Int64, time: Int64)
  /// The number of changes that were superseded before they were late.
  package let superseded: Int

  /// Judges recordings.
  ///
  /// - Parameters:
  ///   - recordings: The recordings of clients.
  ///   - truths: The ground truth of the agents they watched.
  package init(_ recordings: [Recording], _ truths: [AgentGroundTruth]) {
    self.recordings = recordings
    self.truths = truths
    let traffic = recordings.map { WorkspaceTraffic($0) }
    let delays = recordings.map { WorkspaceDelays($0, truths) }
    gatesOfRecordings = zip(recordings, traffic).map { recording, traffic in
      let judge = ClientJudge(recording, Interval.all(of: recording.samples))
      // While a stream delivers everything, there is nothing to request.
      let life =
        traffic.streamed > 0
        ? [Self.streamLives(recording)] : [judge.enoughAnswers, judge.silence, judge.measured]
      return [judge.readable] + life + [
        judge.durations, judge.answersConsistent, judge.failures, judge.complete,
        Self.wireAddsUp(recording, traffic), Self.shownWasReceived(recording),
      ]
    }
    rows = PollState.allCases.map { state in
      traffic.compactMap { $0.rows[state] }.reduce(into: PollRow(state: state)) { $0.add($1) }
    }
    wholeList = traffic.map(\.wholeList).max() ?? 0
    let streams = traffic.filter { $0.streamed > 0 }
    streamed = (streams.reduce(0) { $0 + $1.streamed }, streams.reduce(0) { $0 + $1.span })
    superseded = delays.reduce(0) { $0 + $1.superseded }
    self.delays = Self.delayRows(delays)
    gates = WorkspaceJudge(rows: rows, delays: self.delays, truths: truths).gates
  }

  /// The bytes per hour over streams; `nil` if the time was too short to show it.
  package var streamedPerHour: Double? {
    guard streamed.time >= WorkspaceReportLimits.leastTime else { return nil }
    return Double(streamed.bytes) * 3_600_000 / Double(streamed.time)
  }
  /// Whether the recordings can be judged.
  package var isUsable: Bool { recordings.contains { !$0.samples.isEmpty } }
  /// Whether all gates are passed.
  package var isPassed: Bool {
    isUsable && (gatesOfRecordings.joined() + gates).allSatisfy(\.isPassed)
  }

  private static func delayRows(_ delays: [WorkspaceDelays]) -> [DelayRow] {
    func row(
      _ name: String,
      _ kind: AgentGroundTruth.Change.Kind,
      _ way: WorkspaceDelays.Way,
      _ limit: Int64?
    ) -> DelayRow {
      let times = delays.flatMap { $0.times[kind]?[way] ?? [] }
      return DelayRow(name: name, times: Distribution(times), limit: limit)
    }
    return [
      row(
        "todos, polled while active or recent",
        .todos,
        .polled,
        WorkspaceReportLimits.todosPolled
      ),
      row("todos, pushed", .todos, .pushed, WorkspaceReportLimits.pushed),
      row(
        "starts and stops, polled while active or recent",
        .state,
        .polled,
        WorkspaceReportLimits.statesPolled
      ),
      row("starts and stops, pushed", .state, .pushed, WorkspaceReportLimits.pushed),
      row("todos, polled while idle or in background", .todos, .polledSlowly, nil),
      row("starts and stops, polled while idle or in background", .state, .polledSlowly, nil),
    ]
  }

  private static func wireAddsUp(_ recording: Recording, _ traffic: WorkspaceTraffic) -> Gate {
    let answers = recording.samples.count(where: \.isAnswer)
    let lines = traffic.unmatched
    return Gate(
      "wire_adds_up",
      "every answer has the bytes that came for it",
      measured: "\(answers - lines.count) of \(Figures.count(answers, "answer"))",
      lines.isEmpty
        ? []
        : [
          Gate.Finding(
            "\(Figures.count(lines.count, "answer")) without a line \"wire\" of the same moment and"
              + " size",
            lines
          )
        ]
    )
  }

  /// Checks that a healthy stream has a heartbeat every 15 s.
  private static func streamLives(_ recording: Recording) -> Gate {
    let pieces = recording.wire.filter(\.isStream).sorted { $0.at < $1.at }
    var findings: [Gate.Finding] = []
    let gaps = zip(pieces, pieces.dropFirst()).filter {
      $1.at - $0.at > ReportLimits.silence
    }
    let longest = zip(pieces, pieces.dropFirst()).map { $1.at - $0.at }.max()
    if pieces.count < ReportLimits.fewestAnswers {
      findings.append(
        Gate.Finding(
          "\(Figures.count(pieces.count, "piece")) of a stream show nothing;"
            + " \(ReportLimits.fewestAnswers) are the least",
          pieces.map(\.line)
        )
      )
    }
    if !gaps.isEmpty {
      findings.append(
        Gate.Finding(
          "\(Figures.count(gaps.count, "gap")) in the stream, up to \(Figures.span(longest))",
          gaps.map { $1.line }
        )
      )
    }
    return Gate(
      "stream_lives",
      "never longer than \(ReportLimits.silence / 1_000) s without a sign of life of the stream",
      measured: "\(Figures.count(pieces.count, "piece")), at most \(Figures.span(longest)) apart",
      findings
    )
  }

  /// Checks that nothing was shown before it arrived.
  private static func shownWasReceived(_ recording: Recording) -> Gate {
    let contents = recording.wire.filter { $0.body > 0 }.map(\.at).sorted()
    var place = 0
    var lines: [Int] = []
    for shown in recording.shown.sorted(by: { $0.at < $1.at }) {
      while place < contents.count, contents[place] <= shown.at + WorkspaceReportLimits.sameMoment {
        place += 1
      }
      let last = place > 0 ? contents[place - 1] : nil
      if last.map({ shown.at - $0 > WorkspaceReportLimits.shownAfter }) ?? true {
        lines.append(shown.line)
      }
    }
    let count = recording.shown.count
    return Gate(
      "shown_was_received",
      "whatever is shown came within \(WorkspaceReportLimits.shownAfter / 1_000) s before",
      measured: "\(count - lines.count) of \(count)",
      lines.isEmpty
        ? []
        : [
          Gate.Finding("\(lines.count) times something is shown of which nothing came", lines)
        ]
    )
  }
}

extension PollRow {
  /// Adds measurements from elsewhere in the same state.
  mutating func add(_ other: PollRow) {
    intervals += other.intervals
    time += other.time
    answers += other.answers
    unchanged += other.unchanged
    changes += other.changes
    bytes += other.bytes
    wholeBytes += other.wholeBytes
  }
}
