import Freshness
import ParityReport
import Testing

@Suite("Reports on copies of the other client")
struct CopyTests {
  /// Two honest clients at one server.
  private func pair(
    changePercent: UInt64 = 70,
    second policy: Policy = .departuresWeb,
    start: Int64 = 9_871,
    stop: String = "8501120"
  ) throws -> (EditedRecording, EditedRecording) {
    var server = SimulatedServer(seed: 5)
    server.changePercent = changePercent
    let first = SimulatedClient.record(.departuresWeb, &server, seed: 1)
    server.stop = stop
    let second = SimulatedClient.record(policy, &server, seed: 2, start: start)
    return (try EditedRecording(first), try EditedRecording(second))
  }

  private func expectOnly(
    _ gate: String,
    _ first: EditedRecording,
    _ second: EditedRecording,
    says words: String
  ) throws {
    let report = ParityReport(
      try first.report("a.jsonl"),
      try second.report("b.jsonl"),
      mechanisms: try ProvedMechanisms.table()
    )
    #expect(report.failed == [gate], "\(ReportText.text(report))")
    let findings = report.gates.flatMap(\.findings)
    #expect(findings.count == 1 && findings[0].says.contains(words), "\(findings)")
    #expect(!report.isPassed)
  }

  @Test
  func `A copied file`() throws {
    let (first, _) = try pair()
    try expectOnly("clients_independent", first, first, says: "a copied file")
  }

  @Test
  func `The other client's payloads, re-timed`() throws {
    var (first, second) = try pair()
    for (from, to) in zip(first.contents, second.contents) {
      second.lines[to]["digest"] = first.lines[from]["digest"]
    }
    try expectOnly("clients_independent", first, second, says: "given to the other client as well")
    (first, second) = try pair()
    second.lines[4]["requestId"] = first.lines[3]["requestId"]
    try expectOnly("clients_independent", first, second, says: "1 answer were given")
  }

  @Test
  func `The other client's server times and ages`() throws {
    var (first, second) = try pair(changePercent: 100, start: 5_900)
    let names = ["serverTime", "rtFetchedAt", "rtCacheAgeMs", "ageMs"]
    for (from, to) in zip(first.contents, second.contents) {
      for name in names { second.lines[to][name] = first.lines[from][name] }
    }
    try expectOnly(
      "clients_independent",
      first,
      second,
      says: "the same serverTime and rtCacheAgeMs"
    )
    first.lines = []
  }

  @Test
  func `The other client's rhythm, moved in time`() throws {
    let (first, _) = try pair()
    var second = first
    second.shift(["startedAt", "endedAt", "serverTime", "rtFetchedAt"], by: 7_003)
    for index in second.lines.indices {
      second.lines[index]["digest"] = "\(900 + index)"
      second.lines[index]["requestId"] = "invented-\(index)"
    }
    try expectOnly("clients_independent", first, second, says: "a re-timed copy")
    // Cut at both ends, it still is one.
    second.lines = Array(second.lines.dropFirst(5).dropLast(3))
    try expectOnly("clients_independent", first, second, says: "a re-timed copy")
  }

  @Test
  func `Another stop, or another hour`() throws {
    var (first, second) = try pair(stop: "8503000")
    try expectOnly("same_stop", first, second, says: "8501120 and 8503000")
    (first, second) = try pair(start: 3_600_000)
    try expectOnly("same_time", first, second, says: "the recordings share 0 ms")
  }

  @Test
  func `A mechanism without proof is never called one`() throws {
    let (first, second) = try pair()
    let reports = (try first.report("a.jsonl"), try second.report("b.jsonl"))
    let results = Dictionary(
      uniqueKeysWithValues: ProvedMechanisms.vectors.map { ($0.id, [String]()) }
    )
    var broken = results
    broken["row-7"] = ["step 3: snapshot is apply, not keep"]
    var partial = results
    partial["row-2"] = nil
    for (native, wasm, row, words) in [
      (results, nil, 1, "WebAssembly: not proved, no results"),
      (results, broken, 7, "WebAssembly: 1 vector failed (row-7)"),
      (broken, results, 7, "native: 1 vector failed (row-7)"),
      (results, partial, 2, "WebAssembly: not proved, no result for row-2"),
    ] as [([String: [String]], [String: [String]]?, Int, String)] {
      let table = MechanismTable(
        vectors: ProvedMechanisms.vectors,
        proofs: [
          BuildProof(build: "native", source: "here", mismatches: native),
          BuildProof(build: "WebAssembly", source: "no results", mismatches: wasm),
        ]
      )
      let report = ParityReport(reports.0, reports.1, mechanisms: table)
      #expect(report.failed == ["mechanisms"] && !report.isPassed)
      #expect(table.rows[row - 1].isProved == false)
      let says = report.gates.flatMap(\.findings).map(\.says)
      #expect(says.contains { $0.hasPrefix("row \(row), ") && $0.contains(words) }, "\(says)")
      #expect(ReportText.text(report).contains("verdict: FAIL"))
    }
    // A row without a vector for its own scenario is not proved by its rules.
    let untold = MechanismTable(
      vectors: [MechanismTable.Vector(id: "row-7", covers: ["R20"])],
      proofs: [BuildProof(build: "native", source: "here", mismatches: results)]
    )
    #expect(!untold.rows[6].isProved)
  }
}
