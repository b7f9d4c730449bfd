import Freshness
import StrictJSON

/// Reads the parts of a vector.
enum VectorReader {
  static let bits32: ClosedRange<Int64> = 0...Int64(UInt32.max)

  static func context(_ reader: inout MemberReader) throws(DocumentError) -> Context {
    guard let question = try reader.whole("question") else {
      throw reader.error("question", "is missing")
    }
    return Context(question: question, identity: try reader.whole("identity") ?? 0)
  }

  // MARK: Steps

  static func step(
    _ value: JSONValue,
    after previous: Instant?,
    at place: DocumentError
  ) throws(DocumentError) -> ConformanceVector.Step {
    var reader = try MemberReader(value, at: place)
    let instant = try self.instant(&reader, after: previous ?? .start)
    guard let name = try reader.string("event") else { throw reader.error("event", "is missing") }
    let random = try self.random(&reader)
    let values = reader.consume("with")
    let action = try self.action(name, values, reader)
    let place = reader.place(of: "expect")
    let expected = reader.consume("expect") ?? .object([:])
    try ExpectedShape.of(wait: name == "wait").check(expected, at: place)
    try reader.finish()
    guard case .object(let members) = expected else { throw place.with("an object is expected") }
    return ConformanceVector.Step(
      instant: instant,
      name: name,
      action: action,
      random: random,
      expected: members
    )
  }

  private static func instant(
    _ reader: inout MemberReader,
    after previous: Instant
  ) throws(DocumentError) -> Instant {
    let longest = 0...JSONValue.largestNumber
    switch (try reader.whole("at", in: longest), try reader.whole("after", in: longest)) {
    case (nil, nil): return previous
    case (let at?, nil):
      guard at >= previous.milliseconds else {
        throw reader.error("at", "\(at) lies before the step before, \(previous.milliseconds)")
      }
      return Instant(milliseconds: at)
    case (nil, let span?):
      let instant = previous + .milliseconds(span)
      guard instant.milliseconds <= JSONValue.largestNumber else {
        throw reader.error("after", "leads behind \(JSONValue.largestNumber)")
      }
      return instant
    case (_?, _?): throw reader.error("after", "given together with \"at\"; use only one")
    }
  }

  private static func random(_ reader: inout MemberReader) throws(DocumentError) -> RandomSample {
    guard let value = reader.consume("random") else { return .middle }
    switch value {
    case .string("lowest"): return .lowest
    case .string("middle"): return .middle
    case .string("highest"): return .highest
    case .string(let word):
      throw reader.error("random", CaseNames.unknown(word, known: ["lowest", "middle", "highest"]))
    default:
      let number = try MemberReader.whole(value, in: bits32, at: reader.place(of: "random"))
      return RandomSample(bits: UInt32(truncatingIfNeeded: number))
    }
  }

  /// The names of all steps; events are named after the Swift cases of `Event`.
  static let eventNames = [
    "started", "stopped", "paceRequested", "prefetch", "woke", "slept", "lifecycle", "focused",
    "connectivity", "refreshRequested", "contextChanged", "activity", "acted", "fulfilled", "wrote",
    "evicted", "answered", "streamOpened", "streamHeard", "streamChanged", "streamDelivered",
    "streamGap",
    "streamLost", "restored", "restrained", "notHeld", "queued", "wait",
  ]

  private static let bareEvents: [String: Event] = [
    "started": .started, "stopped": .stopped, "prefetch": .prefetch, "woke": .woke,
    "slept": .slept, "focused": .focused, "acted": .acted, "fulfilled": .fulfilled,
    "evicted": .evicted, "streamHeard": .streamHeard, "streamChanged": .streamChanged,
    "streamGap": .streamGap, "streamLost": .streamLost,
  ]

  private static func action(
    _ name: String,
    _ values: JSONValue?,
    _ step: MemberReader
  ) throws(DocumentError) -> ConformanceVector.Action {
    if let event = bareEvents[name] {
      guard values == nil else { throw step.error("with", "\"\(name)\" has no values") }
      return .event(event)
    }
    guard eventNames.contains(name) else {
      throw step.error("event", CaseNames.unknown(name, known: eventNames))
    }
    guard let values else {
      guard name == "wait" else { throw step.error("with", "is missing; \"\(name)\" has values") }
      return .wait(nil)
    }
    var reader = try MemberReader(values, at: step.place(of: "with"))
    let action = try self.action(name, &reader)
    try reader.finish()
    return action
  }

  private static let anyInstant: ClosedRange<Int64> = 0...JSONValue.largestNumber

  private static func action(
    _ name: String,
    _ reader: inout MemberReader
  ) throws(DocumentError) -> ConformanceVector.Action {
    switch name {
    case "paceRequested":
      let place = reader.place(of: "interval")
      let value = try reader.need("interval")
      guard value != .null else { return .event(.paceRequested(nil)) }
      let span = try MemberReader.whole(value, in: 0...JSONValue.largestNumber, at: place)
      return .event(.paceRequested(.milliseconds(span)))
    case "lifecycle": return .event(.lifecycle(try needed(reader.choice("to"), "to", reader)))
    case "connectivity": return .event(.connectivity(try needed(reader.choice("to"), "to", reader)))
    case "refreshRequested": return .event(.refreshRequested(try refresh(&reader)))
    case "contextChanged": return .event(.contextChanged(try context(&reader)))
    case "activity": return .event(.activity(try needed(reader.choice("is"), "is", reader)))
    case "wrote":
      return .event(.wrote(Revision(try needed(reader.whole("revision"), "revision", reader))))
    case "restored":
      let revision = Revision(try needed(reader.whole("revision"), "revision", reader))
      let age = try needed(reader.whole("age", in: anyInstant), "age", reader)
      let made = try reader.whole("sourceTime", in: anyInstant).map(WallTime.init(milliseconds:))
      return .event(.restored(revision, age: .milliseconds(age), sourceTime: made))
    case "restrained":
      func instant(_ name: String) throws(DocumentError) -> Instant? {
        try reader.whole(name, in: anyInstant).map(Instant.init(milliseconds:))
      }
      return .event(
        .restrained(
          Restraint(
            notBefore: try instant("notBefore"),
            quietUntil: try instant("quietUntil"),
            leastInterval: try reader.whole("leastInterval", in: anyInstant)
              .map(Instant.Duration.init(milliseconds:)),
            sharedUntil: try instant("sharedUntil")
          )
        )
      )
    case "notHeld":
      return .notHeld(
        generation: try reader.whole("generation"),
        context: try reader.object("context", context)
      )
    case "queued":
      return .queued(
        generation: try reader.whole("generation"),
        context: try reader.object("context", context)
      )
    case "streamOpened":
      let isResumed = try needed(reader.flag("isResumed"), "isResumed", reader)
      return .event(.streamOpened(isResumed: isResumed))
    case "answered":
      return .answered(
        generation: try reader.whole("generation"),
        context: try reader.object("context", context),
        try needed(reader.object("answer", AnswerReader.answer), "answer", reader)
      )
    case "streamDelivered":
      return .delivered(
        context: try reader.object("context", context),
        try needed(reader.object("answer", AnswerReader.answer), "answer", reader)
      )
    default:
      let answer = try reader.object("answer", AnswerReader.answer)
      let latency = try reader.whole("latency", in: 0...PolicyFields.longestSpan)
      guard let answer else {
        if latency != nil { throw reader.error("latency", "needs an \"answer\"") }
        return .wait(nil)
      }
      return .wait(.init(answer: answer, latency: .milliseconds(latency ?? 0)))
    }
  }

  /// Returns a required member.
  static func needed<Value>(
    _ value: Value?,
    _ name: String,
    _ reader: MemberReader
  ) throws(DocumentError) -> Value {
    guard let value else { throw reader.error(name, "is missing") }
    return value
  }

  private static let namedRequests: [String: RefreshRequest] = [
    "person": .person, "hardRefresh": .hardRefresh, "schedule": .schedule, "change": .change,
  ]

  private static func refresh(_ reader: inout MemberReader) throws(DocumentError) -> RefreshRequest
  {
    if let name = try reader.string("refresh") {
      guard let refresh = namedRequests[name] else {
        throw reader.error("refresh", CaseNames.unknown(name, known: namedRequests.keys.sorted()))
      }
      return refresh
    }
    let reason: RefreshRequest.Reason = try needed(reader.choice("reason"), "reason", reader)
    return RefreshRequest(
      reason,
      isForced: try reader.flag("isForced") ?? false,
      isUnconditional: try reader.flag("isUnconditional") ?? false,
      showsLoading: try reader.flag("showsLoading") ?? false
    )
  }
}
