/// The clients of BooksTrack, played against a server.
struct BooksTrackScript: ClientScript {
  static let name = "bookstrack"
  static let settings: [String: String] = [:]

  init(_ settings: [String: String]) throws(ClientSettingError) {}

  func play(_ run: ClientRun) async {}
}
