import BookLibrary
import Foundation
import PostgresClient

/// A place for the catalogues of one test, one for each owner.
final class CatalogueStage: Sendable {
  let stage: LibraryStage

  init(_ kind: LibraryKind) async throws { stage = try await LibraryStage(kind) }

  /// Connections as those of one process, which a test may end by the name that the server of the database shows.
  func pool() throws -> PostgresPool {
    stage.tables.pool(
      try stage.address,
      limits: LibraryStage.limits,
      purpose: stage.schema
    )
  }

  /// Opens the catalogue, as one process does.
  func open(owner: String = LibraryOwner.usual.name) throws -> any CatalogueStore {
    switch stage.kind {
    case .sqlite:
      let catalogue = SQLiteCatalogue(path: stage.folder.path + "/\(owner).sqlite")
      try catalogue.open()
      return catalogue
    case .postgres: return PostgresCatalogue(try pool(), owner: try LibraryOwner(owner))
    }
  }

  /// Imports lines of dumps.
  @discardableResult
  func importLines(
    _ lines: [String],
    into catalogue: any CatalogueStore
  ) async throws -> CatalogueImport.Report {
    try await CatalogueImport.run(files: [try dump(lines)], into: catalogue)
  }

  /// Writes a dump.
  func dump(_ lines: [String]) throws -> String {
    let text = lines.joined(separator: "\n") + "\n"
    return try stage.folder.file("dump-\(UUID()).txt", Array(text.utf8))
  }

  /// Writes dumps with generated works.
  ///
  /// - Returns: The files, and what the generator counted.
  func generate(
    works: Int,
    isPlain: Bool = false
  ) async throws -> (files: [String], counts: [String: Int]) {
    let folder = stage.folder.path + "/dumps-\(UUID())"
    let arguments = [folder, "\(works)"] + (isPlain ? ["--plain"] : [])
    let printed = try await PythonProgram.run("library_dump.py", arguments)
    let counts = try JSONDecoder().decode([String: Int].self, from: Data(printed.utf8))
    let end = isPlain ? "txt" : "txt.gz"
    // The order of the files does not matter.
    return (["editions", "works", "authors"].map { "\(folder)/ol_dump_\($0).\(end)" }, counts)
  }

  /// A catalogue of generated works.
  func filled(works: Int = 800) async throws -> any CatalogueStore {
    let catalogue = try open()
    _ = try await CatalogueImport.run(
      files: try await generate(works: works).files,
      into: catalogue
    )
    catalogue.renew()
    return catalogue
  }

  // MARK: Lines

  static func author(_ id: Int, _ name: String) -> String {
    line("author", "/authors/OL\(id)A", #""name":"\#(name)""#)
  }

  static func work(
    _ id: Int,
    _ title: String,
    authors: [Int] = [],
    _ more: String = ""
  ) -> String {
    let authors = authors.map { #"{"author":{"key":"/authors/OL\#($0)A"}}"# }
    return line(
      "work",
      "/works/OL\(id)W",
      #""title":"\#(title)","authors":[\#(authors.joined(separator: ","))]\#(more)"#
    )
  }

  static func edition(
    _ id: Int,
    of work: Int,
    _ title: String,
    isbn: String,
    year: Int = 2000
  ) -> String {
    line(
      "edition",
      "/books/OL\(id)M",
      #""title":"\#(title)","publish_date":"\#(year)","isbn_13":["\#(isbn)"],"works":[{"key":"/works/OL\#(work)W"}]"#
    )
  }

  private static func line(_ kind: String, _ key: String, _ members: String) -> String {
    "/type/\(kind)\t\(key)\t1\t2020\t{\"key\":\"\(key)\",\(members)}"
  }
}
