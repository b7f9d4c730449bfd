import ParityReport
import Testing

@Suite("The table of vectors")
struct VectorTableTests {
  private static let vectors = [
    VectorTable.Vector(id: "R1.one", file: "first.json"),
    VectorTable.Vector(id: "R1.two", file: "first.json"),
    VectorTable.Vector(id: "R2.one", file: "second.json"),
  ]
  private static let passed: [String: [String]] = ["R1.one": [], "R1.two": [], "R2.one": []]

  private func table(_ other: [String: [String]]?) -> VectorTable {
    VectorTable(
      Self.vectors,
      proofs: [
        BuildProof(build: "native", source: "run now", mismatches: Self.passed),
        BuildProof(build: "Chromium", source: "run there", mismatches: other),
      ]
    )
  }

  @Test
  func `Both builds stand in one table that passes if both do`() {
    let table = table(Self.passed)
    #expect(table.isPassed)
    #expect(
      table.text == """
        vectors      there are    native  Chromium
        first.json           2  2 passed  2 passed
        second.json          1  1 passed  1 passed
        all                  3  3 passed  3 passed

        native: run now
        Chromium: run there
        verdict: PASS

        """
    )
  }

  @Test
  func `A vector that fails in one build fails the table and is named with its reason`() {
    var results = Self.passed
    results["R2.one"] = ["step 2: the alarm is 1, not 2"]
    let table = table(results)
    #expect(!table.isPassed)
    #expect(table.text.contains("second.json          1  1 passed  1 FAILED"))
    #expect(table.text.contains("FAIL  Chromium  R2.one: step 2: the alarm is 1, not 2\n"))
    #expect(table.text.hasSuffix("verdict: FAIL\n"))
    #expect(table.json.contains(#""results":[[],["step 2: the alarm is 1, not 2"]]"#))
  }

  @Test
  func `A vector without a result, a build without results and no vectors at all fail`() {
    var results = Self.passed
    results["R1.two"] = nil
    #expect(!table(results).isPassed)
    #expect(table(results).text.contains("FAIL  Chromium  R1.two: there is no result"))
    #expect(table(results).json.contains(#""results":[[],null]"#))
    #expect(!table(nil).isPassed)
    #expect(table(nil).text.contains("no results"))
    #expect(!VectorTable([], proofs: []).isPassed)
  }
}
