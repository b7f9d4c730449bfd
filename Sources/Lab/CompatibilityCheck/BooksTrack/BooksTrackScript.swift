import ConditionalHTTP
import Foundation
import HTTPTypes
import StrictJSON

/// The clients of BooksTrack, played against a server.
///
/// Imports, enrichments and scans, each as the parts and generations of the app take their steps; they run side by side.
struct BooksTrackScript: ClientScript {
  static let name = "bookstrack"
  static let settings = [
    "rows": "how many rows the imported tables have, 1 to 10000, by default 49",
    "photo":
      "a JPEG file with books that the server finds; by default a white photo, in which there are none",
  ]
  /// The longest photo, in bytes; what the app sends is smaller.
  private static let longestPhoto = 10 << 20

  private let rows: Int
  private let photo: [UInt8]?

  init(_ settings: [String: String]) throws(ClientSettingError) {
    let text = settings["rows"] ?? "49"
    guard let rows = Int(text), (1...10_000).contains(rows) else {
      throw ClientSettingError("rows", expected: "1 to 10000")
    }
    self.rows = rows
    photo = try settings["photo"].map { path throws(ClientSettingError) in
      guard let content = FileManager.default.contents(atPath: path), !content.isEmpty,
        content.count <= Self.longestPhoto
      else {
        throw ClientSettingError("photo", expected: "a file of 1 to \(Self.longestPhoto) bytes")
      }
      return Array(content)
    }
  }

  func play(_ run: ClientRun) async {
    let imports = BooksTrackImports(rows: rows)
    let books = BooksTrackEnrichments()
    let scans = BooksTrackScans(photo: photo)
    await withTaskGroup { group in
      group.addTask { await imports.playFirst(run) }
      group.addTask { await imports.playTable(run) }
      group.addTask { await imports.playNewest(run) }
      for generation in BooksTrackGeneration.allCases {
        group.addTask { await books.play(run, generation) }
      }
      group.addTask { await books.playWithoutToken(run) }
      group.addTask { await books.playCancel(run) }
      group.addTask { await books.playReturn(run) }
      group.addTask { await books.playReconnect(run) }
      group.addTask { await scans.playPhoto(run) }
      group.addTask { await scans.playPhotos(run) }
    }
  }
}

/// What the app sends, in the form in which it sends it.
enum BooksTrackContent {
  private static let version = HTTPField.Name("X-Client-Version")
  private static let contract = HTTPField.Name("X-API-Contract-Version")

  /// An id as the app makes one: in capitals.
  static var id: String { UUID().uuidString }

  /// The fields of the parts of the app that name its version.
  static func fields(type: String? = "application/json", token: String? = nil) -> HTTPFields {
    var fields = HTTPFields()
    fields[.contentType] = type
    if let version { fields[version] = "ios-v3.0.0" }
    if let contract { fields[contract] = "v3.3" }
    fields[.authorization] = token.map { "Bearer \($0)" }
    return fields
  }

  /// A table as the one file of a form.
  static func form(rows: Int, boundary: String) -> [UInt8] {
    var text = "--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; "
    text += "filename=\"import.csv\"\r\nContent-Type: text/csv\r\n\r\nTitle,Author,ISBN13\n"
    for row in 1...rows { text += "\"Check \(row), a novel\",Author \(row % 7),\n" }
    // A row that fails: it is a number that is broken, and nothing else.
    text += ",,9780000000002\n"
    return Array("\(text)\r\n--\(boundary)--\r\n".utf8)
  }

  /// Books as the app sends them.
  static func books(_ id: String, count: Int) -> [UInt8] {
    let books = (1...count).map { number -> JSONValue in
      var book: [String: JSONValue] = [
        "title": .string("Check \(number)"), "author": .string("Author \(number)"),
      ]
      // A number that it does not know is left out.
      if number % 2 == 0 { book["isbn"] = .string("9780441013593") }
      return .object(book)
    }
    return JSONValue.object(["books": .list(books), "jobId": .string(id)]).bytes
  }

  /// A white photo.
  static let photo = Array(
    Data(
      base64Encoded: """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8\
        ybqmx5moq6T/wAALCAAQABABASIA/8QAFQABAQAAAAAAAAAAAAAAAAAAAAb/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/9oACAEBAAA/AKYB/9k=
        """
    ) ?? Data()
  )
}
