import Foundation
import GRDB
import Testing

@testable import BookLibrary
@testable import Books

// What only a library in a file does.
@Suite struct SQLiteLibraryTests {
  @Test func `a file that is not a library keeps its content and its mode`() throws {
    let folder = try TestFolder()
    let manager = FileManager.default
    for bytes in [Array("root:x:0:0:root:/root:/bin/sh\n".utf8), [UInt8](repeating: 0, count: 64)] {
      let path = try folder.file("accounts", bytes)
      try manager.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
      #expect(throws: LibraryError.self) { try SQLiteLibrary(path: path) }
      #expect(manager.contents(atPath: path).map { [UInt8]($0) } == bytes)
      #expect(try manager.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o644)
    }
    #expect(throws: LibraryError.self) { try SQLiteLibrary(path: "/dev/null") }
    let mode = try manager.attributesOfItem(atPath: "/dev/null")[.posixPermissions] as? Int
    #expect(mode == 0o666)
  }

  @Test func `a library is private, also one that others could read`() throws {
    let folder = try TestFolder()
    let manager = FileManager.default
    let path = folder.path + "/l.sqlite"
    func mode() throws -> Int? {
      try manager.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    _ = try SQLiteLibrary(path: path)
    #expect(try mode() == 0o600)
    try manager.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    _ = try SQLiteLibrary(path: path)
    #expect(try mode() == 0o600)
  }

  @Test func `a library of the first version gets the keys of this one`() async throws {
    let folder = try TestFolder()
    let path = folder.path + "/l.sqlite"
    let books = [
      `Every library`.book("Οδύσσεια", "Όμηρος"),
      `Every library`.book("Nought", isbn: "9780441013593"),
    ]
    #expect(
      try await `Every library`.store(books, into: try SQLiteLibrary(path: path)) == [
        .imported, .imported,
      ]
    )
    let queue = try DatabaseQueue(path: path)
    try await queue.write { database in
      try database.execute(
        sql: """
          UPDATE books SET title_key = 'οδύσσεια', author_key = 'όμηρος' WHERE id = 1;
          UPDATE books SET isbn = '9780000000002' WHERE id = 2;
          PRAGMA user_version = 1;
          """
      )
    }
    try queue.close()
    let library = try SQLiteLibrary(path: path)
    let again = [
      `Every library`.book("ΟΔΥΣΣΕΙΑ", "ΟΜΗΡΟΣ"),
      `Every library`.book("Nought", isbn: "9780441013593"),
    ]
    #expect(
      try await `Every library`.store(again, into: library, job: "j2") == [.duplicate, .updated]
    )
    #expect(try await library.count() == 2)
    let version = try await library.pool.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
    #expect(version == SQLiteLibrarySchema.version)
  }

  @Test func `a person who opens the file finds plain names`() async throws {
    let folder = try TestFolder()
    let path = folder.path + "/l.sqlite"
    let library = try SQLiteLibrary(path: path)
    let book = `Every library`.book("Dune", "Frank Herbert") { book in
      book.authors.append("B")
      book.rating = 18
      book.shelves = ["x", "y"]
    }
    _ = try await `Every library`.store([book], into: library)
    let problem = RowProblem(.titleMissing, column: "Title")
    _ = try await library.store(
      [`Every library`.pending(1, .failed([problem], title: ""))],
      of: `Every library`.file("k"),
      isLast: true
    )
    let queue = try DatabaseQueue(path: path)
    let shown = try queue.read { database in
      try Row.fetchOne(database, sql: "SELECT title, authors, rating, shelves FROM library")
    }
    let failed = try await queue.read { database in
      try String.fetchOne(database, sql: "SELECT text FROM failed_rows")
    }
    #expect(shown?["authors"] == "Frank Herbert; B")
    #expect(shown?["rating"] == 4.5)
    #expect(shown?["shelves"] == "x; y")
    #expect(failed == "a")
  }

  @Test func `other files are left alone`() async throws {
    let folder = try TestFolder()
    let other = folder.path + "/other.sqlite"
    try await DatabaseQueue(path: other).write { try $0.execute(sql: "CREATE TABLE notes (text)") }
    let error = #expect(throws: LibraryError.self) { try SQLiteLibrary(path: other) }
    #expect(error?.code == .otherFile)
    let text = try folder.file("text.sqlite", Array("this is not a database, only text".utf8))
    #expect(throws: LibraryError.self) { try SQLiteLibrary(path: text) }
    #expect(throws: LibraryError.self) { try SQLiteLibrary(path: folder.path + "/none/l.sqlite") }
    let newer = folder.path + "/newer.sqlite"
    _ = try SQLiteLibrary(path: newer)
    try await DatabaseQueue(path: newer).write { try $0.execute(sql: "PRAGMA user_version = 99") }
    let version = #expect(throws: LibraryError.self) { try SQLiteLibrary(path: newer) }
    #expect(version?.description.contains("newer version") == true)
  }
}
