/// The clients of Catnip, played against a server.
struct CatnipScript: ClientScript {
  static let name = "catnip"
  static let settings: [String: String] = [:]

  init(_ settings: [String: String]) throws(ClientSettingError) {}

  func play(_ run: ClientRun) async {}
}
