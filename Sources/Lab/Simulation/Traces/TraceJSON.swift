import Freshness

/// A trace in the grammar of Documentation/conformance-vectors.md, so that it can become a vector.
enum TraceJSON {
  /// Writes the policy and the steps of a replay.
  static func vector(_ taken: [Trace.Taken], policy: JSONText, violation: Violation) -> JSONText {
    .object([
      ("id", .string("\(violation.rule.name).simulated")),
      ("covers", .array([.string(violation.rule.name)])),
      ("says", .string(violation.reason)),
      ("policy", policy),
      ("context", .object([("question", .integer(Episode.context.question))])),
      ("steps", .array(taken.map(step))),
    ])
  }

  static func step(_ taken: Trace.Taken) -> JSONText {
    var members: [(String, JSONText)] = [
      ("at", .integer(taken.at)), ("event", .string(name(taken.event))),
    ]
    if let values = values(taken.event) { members.append(("with", .object(values))) }
    switch taken.random {
    case .middle: break
    case .lowest: members.append(("random", .string("lowest")))
    case .highest: members.append(("random", .string("highest")))
    default: members.append(("random", .integer(Int64(taken.random.bits))))
    }
    return .object(members)
  }

  static func name(_ event: Event) -> String {
    switch event {
    case .started: "started"
    case .stopped: "stopped"
    case .paceRequested: "paceRequested"
    case .prefetch: "prefetch"
    case .woke: "woke"
    case .slept: "slept"
    case .lifecycle: "lifecycle"
    case .focused: "focused"
    case .connectivity: "connectivity"
    case .refreshRequested: "refreshRequested"
    case .contextChanged: "contextChanged"
    case .activity: "activity"
    case .acted: "acted"
    case .fulfilled: "fulfilled"
    case .wrote: "wrote"
    case .evicted: "evicted"
    case .answered: "answered"
    case .streamOpened: "streamOpened"
    case .streamHeard: "streamHeard"
    case .streamChanged: "streamChanged"
    case .streamDelivered: "streamDelivered"
    case .streamGap: "streamGap"
    case .streamLost: "streamLost"
    case .restored: "restored"
    case .restrained: "restrained"
    case .notHeld: "notHeld"
    case .queued: "queued"
    }
  }

  static func values(_ event: Event) -> [(String, JSONText)]? {
    switch event {
    case .paceRequested(let span): [("interval", span.map { .integer($0.milliseconds) } ?? .null)]
    case .lifecycle(let next): [("to", .string("\(next)"))]
    case .connectivity(let next): [("to", .string("\(next)"))]
    case .refreshRequested(let refresh): self.refresh(refresh)
    case .contextChanged(let next): context(next)
    case .activity(let current): [("is", .string("\(current)"))]
    case .wrote(let revision): [("revision", .integer(revision.number))]
    case .answered(let ticket, let answer):
      [
        ("generation", .integer(ticket.generation)), ("context", .object(context(ticket.context))),
        ("answer", .object(self.answer(answer))),
      ]
    case .streamOpened(let isResumed): [("isResumed", .bool(isResumed))]
    case .streamDelivered(let about, let answer):
      [("context", .object(context(about))), ("answer", .object(self.answer(answer)))]
    case .restored(let revision, let age, let made):
      [
        ("revision", .integer(revision.number)), ("age", .integer(age.milliseconds)),
        ("sourceTime", made.map { .integer($0.milliseconds) } ?? .null),
      ]
    case .restrained(let restraint): self.restraint(restraint)
    case .notHeld(let ticket), .queued(let ticket):
      [
        ("generation", .integer(ticket.generation)), ("context", .object(context(ticket.context))),
      ]
    case .started, .stopped, .prefetch, .woke, .slept, .focused, .acted, .fulfilled, .evicted,
      .streamHeard, .streamChanged, .streamGap, .streamLost:
      nil
    }
  }

  private static func restraint(_ restraint: Restraint) -> [(String, JSONText)] {
    let members: [(String, Int64?)] = [
      ("notBefore", restraint.notBefore?.milliseconds),
      ("quietUntil", restraint.quietUntil?.milliseconds),
      ("leastInterval", restraint.leastInterval?.milliseconds),
      ("sharedUntil", restraint.sharedUntil?.milliseconds),
    ]
    return members.compactMap { name, value in value.map { (name, .integer($0)) } }
  }

  private static func refresh(_ refresh: RefreshRequest) -> [(String, JSONText)] {
    var members: [(String, JSONText)] = [("reason", .string("\(refresh.reason)"))]
    if refresh.isForced { members.append(("isForced", .bool(true))) }
    if refresh.isUnconditional { members.append(("isUnconditional", .bool(true))) }
    if refresh.showsLoading { members.append(("showsLoading", .bool(true))) }
    return members
  }

  private static func context(_ context: Context) -> [(String, JSONText)] {
    let question: [(String, JSONText)] = [("question", .integer(context.question))]
    return context.identity == 0 ? question : question + [("identity", .integer(context.identity))]
  }

  private static func answer(_ answer: Answer) -> [(String, JSONText)] {
    var members: [(String, JSONText)] = []
    func add(_ name: String, _ value: JSONText) { members.append((name, value)) }
    switch answer.outcome {
    case .content(let content):
      add("outcome", .string("content"))
      add("revision", .integer(content.revision.number))
      if let validator = content.validator { add("validator", .integer(validator.number)) }
      if content.hasRealtime { add("hasRealtime", .bool(true)) }
      if content.fulfilsAction { add("fulfilsAction", .bool(true)) }
    case .throttled(let hint):
      add("outcome", .string("throttled"))
      switch hint {
      case nil: break
      case .seconds(let count):
        // The grammar's numbers end at 2^53; every longer wait is capped alike.
        add("retryAfter", .object([("seconds", .integer(min(count, 1 << 53)))]))
      case .date(let date): add("retryAfter", .object([("date", .integer(date.milliseconds))]))
      }
    case .undecodable(let reason):
      add("outcome", .string("undecodable"))
      add("reason", .integer(Int64(reason)))
    default: add("outcome", .string("\(answer.outcome)"))
    }
    if answer.status != 0 { add("status", .integer(Int64(answer.status))) }
    if answer.bytes != 0 { add("bytes", .integer(answer.bytes)) }
    let metadata = metadata(answer.metadata)
    if !metadata.isEmpty { add("metadata", .object(metadata)) }
    let hints = hints(answer.hints)
    if !hints.isEmpty { add("hints", .object(hints)) }
    if let activity = answer.activity { add("activity", .string("\(activity)")) }
    if let time = answer.deviceTime { add("deviceTime", .integer(time.milliseconds)) }
    if let delay = answer.delay { add("delay", .integer(delay.milliseconds)) }
    if answer.decoding != .zero { add("decoding", .integer(answer.decoding.milliseconds)) }
    return members
  }

  private static func metadata(_ metadata: FreshnessMetadata) -> [(String, JSONText)] {
    var members: [(String, JSONText)] = []
    if let time = metadata.serverTime {
      members.append(("serverTime", .integer(time.milliseconds)))
    }
    if let time = metadata.fetchedAt { members.append(("fetchedAt", .integer(time.milliseconds))) }
    if let age = metadata.cacheAge { members.append(("cacheAge", .integer(age.milliseconds))) }
    if metadata.truncation != .zero {
      members.append(("truncation", .integer(metadata.truncation.milliseconds)))
    }
    if metadata.transit != .zero {
      members.append(("transit", .integer(metadata.transit.milliseconds)))
    }
    if let mode = metadata.mode { members.append(("mode", .string("\(mode)"))) }
    if let status = metadata.status { members.append(("status", .string("\(status)"))) }
    if let flag = metadata.appliedFlag { members.append(("appliedFlag", .bool(flag))) }
    if let reason = metadata.reason { members.append(("reason", .string("\(reason)"))) }
    return members
  }

  private static func hints(_ hints: Hints) -> [(String, JSONText)] {
    var members: [(String, JSONText)] = []
    if let time = hints.nextExpectedAt {
      members.append(("nextExpectedAt", .integer(time.milliseconds)))
    }
    if let age = hints.maxAge { members.append(("maxAge", .integer(age.milliseconds))) }
    if let spread = hints.spread { members.append(("spread", .integer(spread.milliseconds))) }
    return members
  }
}
