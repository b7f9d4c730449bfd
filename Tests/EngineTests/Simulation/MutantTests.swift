import Simulation
import Testing

@Suite("Mutants")
struct MutantTests {
  @Test(arguments: 0..<MutantRun.count)
  func `The oracle catches every broken machine under the rule it breaks`(number: Int) {
    let verdict = MutantRun.one(number, seed: 1)
    #expect(verdict.isKilled, "\(verdict.rule.name): \(verdict.name)")
    #expect(verdict.killedBy == verdict.rule)
    #expect(verdict.events > 0 && !verdict.reason.isEmpty)
  }

  @Test
  func `Every rule has a mutant`() {
    #expect(MutantRun.rules == Set(Rule.allCases))
    #expect(Rule.allCases.count == 40)
  }
}
