/// The texts of simulated users and agents.
enum SimulatedTexts {
  static let prompts = [
    "Make the import faster", "Why is the second test red?", "Rename the folder of the feeds",
    "Write the tests first,\nthen the code", "Die Haltestellen fehlen: „Zürich HB“ 🚉",
    "Remove what nobody uses", "Go on",
  ]
  static let titles = [
    "Faster import", "The red test", "Names of folders", "Haltestellen 🚏", "What nobody uses",
  ]
  static let steps = [
    "Read the code", "Write a test that fails", "Change the reader", "Change the writer",
    "Run all tests", "Describe the change", "Look for other uses",
  ]
  static let thoughts = [
    "The reader keeps the whole file.", "Two names for one thing.", "The test waits for nothing.",
  ]
  static let remarks = [
    "I look at the reader first.", "The test fails as it should.", "One case is left: \"\\\\\".",
  ]
  static let answers = [
    "The import is faster: it reads in blocks.", "The test was right and the code was wrong.",
    "Done.\n\n- Tests are green\n- Nothing else changed",
  ]
  static let files = ["notes.txt", "reader.txt", "plans/next.txt", "writer.txt"]
  static let commands = ["make test", "grep -rn reader .", "git status", "make"]
  static let failure = "API Error: 500 the model is not there"
}
