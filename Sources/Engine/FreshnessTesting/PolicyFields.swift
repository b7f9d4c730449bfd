import Freshness
import StrictJSON

/// The fields of a policy document and their limits.
public enum PolicyFields: Sendable {
  /// The longest span: 366 days.
  public static let longestSpan: Int64 = 366 * 86_400_000
  /// The shortest interval, timeout and heartbeat: less would be a tight loop.
  public static let shortestInterval: Int64 = 100
  /// The maximum number of steps of a ladder.
  public static let longestLadder = 64

  private typealias Path<Value> = any WritableKeyPath<Policy, Value> & Sendable
  private typealias PushPath<Value> = any WritableKeyPath<Policy.Push, Value> & Sendable
  private typealias AlignmentPath = any WritableKeyPath<Policy.Alignment, Instant.Duration>
    & Sendable

  private static let intervals: ClosedRange<Int64> = shortestInterval...longestSpan
  private static let spans: ClosedRange<Int64> = 0...longestSpan

  private static let spanFields: [(String, Path<Instant.Duration>, ClosedRange<Int64>)] = [
    ("active", \.active, intervals), ("recent", \.recent, intervals), ("idle", \.idle, intervals),
    ("timeout", \.timeout, intervals), ("recentFor", \.recentFor, spans),
    ("leastInterval", \.leastInterval, spans), ("leastWait", \.leastWait, spans),
    ("burst", \.burst, spans), ("spread", \.spread, spans),
    ("focusDebounce", \.focusDebounce, spans), ("retryAfterCap", \.retryAfterCap, spans),
    ("recheck", \.recheck, spans), ("recheckGone", \.recheckGone, spans),
    ("driftFloor", \.driftFloor, spans),
    ("stallFloor", \.stallFloor, spans), ("rescueCooldown", \.rescueCooldown, spans),
    ("clockTolerance", \.clockTolerance, spans),
    ("degradedRearm", \.degradedRearm, spans), ("badgePartialAfter", \.badgePartialAfter, spans),
    ("badgeUnavailableAfter", \.badgeUnavailableAfter, spans),
  ]

  private static let optionalSpanFields: [(String, Path<Instant.Duration?>, ClosedRange<Int64>)] = [
    ("background", \.background, intervals), ("retryDelay", \.retryDelay, spans),
    ("unchangedFor", \.unchangedFor, spans), ("downgradeProtection", \.downgradeProtection, spans),
    ("longPoll", \.longPoll, spans),
  ]

  private static let countFields: [(String, Path<Int64>, ClosedRange<Int64>)] = [
    ("driftPercent", \.driftPercent, 0...1_000), ("stallFactor", \.stallFactor, 1...1_000),
  ]

  private static let jitterFields: [(String, Path<Jitter>)] = [
    ("jitter", \.jitter), ("ladderJitter", \.ladderJitter),
  ]

  private static let alignmentFields: [(String, AlignmentPath)] = [
    ("delay", \.delay), ("spread", \.spread), ("slack", \.slack), ("tolerance", \.tolerance),
  ]

  private static let pushFields: [(String, PushPath<Instant.Duration>, ClosedRange<Int64>)] = [
    ("heartbeat", \.heartbeat, intervals), ("openTimeout", \.openTimeout, intervals),
    ("safetyPoll", \.safetyPoll, intervals), ("leastGap", \.leastGap, spans),
    ("stableAfter", \.stableAfter, spans),
  ]

  private static let watchdogPercents: ClosedRange<Int64> = 100...10_000
  private static let unchangedLimits: ClosedRange<Int64> = 1...1_000
  private static let impatiences: ClosedRange<Int64> = 1...1_000
  private static let ringCapacities: ClosedRange<Int64> = 0...10_000

  // MARK: Reading

  /// Reads the policy that the other members override.
  static func base(_ reader: inout MemberReader) throws(DocumentError) -> Policy {
    let preset = try reader.string("preset")
    let every = try reader.whole("every", in: intervals)
    switch (preset, every) {
    case (let name?, nil):
      let presets = PolicyDocument.presets
      if let found = presets.first(where: { $0.name == name }) { return found.policy }
      throw reader.error("preset", CaseNames.unknown(name, known: presets.map(\.name)))
    case (nil, let interval?): return Policy(every: .milliseconds(interval))
    case (nil, nil): throw reader.error("preset", "is missing, and \"every\" as well")
    case (_?, _?): throw reader.error("every", "given together with \"preset\"; use only one")
    }
  }

  /// Reads the fields that are present.
  static func override(_ policy: inout Policy, _ reader: inout MemberReader) throws(DocumentError) {
    for (name, path, bounds) in spanFields {
      if let span = try reader.whole(name, in: bounds) {
        policy[keyPath: path] = .milliseconds(span)
      }
    }
    for (name, path, bounds) in optionalSpanFields {
      guard let value = reader.consume(name) else { continue }
      policy[keyPath: path] =
        value == .null
        ? nil
        : .milliseconds(try MemberReader.whole(value, in: bounds, at: reader.place(of: name)))
    }
    for (name, path, bounds) in countFields {
      if let count = try reader.whole(name, in: bounds) { policy[keyPath: path] = count }
    }
    for (name, path) in jitterFields {
      guard let value = reader.consume(name) else { continue }
      policy[keyPath: path] = try jitter(value, at: reader.place(of: name))
    }
    if let steps = try reader.list("ladder") {
      let place = reader.place(of: "ladder")
      guard steps.count <= longestLadder else {
        throw place.with("\(steps.count) steps are more than \(longestLadder)")
      }
      policy.ladder = []
      for step in steps {
        policy.ladder.append(.milliseconds(try MemberReader.whole(step, in: spans, at: place)))
      }
    }
    if let value = reader.consume("unchangedLimit") {
      let place = reader.place(of: "unchangedLimit")
      policy.unchangedLimit =
        value == .null
        ? nil
        : Int32(truncatingIfNeeded: try MemberReader.whole(value, in: unchangedLimits, at: place))
    }
    if let capacity = try reader.whole("ringCapacity", in: ringCapacities) {
      policy.ringCapacity = Int32(truncatingIfNeeded: capacity)
    }
    if let count = try reader.whole("impatience", in: impatiences) {
      policy.impatience = Int32(truncatingIfNeeded: count)
    }
    if let prefetches = try reader.flag("prefetches") { policy.prefetches = prefetches }
    try overrideHints(&policy, &reader)
  }

  private static func overrideHints(
    _ policy: inout Policy,
    _ reader: inout MemberReader
  ) throws(DocumentError) {
    if let value = reader.consume("alignment") {
      policy.alignment =
        value == .null ? nil : try alignment(value, at: reader.place(of: "alignment"))
    }
    if let value = reader.consume("push") {
      policy.push = value == .null ? nil : try push(value, at: reader.place(of: "push"))
    }
  }

  private static func alignment(
    _ value: JSONValue,
    at place: DocumentError
  ) throws(DocumentError) -> Policy.Alignment {
    var reader = try MemberReader(value, at: place)
    var alignment = Policy.Alignment(delay: .zero, spread: .zero, slack: .zero, tolerance: .zero)
    for (name, path) in alignmentFields {
      let value = try reader.need(name)
      let span = try MemberReader.whole(value, in: spans, at: reader.place(of: name))
      alignment[keyPath: path] = .milliseconds(span)
    }
    try reader.finish()
    return alignment
  }

  private static func push(
    _ value: JSONValue,
    at place: DocumentError
  ) throws(DocumentError) -> Policy.Push {
    var reader = try MemberReader(value, at: place)
    var push = Policy.Push()
    for (name, path, bounds) in pushFields {
      if let span = try reader.whole(name, in: bounds) { push[keyPath: path] = .milliseconds(span) }
    }
    if let percent = try reader.whole("watchdogPercent", in: watchdogPercents) {
      push.watchdogPercent = percent
    }
    try reader.finish()
    return push
  }

  private static func jitter(
    _ value: JSONValue,
    at place: DocumentError
  ) throws(DocumentError) -> Jitter {
    switch value {
    case .string("none"): return .none
    case .string("full"): return .full
    case .string(let word): throw place.with(CaseNames.unknown(word, known: ["none", "full"]))
    default: break
    }
    var reader = try MemberReader(value, at: place)
    let jitter: Jitter
    if let bound = try reader.whole("within", in: spans) {
      jitter = .within(.milliseconds(bound))
    } else if let share = try reader.whole("share", in: 0...100) {
      jitter = .share(share)
    } else if let share = try reader.whole("above", in: 0...1_000) {
      jitter = .above(share)
    } else if let bounds = try reader.list("signed") {
      let inner = reader.place(of: "signed")
      guard bounds.count == 2 else { throw inner.with("two numbers are expected") }
      let least = try MemberReader.whole(bounds[0], in: spans, at: inner)
      let most = try MemberReader.whole(bounds[1], in: least...longestSpan, at: inner)
      jitter = .signed(.milliseconds(least), .milliseconds(most))
    } else {
      throw place.with("one of within, signed, share, above is expected")
    }
    try reader.finish()
    return jitter
  }

  // MARK: Writing

  /// Writes every field.
  static func members(of policy: Policy) -> [String: JSONValue] {
    var members: [String: JSONValue] = ["every": .whole(policy.active.milliseconds)]
    for (name, path, _) in spanFields where name != "active" {
      members[name] = .whole(policy[keyPath: path].milliseconds)
    }
    for (name, path, _) in optionalSpanFields {
      members[name] = policy[keyPath: path].map { .whole($0.milliseconds) } ?? .null
    }
    for (name, path, _) in countFields { members[name] = .whole(policy[keyPath: path]) }
    for (name, path) in jitterFields { members[name] = value(of: policy[keyPath: path]) }
    members["ladder"] = .list(policy.ladder.map { .whole($0.milliseconds) })
    members["unchangedLimit"] = policy.unchangedLimit.map { .whole(Int64($0)) } ?? .null
    members["ringCapacity"] = .whole(Int64(policy.ringCapacity))
    members["impatience"] = .whole(Int64(policy.impatience))
    members["prefetches"] = .bool(policy.prefetches)
    members["alignment"] = .null
    if let alignment = policy.alignment {
      members["alignment"] = .object(
        Dictionary(
          uniqueKeysWithValues: alignmentFields.map {
            ($0.0, .whole(alignment[keyPath: $0.1].milliseconds))
          }
        )
      )
    }
    members["push"] = .null
    if let push = policy.push {
      var inner: [String: JSONValue] = ["watchdogPercent": .whole(push.watchdogPercent)]
      for (name, path, _) in pushFields { inner[name] = .whole(push[keyPath: path].milliseconds) }
      members["push"] = .object(inner)
    }
    return members
  }

  private static func value(of jitter: Jitter) -> JSONValue {
    switch jitter {
    case .none: .string("none")
    case .full: .string("full")
    case .signed(let least, let most):
      .object(["signed": .list([.whole(least.milliseconds), .whole(most.milliseconds)])])
    case .within(let bound): .object(["within": .whole(bound.milliseconds)])
    case .share(let share): .object(["share": .whole(share)])
    case .above(let share): .object(["above": .whole(share)])
    }
  }
}
