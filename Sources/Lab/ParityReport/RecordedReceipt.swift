package import ConditionalHTTP

/// The receipt of a recorded answer, held against what the line says of the answer.
package struct RecordedReceipt: Hashable, Sendable {
  /// What it shows.
  package enum Verdict: Hashable, Sendable {
    /// It is of this answer.
    case genuine
    /// It is none, or not of this answer, or of another server's key.
    case forged(String)
  }

  /// What it shows.
  package var verdict: Verdict
  /// When the server answered, to the millisecond.
  package var serverTime: Int64
  /// Who asked.
  package var client: AnswerReceipt.Client
  /// The hash of its name.
  package var name: UInt64
  /// The client's number of the request, as the server was told it; nothing for the first of a chain.
  package var number: Int64?
  /// The hash of the name of the receipt before.
  package var before: UInt64?

  /// Verifies the receipt of a line.
  ///
  /// - Parameters:
  ///   - text: The receipt, as the line has it.
  ///   - facts: What the line says of the answer.
  ///   - serverTime: The server's time by the line. A 304 says it in whole seconds.
  ///   - isWhole: Whether the line is of an answer with a body, which says its times to the millisecond.
  ///   - sourceTime: When the data was made, by the line.
  ///   - key: The server's.
  init(
    _ text: String,
    of facts: AnswerReceipt.Facts,
    serverTime: Int64?,
    isWhole: Bool,
    sourceTime: Int64?,
    key: ReceiptKey
  ) {
    guard let receipt = AnswerReceipt(text) else {
      verdict = .forged("is none")
      (self.serverTime, client, name) = (0, .program, 0)
      return
    }
    self.serverTime = receipt.serverTime
    client = receipt.client
    name = Recording.hash(receipt.name.utf8)
    number = receipt.after?.number
    before = receipt.after.map { Recording.hash($0.receipt.utf8) }
    let grain = isWhole ? 1 : ReportLimits.clockGrain
    let apart = serverTime.map { ($0 - receipt.serverTime).magnitude } ?? 0
    if !receipt.isGenuine(facts, key: key) {
      verdict = .forged("is not of this answer, or of another key")
    } else if apart > grain.magnitude {
      verdict = .forged("has another server time")
    } else if let sourceTime, receipt.sourceTime.map({ ($0 - sourceTime).magnitude > 1 }) ?? true {
      verdict = .forged("has another source time")
    } else {
      verdict = .genuine
    }
  }
}
