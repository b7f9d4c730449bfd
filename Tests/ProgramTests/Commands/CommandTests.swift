import ArgumentParser
import Testing

@testable import Commands

@Suite struct `Commands that are not known` {
  private struct Root: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "tool",
      subcommands: [Serve.self, Jobs.self]
    )
  }

  private struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "serve", aliases: ["run"])
    @Argument var rest: [String] = []
  }

  private struct Jobs: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "jobs", subcommands: [List.self])
  }

  private struct List: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list")
  }

  private func unknown(_ line: String) -> UnknownCommand? {
    UnknownCommand(in: line.split(separator: " ").map(String.init), of: Root.self)
  }

  @Test(
    arguments: [
      ("serv", "tool", "serv", "serve"), ("sevre --port 1", "tool", "sevre", "serve"),
      ("SERVE", "tool", "SERVE", "serve"), ("rnu", "tool", "rnu", "run"),
      ("jobs lst --json", "tool jobs", "lst", "list"), ("help job", "tool", "job", "jobs"),
      ("help jobs lsit", "tool jobs", "lsit", "list"), ("xyzzy", "tool", "xyzzy", nil),
    ]
  )
  func `the nearest one is named`(line: String, parent: String, word: String, nearest: String?) {
    let found = unknown(line)
    #expect(found?.parent == parent)
    #expect(found?.word == word)
    #expect(found?.nearest == nearest)
    #expect(found?.failure.exit == .usage)
  }

  @Test(
    arguments: [
      "", "--help", "--version", "serve", "run serv", "serve serv", "jobs", "jobs --help",
      "jobs list",
      "help", "help jobs list", "--serv", "help help",
    ]
  )
  func `what the parser understands is left to it`(line: String) {
    #expect(unknown(line) == nil)
  }

  @Test(
    arguments: [
      ("", "", 0), ("a", "", 1), ("serve", "serve", 0), ("serv", "serve", 1), ("sreve", "serve", 1),
      ("lausane", "Lausanne", 1), ("Zurich", "Zürich", 0), ("kitten", "sitting", 3),
      ("ca", "abc", 3),
      ("list", "restore", 5),
    ]
  )
  func `mistakes are counted, swapped neighbors as one`(left: String, right: String, count: Int) {
    #expect(Spelling.distance(left, right) == count)
    #expect(Spelling.distance(right, left) == count)
  }

  @Test func `a word of any length costs little`() {
    let long = String(repeating: "a", count: 1_000_000)
    #expect(Spelling.nearest(to: long, in: ["serve"]) == nil)
  }

  @Test func `a choice is a number of the list`() {
    #expect(TerminalChoice.index("1", of: 3) == 0)
    #expect(TerminalChoice.index("3", of: 3) == 2)
    for typed in ["0", "4", "-1", "one", "1.5", "99999999999999999999"] {
      #expect(TerminalChoice.index(typed, of: 3) == nil, "\(typed)")
    }
  }
}
