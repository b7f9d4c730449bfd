import ConditionalHTTP
import EventFeed
import FreshResponses
import HTTPTypes
import Testing

/// A request, the states that a server goes through, and the response: the conformance vectors of ``ReadExchange``.
struct ReadVector: Sendable, CustomTestStringConvertible {
  enum Event: Sendable {
    case state(RepresentationState)
    case noPlace(RepresentationState)
    case end(RepresentationState)
  }

  var testDescription: String
  var request: HTTPFields = [:]
  var since: String?
  var events: [Event]
  var status: Int
  var fields: [(String, String?)] = []
  /// The granted waits, in milliseconds.
  var waits: [Int64] = []
}

private let now: Int64 = 1_795_503_600_000

private func state(_ number: Int64, _ epoch: String = "e") -> RepresentationState {
  RepresentationState(version: EventNumber(number, epoch: epoch), sourceTime: now - 4_000)
}

private let vectors: [ReadVector] = [
  ReadVector(
    testDescription: "without conditions the whole is sent, with its tag and its age",
    events: [.state(state(3))],
    status: 200,
    fields: [
      ("ETag", "\"e-3\""), ("Cache-Control", "private, no-cache"), ("x-md-rt-age-ms", "4000"),
      ("x-md-rt-status", "applied"), ("x-md-rt-fetched-at", "2026-11-24T06:59:56.000Z"),
      ("Age", nil), ("Preference-Applied", nil),
    ]
  ),
  ReadVector(
    testDescription: "the newest tag in a list: 304 with the tag",
    request: [.ifNoneMatch: "\"e-1\", W/\"e-3\""],
    events: [.state(state(3))],
    status: 304,
    fields: [("ETag", "\"e-3\""), ("x-md-rt-age-ms", "4000")]
  ),
  ReadVector(
    testDescription: "any tag: 304",
    request: [.ifNoneMatch: "*"],
    events: [.state(state(3))],
    status: 304
  ),
  ReadVector(
    testDescription: "any tag names no state to wait from",
    request: [.ifNoneMatch: "*", .prefer: "wait=10"],
    events: [.state(state(3))],
    status: 304,
    fields: [("Preference-Applied", nil)]
  ),
  ReadVector(
    testDescription: "an earlier tag: the whole",
    request: [.ifNoneMatch: "\"e-2\"", .prefer: "wait=10"],
    events: [.state(state(3))],
    status: 200,
    fields: [("Preference-Applied", nil)]
  ),
  ReadVector(
    testDescription: "a tag without quotes is not the tag",
    request: [.ifNoneMatch: "e-3"],
    events: [.state(state(3))],
    status: 200
  ),
  ReadVector(
    testDescription: "the newest state in the query: 204",
    since: "e-3",
    events: [.state(state(3))],
    status: 204,
    fields: [("ETag", "\"e-3\"")]
  ),
  ReadVector(
    testDescription: "an earlier state in the query: the whole",
    since: "e-2",
    events: [.state(state(3))],
    status: 200
  ),
  ReadVector(
    testDescription: "If-None-Match comes before the query",
    request: [.ifNoneMatch: "\"e-3\""],
    since: "e-3",
    events: [.state(state(3))],
    status: 304
  ),
  ReadVector(
    testDescription: "a wait ends with the change",
    request: [.ifNoneMatch: "\"e-3\"", .prefer: "wait=10"],
    events: [.state(state(3)), .state(state(3)), .state(state(4))],
    status: 200,
    fields: [("Preference-Applied", "wait=10"), ("ETag", "\"e-4\"")],
    waits: [10_000]
  ),
  ReadVector(
    testDescription: "a wait without a change ends with 304",
    request: [.ifNoneMatch: "\"e-3\"", .prefer: "wait=10"],
    events: [.state(state(3)), .end(state(3))],
    status: 304,
    fields: [("Preference-Applied", "wait=10")],
    waits: [10_000]
  ),
  ReadVector(
    testDescription: "a wait from the state in the query ends with 204",
    request: [.prefer: "wait=10"],
    since: "e-3",
    events: [.state(state(3)), .end(state(3))],
    status: 204,
    fields: [("Preference-Applied", "wait=10")],
    waits: [10_000]
  ),
  ReadVector(
    testDescription: "a wait is at most the limit",
    request: [.ifNoneMatch: "\"e-3\"", .prefer: "wait=100000"],
    events: [.state(state(3)), .end(state(3))],
    status: 304,
    fields: [("Preference-Applied", "wait=60")],
    waits: [60_000]
  ),
  ReadVector(
    testDescription: "without a place the answer comes at once and the preference is not applied",
    request: [.ifNoneMatch: "\"e-3\"", .prefer: "wait=10"],
    events: [.state(state(3)), .noPlace(state(3))],
    status: 304,
    fields: [("Preference-Applied", nil)],
    waits: [10_000]
  ),
  ReadVector(
    testDescription: "without a copy there is nothing to wait from",
    request: [.prefer: "wait=10"],
    events: [.state(state(3))],
    status: 200
  ),
  ReadVector(
    testDescription: "a client that has a later state waits for it, and gets what follows",
    request: [.ifNoneMatch: "\"e-5\""],
    events: [.state(state(3)), .state(state(4)), .state(state(6))],
    status: 200,
    fields: [("ETag", "\"e-6\""), ("Preference-Applied", nil)],
    waits: [1_000]
  ),
  ReadVector(
    testDescription: "a client that has a later state never gets an earlier one",
    request: [.ifNoneMatch: "\"e-3\", \"e-5\""],
    events: [.state(state(3)), .end(state(4))],
    status: 304,
    fields: [("ETag", "\"e-5\""), ("Cache-Control", "private, no-cache")],
    waits: [1_000]
  ),
  ReadVector(
    testDescription: "a later state in the query: 204, not an earlier one",
    since: "e-5",
    events: [.state(state(3)), .end(state(3))],
    status: 204,
    waits: [1_000]
  ),
  ReadVector(
    testDescription: "numbers of another epoch cannot be compared: the whole",
    request: [.ifNoneMatch: "\"other-5\""],
    since: "other-5",
    events: [.state(state(3))],
    status: 200,
    fields: [("ETag", "\"e-3\"")]
  ),
]

@Suite struct `Reads as a value` {
  @Test(arguments: vectors)
  func `a request in a state has one response`(_ vector: ReadVector) throws {
    var exchange = ReadExchange(ReadConditions(fields: vector.request, since: vector.since))
    var waits: [Int64] = []
    var plan: ResponsePlan?
    for event in vector.events {
      #expect(plan == nil, "responded before the last event")
      switch event {
      case .state(let state):
        switch exchange.consider(state, at: now) {
        case .wait(let milliseconds): waits.append(milliseconds)
        case .waitOn: break
        case .respond(let found): plan = found
        }
      case .noPlace(let state): plan = exchange.refuseWait(state, at: now)
      case .end(let state): plan = exchange.end(state, at: now)
      }
    }
    let found = try #require(plan)
    #expect(found.status.code == vector.status)
    #expect(found.hasBody == (vector.status == 200))
    #expect(waits == vector.waits)
    for (name, value) in vector.fields {
      let field = try #require(HTTPField.Name(name))
      #expect(found.fields[field] == value, "\(name)")
    }
  }

  @Test
  func `the lifetime of a response ends when the next change is expected, and includes its age`()
    throws
  {
    var state = state(3)
    state.nextChange = now + 7_900
    state.spread = 2_000
    state.validatedAt = now - 3_100
    var exchange = ReadExchange(
      ReadConditions(fields: [:]),
      policy: ResponsePolicy(isShared: true, vary: [.acceptLanguage])
    )
    guard case .respond(let plan) = exchange.consider(state, at: now) else {
      Issue.record("waits")
      return
    }
    #expect(plan.fields[.cacheControl] == "public, max-age=10, must-revalidate")
    #expect(plan.fields[.age] == "3")
    #expect(plan.fields[.vary] == "Accept-Language")
    // A client adds both: 1 s and 3 s are the 4 s since the source made the data.
    #expect(plan.fields[try #require(HTTPField.Name("x-md-rt-age-ms"))] == "1000")
    #expect(plan.fields[try #require(HTTPField.Name("x-md-rt-next-ms"))] == "7900")
    #expect(plan.fields[try #require(HTTPField.Name("x-md-rt-spread-ms"))] == "2000")
  }

  /// Whatever replicas a client meets, in whatever order, the numbers of what it gets never go back.
  @Test func `reads are monotonic across replicas`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2_000 {
      var seen: Int64 = 0
      for _ in 0..<12 {
        let replica = state(Int64.random(in: 1...6, using: &random))
        let conditions = ReadConditions(
          fields: seen == 0 ? [:] : [.ifNoneMatch: "\"e-\(seen)\""]
        )
        var exchange = ReadExchange(conditions)
        let plan =
          switch exchange.consider(replica, at: now) {
          case .respond(let plan): plan
          case .wait, .waitOn: exchange.end(replica, at: now)
          }
        guard plan.hasBody else {
          #expect(plan.fields[.eTag] == "\"e-\(seen)\"")
          continue
        }
        #expect(replica.version?.number ?? 0 > seen)
        seen = replica.version?.number ?? 0
      }
    }
  }
}

@Suite struct `Conditions of writes` {
  private static let writes: [(HTTPFields, Bool, WriteConditions.Verdict)] = [
    ([:], false, .proceed),
    ([:], true, .preconditionRequired),
    ([.ifMatch: "\"e-3\""], true, .proceed),
    ([.ifMatch: "\"e-1\", \"e-3\""], false, .proceed),
    ([.ifMatch: "W/\"e-3\""], false, .preconditionFailed),
    ([.ifMatch: "\"e-2\""], false, .preconditionFailed),
    ([.ifMatch: "*"], false, .proceed),
    ([.ifNoneMatch: "*"], false, .preconditionFailed),
    ([.ifNoneMatch: "\"e-2\""], true, .proceed),
  ]

  @Test(arguments: writes)
  func `a write proceeds if the state is the expected one`(
    fields: HTTPFields,
    isRequired: Bool,
    verdict: WriteConditions.Verdict
  ) {
    #expect(WriteConditions(fields: fields, isRequired: isRequired).verdict(state(3)) == verdict)
  }

  @Test func `without a representation any tag fails, and none may be created`() {
    #expect(WriteConditions(fields: [.ifMatch: "*"]).verdict(nil) == .preconditionFailed)
    #expect(WriteConditions(fields: [.ifNoneMatch: "*"]).verdict(nil) == .proceed)
  }
}

@Suite struct `Conditions of other contracts` {
  @Test func `a client that asks for changes gets a body, also of none`() {
    var policy = ResponsePolicy()
    policy.hasBodySince = true
    for (hasBody, status) in [(false, 204), (true, 200)] {
      policy.hasBodySince = hasBody
      var exchange = ReadExchange(ReadConditions(fields: [:], since: "e-3"), policy: policy)
      guard case .respond(let plan) = exchange.consider(state(3), at: now) else {
        Issue.record("it waits")
        continue
      }
      #expect(plan.status.code == status)
    }
  }

  @Test func `a tag without quotes names a state where that is said`() {
    var conditions = ReadConditions(fields: [.ifNoneMatch: "e-3"])
    #expect(!conditions.names(state(3)))
    conditions.takesBareTags = true
    #expect(conditions.names(state(3)))
    #expect(!conditions.names(state(4)))
  }

  @Test func `no wait is granted without something to compare with`() {
    func granted(_ fields: HTTPFields, since: String? = nil, longest: Int64 = 60) -> Int64? {
      ReadConditions(fields: fields, since: since).grantedWait(longest: longest)
    }
    #expect(granted([.prefer: "wait=5"]) == nil)
    #expect(granted([.prefer: "wait=5", .ifNoneMatch: "*"]) == nil)
    #expect(granted([.prefer: "wait=5", .ifNoneMatch: "\"x\""]) == 5)
    #expect(granted([.prefer: "wait=99"], since: "e-1") == 60)
    #expect(granted([.prefer: "wait=9"], since: "e-1", longest: 0) == nil)
  }
}
