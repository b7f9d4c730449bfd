/// The clients of MesDeparts, played against a server.
struct MesDepartsScript: ClientScript {
  static let name = "mesdeparts"
  static let settings: [String: String] = [:]

  init(_ settings: [String: String]) throws(ClientSettingError) {}

  func play(_ run: ClientRun) async {}
}
