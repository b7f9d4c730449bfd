import Foundation
import Freshness
import FreshnessTesting
import StrictJSON
import Testing

@Suite("Vectors: the native machine")
struct VectorTests {
  /// All vectors by identifier; empty if they cannot be read, which a separate test reports.
  static let vectors: [String: ConformanceVector] = {
    let all = (try? ConformanceSuite.vectors()) ?? []
    return Dictionary(all.map { ($0.id, $0) }) { first, _ in first }
  }()

  @Test
  func `every file of vectors is well formed`() throws {
    let vectors = try ConformanceSuite.vectors()
    #expect(vectors.count >= 300)
    #expect(Set(vectors.map(\.file)).count == ConformanceSuite.files.count)
  }

  @Test(arguments: vectors.keys.sorted())
  func `the machine does what the vector says`(id: String) throws {
    let vector = try #require(Self.vectors[id])
    let mismatches = ConformanceRun.check(vector) { RefreshMachine(policy: $0, context: $1) }
    for mismatch in mismatches { Issue.record("\(mismatch)\n\(vector.says)") }
  }

  @Test
  func `every file in the folder is part of the library`() throws {
    let folder = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent()
      .appending(components: "..", "..", "..", "Sources", "Engine", "ConformanceVectors", "Vectors")
      .standardizedFileURL
    let present = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(present == ConformanceSuite.files.map(\.name).sorted())
    for file in ConformanceSuite.files {
      let bytes = try Data(contentsOf: folder.appending(component: file.name))
      let isSame = Array(bytes) == file.bytes
      #expect(isSame, "\(file.name) was changed after it was built in")
    }
  }

  @Test
  func `each vector's identifier begins with what it is about`() throws {
    for vector in try ConformanceSuite.vectors() {
      let isNamed = vector.covers.contains { vector.id.hasPrefix($0 + ".") }
      #expect(isNamed, "\(vector.id) covers \(vector.covers)")
    }
  }

  // MARK: Vectors that are wrong on purpose

  private func mismatches(
    _ steps: String,
    policy: String = #"{"every": 10000}"#
  ) throws -> [ConformanceMismatch] {
    let text =
      #"{"vectors": [{"id": "X.wrong", "covers": ["X"], "says": "x", "policy": \#(policy), "steps": [\#(steps)]}]}"#
    let vectors = try ConformanceVector.decode(Array(text.utf8), file: "wrong.json")
    return ConformanceRun.check(vectors) { RefreshMachine(policy: $0, context: $1) }
  }

  @Test
  func `a wrong expectation is reported with step, member, both values and words a person reads`()
    throws
  {
    let found = try mismatches(
      #"{"event": "started"}, {"event": "woke", "expect": {"shows": {"outstanding": 2}, "alarm": 7}}"#
    )
    #expect(
      found.map(\.description) == [
        "wrong.json: X.wrong: step 2: alarm: expected 7, got 12000",
        "wrong.json: X.wrong: step 2: shows.outstanding: expected 2, got 1",
      ]
    )
  }

  @Test(arguments: [
    (#"{"request": null}"#, "request"),
    (#"{"request": {"timeout": 1}}"#, "request.timeout"),
    (#"{"request": {"context": {"question": 1}}}"#, "request.context"),
    (#"{"changes": []}"#, "changes"),
    (#"{"notes": ["kept"]}"#, "notes"),
    (#"{"stream": "open"}"#, "stream"),
    (#"{"snapshot": "apply"}"#, "snapshot"),
    (#"{"sample": {"status": 1}}"#, "sample"),
    (#"{"cancel": 1}"#, "cancel"),
    (#"{"alarm": {"from": 1, "to": 11999}}"#, "alarm"),
    (#"{"alarm": null}"#, "alarm"),
    (#"{"shows": {"label": {"marker": "normal"}}}"#, "shows.label.marker"),
    (#"{"shows": {"label": {"wording": {"seconds": 1}}}}"#, "shows.label.wording"),
    (#"{"shows": {"pace": "recent"}}"#, "shows.pace"),
    (#"{"counters": {"requests": 0}}"#, "counters.requests"),
    (#"{"ring": [1]}"#, "ring"),
  ])
  func `each wrong member is found`(expectation: String, member: String) throws {
    let found = try mismatches(#"{"event": "started", "expect": \#(expectation)}"#)
    #expect(found.map(\.member) == [member])
  }

  @Test
  func `a wrong list of requests after a wait is found`() throws {
    let start = #"{"event": "started"}, {"event": "wait", "after": 30000, "#
    let server = #""with": {"answer": {"outcome": "content", "revision": 1}, "latency": 100}, "#
    let expected = #""expect": {"requestCount": 3, "requests": [{"at": 10000}, {"at": 2}, {}]}}"#
    let right = #""expect": {"requestCount": {"from": 3, "to": 4}}}"#
    #expect(try mismatches(start + server + expected).map(\.member) == ["requests[2].at"])
    #expect(try mismatches(start + server + right).isEmpty)
  }

  @Test
  func `an answer without a request is a mismatch`() throws {
    let found = try mismatches(
      #"{"event": "answered", "with": {"answer": {"outcome": "unchanged"}}}"#
    )
    #expect(found.map(\.got) == [.string("no request is out")])
    let unknown = try mismatches(
      #"{"event": "answered", "with": {"generation": 8, "answer": {"outcome": "unchanged"}}}"#
    )
    #expect(unknown.map(\.got) == [.string("no request 8 was ever ordered")])
  }

  @Test
  func `a machine that never rests ends a wait as a mismatch`() throws {
    let found = try mismatches(
      #"""
      {"event": "started"},
      {"event": "wait", "after": 1000000000, "with": {"answer": {"outcome": "content", "revision": 1}}}
      """#,
      policy: #"{"every": 100, "leastInterval": 0}"#
    )
    #expect(found.map(\.member) == ["event"])
  }
}
