import Freshness
import StrictJSON

/// Reads the responses of a vector.
enum AnswerReader {
  /// The names of the outcomes: the Swift cases of `Outcome`.
  static let outcomeNames = [
    "content", "unchanged", "refused", "unauthorised", "gone", "throttled", "serverError",
    "timedOut", "unreachable", "undecodable", "cancelled",
  ]

  private static let bareOutcomes: [String: Outcome] = [
    "unchanged": .unchanged, "refused": .refused, "unauthorised": .unauthorised, "gone": .gone,
    "serverError": .serverError, "timedOut": .timedOut, "unreachable": .unreachable,
    "cancelled": .cancelled,
  ]

  private static let anyBytes: ClosedRange<Int64> = 0...JSONValue.largestNumber
  private static let anySpan: ClosedRange<Int64> =
    -JSONValue.largestNumber...JSONValue.largestNumber

  static func answer(_ reader: inout MemberReader) throws(DocumentError) -> Answer {
    Answer(
      try outcome(&reader),
      status: Int32(truncatingIfNeeded: try reader.whole("status", in: 0...999) ?? 0),
      bytes: try reader.whole("bytes", in: anyBytes) ?? 0,
      metadata: try reader.object("metadata", metadata) ?? FreshnessMetadata(),
      hints: try reader.object("hints", hints) ?? Hints(),
      activity: try reader.choice("activity"),
      deviceTime: try reader.whole("deviceTime").map(WallTime.init(milliseconds:)),
      delay: try reader.whole("delay", in: anyBytes).map(Instant.Duration.init(milliseconds:)),
      decoding: .milliseconds(try reader.whole("decoding", in: anyBytes) ?? 0)
    )
  }

  private static func outcome(_ reader: inout MemberReader) throws(DocumentError) -> Outcome {
    guard let name = try reader.string("outcome") else {
      throw reader.error("outcome", "is missing")
    }
    if let outcome = bareOutcomes[name] { return outcome }
    switch name {
    case "content":
      let revision = try VectorReader.needed(reader.whole("revision"), "revision", reader)
      return .content(
        Content(
          Revision(revision),
          validator: try reader.whole("validator").map { Validator($0) },
          hasRealtime: try reader.flag("hasRealtime") ?? false,
          fulfilsAction: try reader.flag("fulfilsAction") ?? false
        )
      )
    case "throttled": return .throttled(try reader.object("retryAfter", retryHint))
    case "undecodable":
      let bounds = Int64(Int32.min)...Int64(Int32.max)
      let reason = try VectorReader.needed(reader.whole("reason", in: bounds), "reason", reader)
      return .undecodable(reason: Int32(truncatingIfNeeded: reason))
    default: throw reader.error("outcome", CaseNames.unknown(name, known: outcomeNames))
    }
  }

  private static func retryHint(_ reader: inout MemberReader) throws(DocumentError) -> RetryHint {
    switch (try reader.whole("seconds"), try reader.whole("date")) {
    case (let count?, nil): return .seconds(count)
    case (nil, let date?): return .date(WallTime(milliseconds: date))
    default: throw reader.error("seconds", "either this or \"date\" is expected")
    }
  }

  private static func metadata(
    _ reader: inout MemberReader
  ) throws(DocumentError) -> FreshnessMetadata {
    FreshnessMetadata(
      serverTime: try reader.whole("serverTime").map(WallTime.init(milliseconds:)),
      truncation: .milliseconds(try reader.whole("truncation", in: anyBytes) ?? 0),
      fetchedAt: try reader.whole("fetchedAt").map(WallTime.init(milliseconds:)),
      cacheAge: try reader.whole("cacheAge", in: anySpan).map(Instant.Duration.init(milliseconds:)),
      transit: .milliseconds(try reader.whole("transit", in: anyBytes) ?? 0),
      mode: try reader.choice("mode"),
      status: try reader.choice("status"),
      appliedFlag: try reader.flag("appliedFlag"),
      reason: try reader.choice("reason")
    )
  }

  private static func hints(_ reader: inout MemberReader) throws(DocumentError) -> Hints {
    Hints(
      nextExpectedAt: try reader.whole("nextExpectedAt").map(WallTime.init(milliseconds:)),
      maxAge: try reader.whole("maxAge", in: anySpan).map(Instant.Duration.init(milliseconds:)),
      spread: try reader.whole("spread", in: anySpan).map(Instant.Duration.init(milliseconds:))
    )
  }
}
