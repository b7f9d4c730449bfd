import ConditionalHTTP

// Facts that the client does not control: the cadence of its preset, and what the server signed.
extension ClientJudge {
  /// Checks that the cadence of every line belongs to the preset, not to a choice of the file.
  func cadenceOfPreset(_ terms: ReportTerms) -> Gate? {
    guard let cadences = terms.cadences else { return nil }
    let stated = samples.filter { $0.cadence > 0 }
    let off = stated.filter { !cadences.contains($0.cadence) }
    let seen = Set(stated.map(\.cadence)).sorted().prefix(4).map { Figures.span($0) }
    let names = cadences.sorted().map { Figures.span($0) }.joined(separator: ", ")
    return Gate(
      "cadence_of_preset",
      "every cadence is one of \(terms.preset): \(names)",
      measured: seen.isEmpty ? "none" : seen.joined(separator: ", "),
      off.isEmpty
        ? []
        : [
          Gate.Finding(
            "\(Figures.count(off.count, "line")) claim a cadence that \(terms.preset) does not"
              + " have, such as \(off[0].cadence) ms",
            off.map(\.line)
          )
        ]
    )
  }

  /// Checks that every response carries the server's receipt, and that each follows the previous
  /// one.
  var receipts: Gate {
    var findings: [Gate.Finding] = []
    func find(_ says: String, _ samples: [RecordedSample]) {
      guard !samples.isEmpty else { return }
      findings.append(
        Gate.Finding("\(Figures.count(samples.count, "answer")) \(says)", samples.map(\.line))
      )
    }
    let signed = answers.filter { $0.receipt?.verdict == .genuine }
    find("have no receipt", answers.filter { $0.receipt == nil })
    let forged = answers.filter { $0.receipt != nil && $0.receipt?.verdict != .genuine }
    if case .forged(let reason) = forged.first?.receipt?.verdict {
      find("were changed or invented: the receipt of line \(forged[0].line) \(reason)", forged)
    }
    find("do not follow the one before: left out, put in or moved", unchained)
    find("started at another time than the server saw", moved(signed))
    let kinds = Set(signed.compactMap { $0.receipt?.client })
    if kinds.count > 1 {
      find(
        "are of a page, the others of a program: two clients",
        signed.filter { $0.receipt?.client == .page }
      )
    }
    return Gate(
      "receipts",
      "every answer carries the server's receipt, and each follows the one before",
      measured: "\(signed.count) of \(answers.count)"
        + (kinds.count == 1 ? ", of a \(kinds.first?.rawValue ?? "")" : ""),
      findings
    )
  }

  /// The responses that do not follow the previous one of their resource.
  ///
  /// Only the first of a file may follow one that is not in it, because a ring had dropped that.
  private var unchained: [RecordedSample] {
    var last: [Int32: RecordedReceipt] = [:]
    var isFirst = true
    return samples.filter { sample in
      guard let receipt = sample.receipt else { return false }
      let before = last.updateValue(receipt, forKey: sample.resource)
      defer { isFirst = false }
      guard receipt.verdict == .genuine else { return false }
      guard let number = receipt.number else { return before != nil }
      guard number == sample.generation else { return true }
      return before.map { $0.name != receipt.before } ?? !isFirst
    }
  }

  /// Returns the responses whose requests are in another order than the server's times.
  private func moved(_ signed: [RecordedSample]) -> [RecordedSample] {
    var last: RecordedSample?
    return signed.filter { sample in
      defer { last = sample }
      guard let before = last, let now = sample.receipt, let then = before.receipt else {
        return false
      }
      let apart = (sample.startedAt - before.startedAt) - (now.serverTime - then.serverTime)
      let room = max(sample.duration, before.duration, 0) + ReportLimits.startGrain
      return apart.magnitude > room.magnitude
    }
  }
}
