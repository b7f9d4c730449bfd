import Foundation
import Freshness
import FreshnessTesting
import Testing

@Suite("Policies as JSON")
struct PolicyDocumentTests {
  private static func policy(_ text: String) throws -> Policy {
    try PolicyDocument(decoding: Data(text.utf8)).policy
  }

  @Test(arguments: PolicyDocument.presets.map(\.name))
  func `every preset survives the way to JSON and back`(name: String) throws {
    let policy = try Self.policy(#"{"preset": "\#(name)"}"#)
    #expect(policy == PolicyDocument.presets.first { $0.name == name }?.policy)
    let data = try JSONEncoder().encode(PolicyDocument(policy))
    #expect(try PolicyDocument(decoding: data).policy == policy)
    #expect(try JSONDecoder().decode(PolicyDocument.self, from: data).policy == policy)
  }

  @Test
  func `a policy that differs in every field survives the way to JSON and back`() throws {
    var policy = Policy(every: .milliseconds(1_234), jitter: .signed(.zero, .seconds(1)))
    let spans: [WritableKeyPath<Policy, Instant.Duration>] = [
      \.recent, \.recentFor, \.idle, \.leastInterval, \.leastWait, \.burst, \.spread,
      \.focusDebounce, \.timeout, \.retryAfterCap, \.recheck, \.recheckGone, \.driftFloor,
      \.stallFloor,
      \.rescueCooldown, \.degradedRearm, \.badgePartialAfter, \.badgeUnavailableAfter,
    ]
    for (index, path) in spans.enumerated() {
      policy[keyPath: path] = .milliseconds(100 + Int64(index))
    }
    policy.background = .milliseconds(901)
    policy.retryDelay = nil
    policy.unchangedFor = nil
    policy.unchangedLimit = nil
    policy.downgradeProtection = .milliseconds(902)
    policy.longPoll = .milliseconds(903)
    policy.driftPercent = 17
    policy.stallFactor = 9
    policy.ladder = [.zero, .milliseconds(904)]
    policy.ladderJitter = .full
    policy.alignment = .init(
      delay: .milliseconds(1),
      spread: .milliseconds(2),
      slack: .milliseconds(3),
      tolerance: .milliseconds(4)
    )
    policy.push = .init(
      heartbeat: .milliseconds(905),
      watchdogPercent: 301,
      openTimeout: .milliseconds(906),
      safetyPoll: .milliseconds(907),
      leastGap: .milliseconds(5),
      stableAfter: .milliseconds(6)
    )
    policy.prefetches = false
    policy.ringCapacity = 3
    let data = try JSONEncoder().encode(PolicyDocument(policy))
    #expect(try PolicyDocument(decoding: data).policy == policy)
  }

  @Test(arguments: [
    Jitter.none, .full, .within(.seconds(2)), .share(10), .above(30),
    .signed(.milliseconds(3), .milliseconds(4)),
  ])
  func `every jitter survives the way to JSON and back`(jitter: Jitter) throws {
    let data = try JSONEncoder().encode(PolicyDocument(Policy(every: .seconds(1), jitter: jitter)))
    #expect(try PolicyDocument(decoding: data).policy.jitter == jitter)
  }

  @Test
  func `every stored field of a policy is a member of its document`() throws {
    let data = try JSONEncoder().encode(PolicyDocument(.departuresWeb))
    let members = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let fields = Mirror(reflecting: Policy.departuresWeb).children.compactMap(\.label)
    #expect(Set(fields).subtracting(["active"]) == Set(members.keys).subtracting(["every"]))
  }

  @Test
  func `members override the preset, and null turns off`() throws {
    let policy = try Self.policy(#"{"preset": "workspaces", "idle": 20000, "background": null}"#)
    #expect(policy.idle == .seconds(20) && policy.background == nil)
    #expect(policy.recent == Policy.workspaces.recent)
    let push = try Self.policy(#"{"every": 1000, "push": {"heartbeat": 7000}}"#).push
    #expect(push == Policy.Push(heartbeat: .seconds(7)))
  }

  @Test(arguments: [
    ("{}", "preset: is missing, and \"every\" as well"),
    (#"{"preset": "fast"}"#, "preset: \"fast\" is unknown; known are departuresWeb"),
    (#"{"preset": "jobs", "every": 1000}"#, "every: given together with \"preset\""),
    (#"{"every": 99}"#, "every: 99 is not within 100 to 31622400000"),
    (#"{"every": 1000, "spread": -1}"#, "spread: -1 is not within 0"),
    (#"{"every": 1000, "timeout": null}"#, "timeout: a whole number is expected, not null"),
    (#"{"every": 1000, "timeout": 31622400001}"#, "timeout: 31622400001 is not within"),
    (#"{"every": 1000, "jitter": "some"}"#, "jitter: \"some\" is unknown; known are none, full"),
    (#"{"every": 1000, "jitter": {"share": 101}}"#, "jitter.share: 101 is not within 0 to 100"),
    (#"{"every": 1000, "jitter": {"signed": [2, 1]}}"#, "jitter.signed: 1 is not within 2"),
    (#"{"every": 1000, "jitter": {"signed": [2]}}"#, "jitter.signed: two numbers are expected"),
    (#"{"every": 1000, "jitter": {"share": 1, "above": 1}}"#, "jitter.above: is unknown here"),
    (#"{"every": 1000, "jitter": {}}"#, "jitter: one of within, signed, share, above"),
    (#"{"every": 1000, "ladder": [1, "2"]}"#, "ladder: a whole number is expected"),
    (#"{"every": 1000, "unchangedLimit": 0}"#, "unchangedLimit: 0 is not within 1 to 1000"),
    (#"{"every": 1000, "alignment": {"delay": 1}}"#, "alignment.spread: is missing"),
    (#"{"every": 1000, "push": {"beat": 1}}"#, "push.beat: is unknown here"),
    (#"{"every": 1000, "prefetches": 1}"#, "prefetches: a boolean is expected, not a number"),
    (#"{"every": 1000, "ringCapacity": 10001}"#, "ringCapacity: 10001 is not within"),
    (#"{"every": 1000, "polite": true}"#, "polite: is unknown here"),
    (#"{"every": 1000,}"#, "line 1, column 16: a member's name is expected here"),
    ("[]", "an object is expected, not a list"),
  ])
  func `a fault names the member and the limits`(text: String, problem: String) {
    let error = #expect(throws: DocumentError.self) { try Self.policy(text) }
    #expect(error?.description.hasPrefix(problem) == true, "\(error?.description ?? "")")
  }

  @Test
  func `a ladder has at most 64 steps`() throws {
    let steps = Array(repeating: "5", count: 64).joined(separator: ",")
    #expect(try Self.policy(#"{"every": 1000, "ladder": [\#(steps)]}"#).ladder.count == 64)
    #expect(throws: DocumentError(member: "ladder", problem: "65 steps are more than 64")) {
      try Self.policy(#"{"every": 1000, "ladder": [\#(steps), 5]}"#)
    }
  }

  @Test
  func `a decoder's error names the member as well`() {
    let data = Data(#"{"every": 1000, "polite": true}"#.utf8)
    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(PolicyDocument.self, from: data)
    }
    guard case .dataCorrupted(let context)? = error else {
      Issue.record("another error")
      return
    }
    #expect(context.debugDescription == "polite: is unknown here")
  }
}
