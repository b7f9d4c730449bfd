import FreshnessTesting
import Testing

@Suite("Vectors: what is not one")
struct DocumentErrorTests {
  static let policy = #""policy": {"every": 10000}"#

  /// Reads one vector with an identifier and some steps, and returns the error's text.
  private func problem(
    steps: String,
    rest: String = #""says": "s", "covers": ["X"], \#(policy)"#
  ) -> String {
    problem(of: #"{"vectors": [{"id": "X.a", \#(rest), "steps": [\#(steps)]}]}"#)
  }

  private func problem(of text: String) -> String {
    do {
      _ = try ConformanceVector.decode(Array(text.utf8), file: "f.json")
      return ""
    } catch {
      return error.description
    }
  }

  @Test
  func `a vector without faults has none`() {
    #expect(problem(steps: #"{"event": "started"}"#) == "")
  }

  @Test(arguments: [
    (#"{"event": "begun"}"#, "event: \"begun\" is unknown; known are started, stopped"),
    (#"{"evnt": "started"}"#, "event: is missing"),
    (#"{"event": "started", "expects": {}}"#, "expects: is unknown here"),
    (#"{"event": "started", "with": {}}"#, "with: \"started\" has no values"),
    (#"{"event": "wrote"}"#, "with: is missing; \"wrote\" has values"),
    (#"{"event": "wrote", "with": {}}"#, "with.revision: is missing"),
    (#"{"event": "wrote", "with": {"revision": "7"}}"#, "with.revision: a whole number"),
    (#"{"event": "lifecycle", "with": {"to": "gone"}}"#, "with.to: \"gone\" is unknown"),
    (
      #"{"event": "refreshRequested", "with": {"refresh": "now"}}"#,
      "with.refresh: \"now\" is unknown"
    ),
    (
      #"{"event": "refreshRequested", "with": {"refresh": "person", "isForced": true}}"#,
      "with.isForced: is unknown here"
    ),
    (#"{"event": "started", "random": "high"}"#, "random: \"high\" is unknown"),
    (#"{"event": "started", "random": 4294967296}"#, "random: 4294967296 is not within"),
    (#"{"event": "started", "at": -1}"#, "at: -1 is not within"),
    (#"{"event": "started", "at": 1, "after": 1}"#, "after: given together with \"at\""),
    (#"{"event": "started", "expect": {"alarms": 1}}"#, "expect.alarms: is unknown here"),
    (#"{"event": "started", "expect": {"alarm": "x"}}"#, "expect.alarm: an object is expected"),
    (
      #"{"event": "started", "expect": {"alarm": {"from": 2, "to": 1}}}"#,
      "expect.alarm: \"from\" and \"to\""
    ),
    (
      #"{"event": "started", "expect": {"request": {"time": 1}}}"#,
      "expect.request.time: is unknown here"
    ),
    (
      #"{"event": "started", "expect": {"request": {"isForced": 1}}}"#,
      "expect.request.isForced: a boolean is expected, not a number"
    ),
    (
      #"{"event": "started", "expect": {"notes": ["kept", "kept"]}}"#,
      "expect.notes: a name appears twice"
    ),
    (#"{"event": "started", "expect": {"snapshot": "kept"}}"#, "expect.snapshot: \"kept\""),
    (#"{"event": "started", "expect": {"requests": []}}"#, "expect.requests: is unknown here"),
    (
      #"{"event": "started", "expect": {"shows": {"label": {"marker": {"reduced": {}}}}}}"#,
      "expect.shows.label.marker.reduced: exactly one of mode, status"
    ),
    (#"{"event": "wait", "with": {"latency": 3}}"#, "with.latency: needs an \"answer\""),
  ])
  func `a fault in a step names the step and the member`(step: String, problem expected: String) {
    let text = problem(steps: #"{"event": "stopped"}, \#(step)"#)
    #expect(text.hasPrefix("f.json: X.a: step 2: \(expected)"), "\(text)")
  }

  @Test(arguments: [
    (#"{"outcome": "ok"}"#, "outcome: \"ok\" is unknown"),
    (#"{"outcome": "content"}"#, "revision: is missing"),
    (#"{"outcome": "unchanged", "revision": 1}"#, "revision: is unknown here"),
    (#"{"outcome": "undecodable"}"#, "reason: is missing"),
    (#"{"outcome": "unchanged", "retryAfter": {"seconds": 1}}"#, "retryAfter: is unknown"),
    (#"{"outcome": "throttled", "retryAfter": {}}"#, "retryAfter.seconds: either this or"),
    (#"{"outcome": "unchanged", "metadata": {"age": 1}}"#, "metadata.age: is unknown here"),
    (
      #"{"outcome": "unchanged", "metadata": {"mode": "half"}}"#,
      "metadata.mode: \"half\" is unknown"
    ),
    (#"{"outcome": "unchanged", "hints": {"maxAge": true}}"#, "hints.maxAge: a whole number"),
    (#"{"outcome": "unchanged", "status": 1000}"#, "status: 1000 is not within 0 to 999"),
  ])
  func `a fault in an answer names its member`(answer: String, problem expected: String) {
    let text = problem(steps: #"{"event": "answered", "with": {"answer": \#(answer)}}"#)
    #expect(text.hasPrefix("f.json: X.a: step 1: with.answer.\(expected)"), "\(text)")
  }

  @Test(arguments: [
    (#""covers": ["X"], \#(policy)"#, "f.json: X.a: says: is missing or empty"),
    (#""says": "s", \#(policy)"#, "f.json: X.a: covers: is missing or empty"),
    (#""says": "s", "covers": [1], \#(policy)"#, "f.json: X.a: covers: a name is expected"),
    (#""says": "s", "covers": ["X"]"#, "f.json: X.a: policy: is missing"),
    (
      #""says": "s", "covers": ["X"], "policy": {"every": 10000, "timout": 5}"#,
      "f.json: X.a: policy.timout: is unknown here"
    ),
    (
      #""says": "s", "covers": ["X"], "context": {"identity": 1}, \#(policy)"#,
      "f.json: X.a: context.question: is missing"
    ),
    (#""says": "s", "covers": ["X"], "note": 1, \#(policy)"#, "f.json: X.a: note: is unknown here"),
  ])
  func `a fault in a vector names the vector and the member`(rest: String, problem expected: String)
  {
    let text = problem(steps: #"{"event": "started"}"#, rest: rest)
    #expect(text.hasPrefix(expected), "\(text)")
  }

  @Test
  func `time does not go back`() {
    let text = problem(steps: #"{"event": "started", "at": 5}, {"event": "woke", "at": 4}"#)
    #expect(text == "f.json: X.a: step 2: at: 4 lies before the step before, 5")
  }

  @Test
  func `an identifier is unique, in one file and over all files`() throws {
    let vector =
      #"{"id": "X.a", "says": "s", "covers": ["X"], \#(Self.policy), "steps": [{"event": "woke"}]}"#
    #expect(
      problem(of: #"{"vectors": [\#(vector), \#(vector)]}"#)
        == "f.json: X.a: id: is the identifier of two vectors"
    )
    let bytes = Array(#"{"vectors": [\#(vector)]}"#.utf8)
    let error = #expect(throws: DocumentError.self) {
      try ConformanceSuite.vectors(of: [("a.json", bytes), ("b.json", bytes)])
    }
    #expect(error?.description == "b.json: X.a: id: is in a.json as well")
  }

  @Test(arguments: [
    ("", "line 1, column 1: the text ends where a value is expected"),
    ("{\n  \"vectors\": [\n  ]\n} x", "line 4, column 3: text follows the value"),
    ("{\"vectors\": [], \"vectors\": []}", "the member \"vectors\" is given twice"),
    ("{\"vectors\": [1.5]}", "numbers are whole"),
    ("{\"vectors\": [1e3]}", "numbers are whole"),
    ("{\"vectors\": [01]}", "this is not a number"),
    ("{\"vectors\": [9007199254740993]}", "the number is larger than 9007199254740992"),
    ("{\"vectors\": [\"a\u{1}\"]}", "a control character in a string"),
    ("{\"vectors\": [\"\\x\"]}", "an unknown escape"),
    ("{\"vectors\": [\"\\ud800\"]}", "half a pair of surrogates"),
    ("{\"vectors\": [tru]}", "a value is expected here"),
    ("{\"vectors\": [1,]}", "a value is expected here"),
    ("{\"vectors\" []}", "\":\" is expected"),
    ("{\"vectors\": [}", "a value is expected here"),
    ("{\"vectors\": [\"a", "the string does not end"),
    ("[]", "an object is expected, not a list"),
    ("{}", "vectors: is missing"),
  ])
  func `a text that is not a JSON document of vectors says where and why`(
    text: String,
    part: String
  ) {
    let problem = problem(of: text)
    #expect(problem.hasPrefix("f.json: ") && problem.contains(part), "\(problem)")
  }

  @Test
  func `nesting has a limit`() {
    let text = String(repeating: "[", count: 100_000)
    #expect(problem(of: text).contains("nested deeper than 32"))
  }
}
