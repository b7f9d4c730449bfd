import ArgumentParser
import BookLibrary
import Commands

/// `freshet library removed`.
struct LibraryRemovedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "removed",
    abstract: "List the books that were removed because their service does not have them any more.",
    discussion: """
      Each line begins with the number by which freshet library restore brings the book back.

        freshet library removed
      """
  )

  @OptionGroup var library: LibraryOption

  @Flag(help: "Print a line of JSON for each book.")
  var json = false

  func run() async throws {
    try await library.with("removed") { library in
      for book in try await library.removed() {
        guard !json else {
          Terminal.write(try PrintedJSON.line(ListedBook(book)))
          continue
        }
        let line = LibraryListCommand.line(book.record)
        Terminal.write("\(book.id) · \(book.removedAt.prefix(10)) · \(line)\n")
      }
    }
  }
}

/// `freshet library restore`.
struct LibraryRestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract:
      "Bring books back that were removed because their service does not have them any more.",
    discussion: """
        freshet library restore 12 15
      """
  )

  @Argument(help: "The numbers that freshet library removed prints.")
  var numbers: [Int64]

  @OptionGroup var library: LibraryOption

  @Flag(help: "Print a line of JSON for each book.")
  var json = false

  func run() async throws {
    try await library.with("restore") { library in
      for number in numbers {
        guard let book = try await library.restore(number) else {
          throw CommandFailure(
            "freshet library restore: no removed book has the number \(number)",
            .noInput
          )
        }
        guard !json else {
          Terminal.write(try PrintedJSON.line(ListedBook(book.record)))
          continue
        }
        Terminal.write(LibraryListCommand.line(book.record) + "\n")
      }
    }
  }
}
