/// What the recording of one client shows.
package struct ClientReport: Sendable {
  /// The recording.
  package let recording: Recording
  /// The gates, the seed's first.
  package let gates: [Gate]
  /// The times between requests.
  package let intervals: [Interval]

  /// Judges a recording.
  ///
  /// - Parameters:
  ///   - recording: The recording.
  ///   - terms: The terms it is checked against, besides its own figures.
  package init(_ recording: Recording, terms: ReportTerms = ReportTerms()) {
    self.recording = recording
    let intervals = Interval.all(of: recording.samples)
    self.intervals = intervals
    let judge = ClientJudge(recording, intervals)
    gates =
      judge.seedGates + [judge.cadenceOfPreset(terms)].compactMap(\.self)
      + judge.plausibilityGates + (recording.isVerified ? [judge.receipts] : [])
  }

  /// Whether the recording can be judged.
  package var isUsable: Bool { !recording.samples.isEmpty }
  /// Whether all gates are passed.
  package var isPassed: Bool { isUsable && gates.allSatisfy(\.isPassed) }

  // MARK: Figures

  /// The samples with a successful response.
  package var answers: [RecordedSample] { recording.samples.filter(\.isAnswer) }

  /// The lengths of the intervals, in milliseconds.
  package var intervalLengths: Distribution { Distribution(intervals.map(\.length)) }
  /// How long the requests took, in milliseconds.
  package var durations: Distribution { Distribution(recording.samples.map(\.duration)) }
  /// How old the data was on arrival, in milliseconds.
  package var ages: Distribution { Distribution(answers.compactMap(\.age)) }
  /// The bytes of bodies that were received.
  package var bytes: Distribution {
    Distribution(recording.samples.filter { $0.outcome == .content }.map(\.bytes))
  }

  /// The mean age of the data on screen between the first and the last response, and its maximum,
  /// in milliseconds.
  ///
  /// Between two responses the age grows by a second each second (R27).
  package var ageOnScreen: (mean: Double, greatest: Int64)? {
    var shown: (at: Int64, age: Int64)?
    var sum = 0.0
    var time = 0.0
    var greatest: Int64 = 0
    for sample in answers {
      if let shown {
        let length = max(sample.endedAt - shown.at, 0)
        sum += Double(length) * (Double(shown.age) + Double(length) / 2)
        time += Double(length)
        greatest = max(greatest, shown.age + length)
      }
      if let age = sample.age { shown = (sample.endedAt, age) }
    }
    return time > 0 ? (sum / time, greatest) : nil
  }

  /// Returns the frequencies of the values of `rtStatus` or `responseMode`, the most frequent
  /// first.
  package func counts(
    _ member: KeyPath<RecordedSample, Int32?>
  ) -> [(value: String, count: Int)] {
    var found: [Int32: Int] = [:]
    for sample in answers {
      if let value = sample[keyPath: member] { found[value, default: 0] += 1 }
    }
    return found.map { (recording.strings[$0.key], $0.value) }
      .sorted { ($1.count, $0.value) < ($0.count, $1.value) }
  }

  /// The responses whose realtime data was not applied, in percent of those that say.
  package var notAppliedPercent: Double? {
    let telling = answers.filter { $0.realtime != nil }
    guard !telling.isEmpty else { return nil }
    return Double(telling.count { !$0.isApplied }) * 100 / Double(telling.count)
  }

  /// p95 of the age of applied realtime, in milliseconds.
  package var appliedAge: Int64? {
    Distribution(answers.filter(\.isApplied).compactMap(\.cacheAge)).percentile(95)
  }
}
