import ContractSchema
import Testing

@Suite("The answers about boards and openapi.json")
struct BoardContractTests {
  @Test
  func `Types and document have the same members, kinds and words`() async throws {
    var answers = BoardContract(comparison: SchemaComparison(try ContractDocument("openapi.json")))
    try answers.compareBoards()
    try answers.compareTrips()
    try answers.compareMatches()
    try await answers.compareService()
    try answers.compareHistory()
    try answers.compareStatus()
    try answers.compareReadiness()
    answers.compareWords()
    let differences = answers.comparison.differences(
      streams: ["BoardChange", "BoardVerification", "BoardReset"],
      // The contract has them for servers that keep aliases in a database.
      reserved: ["Resolved/properties/source": ["db", "fallback"]]
    )
    for difference in differences { Issue.record("\(difference)") }
  }
}

/// Answers of every kind, with every member, and with none that may be left out.
struct BoardContract {
  var comparison: SchemaComparison
}
