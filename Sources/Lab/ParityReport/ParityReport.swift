import ConditionalHTTP

/// The comparison of the recordings of two clients.
package struct ParityReport: Sendable {
  /// The clients.
  package let clients: [ClientReport]
  /// The gates that compare them, the mechanism table's last.
  package let gates: [Gate]
  /// The mechanisms of seed 000.
  package let mechanisms: MechanismTable

  /// Compares two clients.
  package init(_ first: ClientReport, _ second: ClientReport, mechanisms: MechanismTable) {
    clients = [first, second]
    self.mechanisms = mechanisms
    let comparison = ParityJudge(first, second)
    gates = comparison.gates + [mechanisms.gate]
  }

  /// Whether both recordings can be judged.
  package var isUsable: Bool { clients.allSatisfy(\.isUsable) }
  /// Whether all gates of both clients and between them are passed.
  package var isPassed: Bool {
    isUsable && clients.allSatisfy(\.isPassed) && gates.allSatisfy(\.isPassed)
  }

  /// What no gate can verify in these recordings; empty if receipts were verified.
  package var untold: [String] {
    guard !clients.allSatisfy(\.recording.isVerified) else { return [] }
    return [
      "whether one recording is the other with new times, names and noise",
      "whether ages were edited, by up to 2.5 s or together with source times",
      "whether answers were left out and the others renumbered",
      "whether a page and a terminal made them, or one of the two made both",
      "whether the stop was written into both afterwards",
      "whether any of it was ever answered by a server",
    ]
  }

  /// The differences between the clients that affect no gate (mesdeparts.md 6.1): second minus
  /// first.
  package var differences: [(name: String, value: String)] {
    func difference(_ value: (ClientReport) -> Double?, _ word: (Double) -> String) -> String {
      guard let first = value(clients[0]), let second = value(clients[1]) else { return "–" }
      return word(second - first)
    }
    let span = { (value: Double) in Figures.span(Int64(value.rounded())) }
    let points = { (value: Double) in Figures.decimal(value, places: 1) + " points" }
    let applied = difference({ $0.appliedAge.map { Double($0) } }, span)
    return [
      ("p95 of the age of applied realtime", applied),
      ("mean age on screen", difference({ $0.ageOnScreen?.mean }, span)),
      ("realtime not applied", difference({ $0.notAppliedPercent }, points)),
      ("mean interval", difference({ $0.intervalLengths.mean }, span)),
      ("standard deviation of the interval", difference({ $0.intervalLengths.deviation }, span)),
      ("mean duration", difference({ $0.durations.mean }, span)),
    ]
  }
}

/// Compares two recordings.
struct ParityJudge {
  let first: ClientReport
  let second: ClientReport

  init(_ first: ClientReport, _ second: ClientReport) {
    self.first = first
    self.second = second
  }

  var gates: [Gate] {
    [sameStop, sameTime, independent, intervalsAlike] + [twoKinds].compactMap(\.self)
  }

  /// Returns the mean interval of the schedule relative to the cadence, in percent.
  private func stretch(_ client: ClientReport) -> Int? {
    let judged = client.intervals.filter { $0.kind == .scheduled && $0.cadence > 0 }
    let cadences = judged.reduce(0.0) { $0 + Double($1.cadence) }
    let lengths = judged.reduce(0.0) { $0 + Double($1.length) }
    return cadences > 0 ? Int((min(lengths / cadences, 1_000) * 100).rounded()) : nil
  }

  /// Clients with other presets have other intervals, but deviate from them equally.
  private var intervalsAlike: Gate {
    let stretches = [stretch(first), stretch(second)]
    let cadences = stretches.map { $0.map { Figures.decimal(Double($0) / 100, places: 2) } ?? "–" }
    let gap = stretches[0].flatMap { left in stretches[1].map { abs($0 - left) } }
    let isAlike = gap.map { $0 <= ReportLimits.mostIntervalGap } ?? false
    return Gate(
      "intervals_alike",
      "the mean intervals differ by at most \(ReportLimits.mostIntervalGap) % of the cadence",
      measured: "\(cadences[0]) and \(cadences[1]) cadences",
      isAlike
        ? []
        : [
          Gate.Finding(
            gap == nil
              ? "a recording has no interval of the schedule"
              : "the mean intervals are \(cadences[0]) and \(cadences[1]) cadences: the clients do not"
                + " behave alike"
          )
        ]
    )
  }

  /// Requires that one recording is of a page and the other is not, as seen by the server; `nil`
  /// without receipts.
  private var twoKinds: Gate? {
    guard first.recording.isVerified, second.recording.isVerified else { return nil }
    let kinds = [first, second].map { client in
      Set(client.answers.compactMap { $0.receipt?.client.rawValue }).sorted()
    }
    let names = kinds.map { $0.isEmpty ? "no client" : $0.joined(separator: " and ") }
    let isRight = Set(kinds) == [["page"], ["program"]]
    return Gate(
      "page_and_program",
      "one recording is of a page, the other of a program",
      measured: names.joined(separator: " | "),
      isRight
        ? [] : [Gate.Finding("the recordings are of \(names[0]) and \(names[1])")]
    )
  }

  private func subjects(_ client: ClientReport) -> Set<String> {
    Set(client.recording.samples.compactMap { $0.asked.map { client.recording.strings[$0] } })
  }

  private var sameStop: Gate {
    let subjects = [self.subjects(first), self.subjects(second)]
    let names = subjects.map { $0.sorted().prefix(3).joined(separator: ", ") }
    var findings: [Gate.Finding] = []
    if subjects.contains(where: \.isEmpty) {
      findings.append(Gate.Finding("a recording does not say which stop was asked for"))
    } else if subjects[0] != subjects[1] {
      findings.append(
        Gate.Finding("the clients asked for different stops: \(names[0]) and \(names[1])")
      )
    }
    return Gate(
      "same_stop",
      "both clients asked for the same stop",
      measured: findings.isEmpty ? names[0] : names.joined(separator: " | "),
      findings
    )
  }

  /// Returns the server's time during which a client ran.
  private func window(_ client: ClientReport) -> ClosedRange<Int64>? {
    let times = client.answers.compactMap(\.serverTime)
    guard let least = times.min(), let greatest = times.max() else { return nil }
    return least...greatest
  }

  private var sameTime: Gate {
    let says =
      "both ran at the same time of the server, during at least \(ReportLimits.leastOverlap) % of the"
      + " shorter recording"
    guard let left = window(first), let right = window(second) else {
      return Gate(
        "same_time",
        says,
        measured: "–",
        [Gate.Finding("a recording has no time of the server")]
      )
    }
    let shared = min(left.upperBound, right.upperBound) - max(left.lowerBound, right.lowerBound)
    let shorter = min(left.upperBound - left.lowerBound, right.upperBound - right.lowerBound)
    let isEnough = shared >= 0 && shared * 100 >= shorter * Int64(ReportLimits.leastOverlap)
    let apart = [left, right].map { Figures.instant($0.lowerBound) }
    return Gate(
      "same_time",
      says,
      measured: "\(Figures.span(max(shared, 0))) of \(Figures.span(shorter))",
      isEnough
        ? []
        : [
          Gate.Finding(
            "the recordings share \(Figures.span(max(shared, 0))) of the server's time; they begin at"
              + " \(apart[0]) and \(apart[1])"
          )
        ]
    )
  }

  // MARK: Independence

  private var independent: Gate {
    Gate(
      "clients_independent",
      "no client's recording is made from the other's",
      measured: "\(first.recording.samples.count) and \(second.recording.samples.count) samples",
      [copiedLines, sharedAnswers, sharedTimes, sharedRhythm].lazy.compactMap { $0 }.first
        .map { [$0] } ?? []
    )
  }

  /// The lines of the second client that share a value with the first one's.
  private func shared<Value: Hashable>(
    _ value: (RecordedSample) -> Value?
  ) -> [Int] {
    let known = Set(first.recording.samples.compactMap(value))
    return second.recording.samples.filter { value($0).map { known.contains($0) } ?? false }
      .map(\.line)
  }

  private var copiedLines: Gate.Finding? {
    let lines = shared { $0.lineHash }
    guard !lines.isEmpty else { return nil }
    return Gate.Finding(
      "\(Figures.count(lines.count, "line")) of one file stand in the other, byte for byte: a copied"
        + " file",
      lines,
      file: second.recording.name
    )
  }

  private var sharedAnswers: Gate.Finding? {
    let lines = Set(shared { $0.digest }).union(shared { $0.requestId }).sorted()
    guard !lines.isEmpty else { return nil }
    return Gate.Finding(
      "\(Figures.count(lines.count, "answer")) were given to the other client as well (same body or"
        + " request id): re-timed payloads, or a cache between clients and server",
      lines,
      file: second.recording.name
    )
  }

  private struct Stamp: Hashable {
    var server: Int64
    var age: Int64
  }

  /// Detects equal server times to the millisecond, with equal ages.
  private var sharedTimes: Gate.Finding? {
    func stamp(_ sample: RecordedSample) -> Stamp? {
      guard sample.outcome == .content, let time = sample.serverTime, time % 1_000 != 0,
        let age = sample.cacheAge
      else { return nil }
      return Stamp(server: time, age: age)
    }
    let lines = shared(stamp)
    let count = second.recording.samples.count { stamp($0) != nil }
    guard lines.count >= 3, lines.count * 10 >= count else { return nil }
    return Gate.Finding(
      "\(Figures.count(lines.count, "answer")) carry the same serverTime and rtCacheAgeMs as the other"
        + " client's: re-timed payloads",
      lines,
      file: second.recording.name
    )
  }

  /// Detects equal intervals with equal durations, at any offset.
  private var sharedRhythm: Gate.Finding? {
    let rhythms = [first, second].map { rhythm($0) }
    guard rhythms.allSatisfy({ $0.count >= ReportLimits.fewestAnswers - 1 }) else { return nil }
    // Constant intervals are not a rhythm: two honest clients without jitter share them.
    guard rhythms.allSatisfy({ (Distribution($0.map(\.length)).deviation ?? 0) >= 5 }) else {
      return nil
    }
    let longest = Self.mostCompared
    let left = rhythms[0].prefix(longest).map { $0 }
    let right = rhythms[1].prefix(longest).map { $0 }
    var best: [Int] = []
    for shift in (1 - left.count)..<right.count {
      let lines = left.indices.compactMap { index -> Int? in
        let other = index + shift
        guard right.indices.contains(other) else { return nil }
        let isSame =
          (left[index].length - right[other].length).magnitude
          <= ReportLimits.sameInterval.magnitude && left[index].duration == right[other].duration
        return isSame ? right[other].line : nil
      }
      if lines.count > best.count { best = lines }
    }
    let shorter = min(left.count, right.count)
    guard best.count * 100 >= shorter * ReportLimits.mostRepeated else { return nil }
    return Gate.Finding(
      "\(best.count) of \(shorter) intervals and durations are the other client's: a re-timed copy",
      best,
      file: second.recording.name
    )
  }

  /// The maximum number of requests whose rhythm is compared at every offset.
  private static let mostCompared = 2_000

  private func rhythm(
    _ client: ClientReport
  ) -> [(line: Int, length: Int64, duration: Int64)] {
    let durations = Dictionary(
      client.recording.samples.map { ($0.line, $0.duration) },
      uniquingKeysWith: { first, _ in first }
    )
    return client.intervals.map { ($0.line, $0.length, durations[$0.line] ?? 0) }
  }
}
