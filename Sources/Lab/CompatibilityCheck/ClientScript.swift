/// An app whose clients can be played against a server.
///
/// A type conforms in a folder of its own, and ``ClientScripts/all`` lists it.
package protocol ClientScript: Sendable {
  /// The name of the app, as `--as` has it.
  static var name: String { get }
  /// What `--with NAME=VALUE` may set, by name, with a sentence about each.
  static var settings: [String: String] { get }

  /// Prepares the clients.
  ///
  /// - Parameter settings: What was set; only names of ``settings``.
  /// - Throws: ``ClientSettingError`` for a value that the app's clients cannot have.
  init(_ settings: [String: String]) throws(ClientSettingError)

  /// Takes the steps of the clients, in the order in which they take them.
  ///
  /// - Parameter run: The server, and where steps are noted.
  func play(_ run: ClientRun) async
}

/// A setting of a client that cannot be.
package struct ClientSettingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the setting.
  package var name: String
  /// What it may be.
  package var expected: String

  package init(_ name: String, expected: String) {
    self.name = name
    self.expected = expected
  }

  /// The name and what is expected.
  package var description: String { "\(name): expected \(expected)" }
}

/// The apps that can be played.
package enum ClientScripts {
  /// All of them, in the order of their names in help and errors.
  package static let all: [any ClientScript.Type] = [
    MesDepartsScript.self,
    CatnipScript.self,
    BooksTrackScript.self,
  ]

  /// Their names, for help and errors.
  package static let names = all.map { $0.name }.joined(separator: ", ")

  /// Returns the app with a name.
  ///
  /// - Parameter name: The name.
  /// - Returns: The app; `nil` if no app has the name.
  package static func named(_ name: String) -> (any ClientScript.Type)? {
    all.first { $0.name == name }
  }
}
