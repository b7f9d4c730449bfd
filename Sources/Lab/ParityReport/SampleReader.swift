import ConditionalHTTP
import Hashing

/// Creates a sample from the members of a line, and reports which member is wrong.
struct SampleReader {
  let members: [String: RecordLine.Value]
  var strings: StringTable
  /// The key to verify receipts.
  var key: ReceiptKey?

  mutating func sample(line: Int, hash: UInt64) throws(RecordLine.Fault) -> RecordedSample {
    guard let startedAt = try number("startedAt") else { throw missing("startedAt") }
    guard let endedAt = try number("endedAt") else { throw missing("endedAt") }
    guard let outcome = try text("outcome") else { throw missing("outcome") }
    guard let meaning = RecordedSample.Outcome(rawValue: outcome) else {
      throw wrong("outcome", "\"\(outcome.prefix(40))\" is not an outcome")
    }
    let reason = try text("origin")
    if let reason, RecordedSample.Reason(rawValue: reason) == nil {
      throw wrong("origin", "\"\(reason.prefix(40))\" is not an origin")
    }
    var digest: UInt64?
    if let text = try text("digest") {
      guard let number = UInt64(text, radix: 16) else { throw wrong("digest", "is not a hash") }
      digest = number
    }
    let realtime = try text("rtStatus")
    let resource = try string("resource")
    let bare = resource == nil ? try number(of: "", "resource") : 0
    return RecordedSample(
      line: line,
      lineHash: hash,
      resource: resource ?? bare,
      generation: try number("generation"),
      reason: reason.flatMap { RecordedSample.Reason(rawValue: $0) },
      asked: try string("asked"),
      answered: try string("answered"),
      requestId: try text("requestId").map { FNV1a.hash($0.utf8) },
      receipt: try receipt(isWhole: meaning == .content),
      digest: digest,
      startedAt: startedAt,
      endedAt: endedAt,
      duration: try number("durationMs") ?? endedAt - startedAt,
      status: try number("status") ?? 0,
      outcome: meaning,
      serverTime: try number("serverTime"),
      fetchedAt: try number("rtFetchedAt"),
      cacheAge: try number("rtCacheAgeMs"),
      age: try number("ageMs"),
      mode: try string("responseMode"),
      realtime: try string("rtStatus"),
      isApplied: realtime == "applied",
      bytes: try number("bytes") ?? 0,
      isConditional: try flag("conditional") ?? false,
      isChange: try flag("changed") ?? false,
      cadence: try number("cadenceMs") ?? 0
    )
  }

  private func receipt(isWhole: Bool) throws(RecordLine.Fault) -> RecordedReceipt? {
    guard let key, let receipt = try text("receipt") else { return nil }
    let status = try number("status") ?? 0
    return RecordedReceipt(
      receipt,
      of: AnswerReceipt.Facts(
        requestId: try text("requestId") ?? "",
        entityTag: try text("entityTag") ?? "",
        subject: try text("asked") ?? "",
        realtime: try text("rtStatus") ?? "",
        status: Int(clamping: status)
      ),
      serverTime: try number("serverTime"),
      isWhole: isWhole,
      sourceTime: try number("rtFetchedAt"),
      key: key
    )
  }

  private func missing(_ name: String) -> RecordLine.Fault {
    RecordLine.Fault(problem: "the member \"\(name)\" is missing")
  }

  private func wrong(_ name: String, _ problem: String) -> RecordLine.Fault {
    RecordLine.Fault(problem: "the member \"\(name)\": \(problem)")
  }

  private func number(_ name: String) throws(RecordLine.Fault) -> Int64? {
    switch members[name] {
    case nil, .other: return nil
    case .number(let number): return number
    default: throw wrong(name, "a number is expected")
    }
  }

  private func text(_ name: String) throws(RecordLine.Fault) -> String? {
    switch members[name] {
    case nil, .other: return nil
    case .text(let text): return text
    default: throw wrong(name, "a text is expected")
    }
  }

  private func flag(_ name: String) throws(RecordLine.Fault) -> Bool? {
    switch members[name] {
    case nil, .other: return nil
    case .flag(let flag): return flag
    default: throw wrong(name, "true or false is expected")
    }
  }

  private mutating func string(_ name: String) throws(RecordLine.Fault) -> Int32? {
    guard let text = try text(name) else { return nil }
    return try number(of: text, name)
  }

  private mutating func number(of string: String, _ name: String) throws(RecordLine.Fault) -> Int32
  {
    guard let number = strings.number(of: string) else {
      throw wrong(name, "more than \(ReportLimits.mostStrings) different strings in one file")
    }
    return number
  }
}
