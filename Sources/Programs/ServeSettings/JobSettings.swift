/// The job settings of a configuration file; absent ones are `nil`.
package struct JobSettings: Hashable, Sendable {
  /// The most of every number, a year in seconds.
  package static let most: Int64 = 31_536_000
  /// The largest limit.
  package static let largest: Int64 = 1 << 31

  /// The folder of jobs, library and catalogue.
  package var folder: String?
  /// The PostgreSQL database that keeps the jobs.
  package var database: String?
  /// Whose library and catalogue in the database; the name is not checked here.
  package var libraryOwner: String?
  /// How many jobs run at once.
  package var running: Int?
  /// How long results are kept, in seconds.
  package var keptSeconds: Int?
  /// How long a token is good, in seconds.
  package var tokenSeconds: Int?
  /// Whether a token is accepted in a query, where it ends up in logs.
  package var queryTokens: Bool?
  /// Whether the id alone opens a job of the app BooksTrack.
  package var bareIDs: Bool?
  /// The Open Library server that is asked too.
  package var openLibrary: String?
  /// The service that reads photos.
  package var vision: String?
  /// Limits by their names, which are not known here.
  package var limits: [String: Int] = [:]

  init(_ object: SettingsObject) throws(SettingsError) {
    var object = object
    folder = try object.text("folder", "a folder")
    database = try DatabaseAddress.read(&object)
    libraryOwner = try object.text("libraryOwner", "a name")
    running = try object.whole("running", 1...Self.most)
    keptSeconds = try object.whole("keptSeconds", 1...Self.most)
    tokenSeconds = try object.whole("tokenSeconds", 1...Self.most)
    queryTokens = try object.flag("queryTokens")
    bareIDs = try object.flag("bareIDs")
    openLibrary = try object.text("openLibrary", "an address like https://openlibrary.org") {
      Self.isAddress($0, mayHavePath: false)
    }
    vision = try object.text("vision", "an address like https://vision.example/v1/books") {
      Self.isAddress($0, mayHavePath: true)
    }
    if var object = try object.object("limits") {
      for name in object.names { limits[name] = try object.whole(name, 1...Self.largest) }
    }
    try object.end()
  }

  /// Whether the database is named with a password.
  var hasPassword: Bool { database.map(DatabaseAddress.hasPassword) ?? false }

  private static func isAddress(_ text: String, mayHavePath: Bool) -> Bool {
    guard let mark = text.firstRange(of: "://"),
      ["http", "https"].contains(text[..<mark.lowerBound])
    else { return false }
    let rest = text[mark.upperBound...]
    let isOneHost = text.split(separator: "/").count == 2
    return !rest.isEmpty && !rest.hasPrefix("/") && (mayHavePath || isOneHost)
      && rest.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"?#@".utf8.contains($0) }
  }
}
