/// The requests and bytes of one recording, state by state.
struct WorkspaceTraffic {
  /// The rows of the states that were seen.
  private(set) var rows: [PollState: PollRow] = [:]
  /// The size of the largest complete list received, in bytes; 0 without one.
  private(set) var wholeList: Int64 = 0
  /// The bytes received over streams.
  private(set) var streamed: Int64 = 0
  /// The lines of responses whose bytes are missing or differ.
  private(set) var unmatched: [Int] = []
  /// From the first request or piece of a stream to the last, in milliseconds.
  private(set) var span: Int64 = 0

  /// Measures a recording of one resource.
  init(_ recording: Recording) {
    let samples = recording.samples
    let instants =
      recording.wire.map(\.at)
      + (samples.isEmpty ? [] : [recording.span.begin, recording.span.end])
    span = (instants.max() ?? 0) - (instants.min() ?? 0)
    for (before, interval) in zip(samples, Interval.all(of: samples)) {
      // An interval between two states belongs to neither.
      guard interval.kind == .scheduled, before.cadence == interval.cadence,
        let state = PollState(cadence: interval.cadence)
      else { continue }
      rows[state, default: PollRow(state: state)].intervals += 1
      rows[state, default: PollRow(state: state)].time += max(interval.length, 0)
    }
    streamed = recording.wire.reduce(0) { $0 + ($1.isStream ? $1.received : 0) }
    let answers = recording.wire.filter { !$0.isStream }.sorted { $0.at < $1.at }
    wholeList = answers.first { $0.isWhole }?.body ?? 0
    var place = 0
    for sample in samples.sorted(by: { $0.endedAt < $1.endedAt }) where sample.isAnswer {
      while place < answers.count,
        answers[place].at < sample.startedAt - WorkspaceReportLimits.sameMoment
      { place += 1 }
      // A request that was given up has bytes but not a sample.
      let match = answers[place...].prefix {
        $0.at <= sample.endedAt + WorkspaceReportLimits.sameMoment
      }
      .firstIndex { $0.body == sample.bytes }
      guard let match else {
        unmatched.append(sample.line)
        continue
      }
      add(sample, answers[match])
      place = match + 1
    }
  }

  private mutating func add(_ sample: RecordedSample, _ wire: WireBytes) {
    if wire.isWhole { wholeList = max(wholeList, wire.body) }
    // Requests outside the schedule, such as the first list, belong to no state.
    guard let state = PollState(cadence: sample.cadence),
      sample.reason == nil || sample.reason == .schedule
    else { return }
    var row = rows[state] ?? PollRow(state: state)
    row.answers += 1
    if sample.outcome == .unchanged { row.unchanged += 1 }
    if sample.isChange { row.changes += 1 }
    row.bytes += wire.received
    if wholeList > 0 { row.wholeBytes += wire.head + wholeList }
    rows[state] = row
  }
}
