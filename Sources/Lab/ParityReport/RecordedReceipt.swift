package import ConditionalHTTP
import Hashing

/// The receipt of a recorded response, compared with the line of the response.
package struct RecordedReceipt: Hashable, Sendable {
  /// The result of the comparison.
  package enum Verdict: Hashable, Sendable {
    /// It belongs to this response.
    case genuine
    /// It is not a receipt, or of another response, or of another server's key.
    case forged(String)
  }

  /// The result of the comparison.
  package var verdict: Verdict
  /// When the server responded, to the millisecond.
  package var serverTime: Int64
  /// The kind of client.
  package var client: AnswerReceipt.Client
  /// The hash of its name.
  package var name: UInt64
  /// The client's number of the request, as reported to the server; `nil` for the first of a chain.
  package var number: Int64?
  /// The hash of the previous receipt's name.
  package var before: UInt64?

  /// Verifies the receipt of a line.
  ///
  /// - Parameters:
  ///   - text: The receipt, as in the line.
  ///   - facts: The properties of the response in the line.
  ///   - serverTime: The server's time in the line. A 304 has it in whole seconds.
  ///   - isWhole: Whether the line is of a response with a body, which has its times to the
  ///     millisecond.
  ///   - sourceTime: When the data was made, by the line.
  ///   - key: The server's key.
  init(
    _ text: String,
    of facts: AnswerReceipt.Facts,
    serverTime: Int64?,
    isWhole: Bool,
    sourceTime: Int64?,
    key: ReceiptKey
  ) {
    guard let receipt = AnswerReceipt(text) else {
      verdict = .forged("is not a receipt")
      (self.serverTime, client, name) = (0, .program, 0)
      return
    }
    self.serverTime = receipt.serverTime
    client = receipt.client
    name = FNV1a.hash(receipt.name.utf8)
    number = receipt.after?.number
    before = receipt.after.map { FNV1a.hash($0.receipt.utf8) }
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
