/// The connection string of a PostgreSQL database in a configuration file.
enum DatabaseAddress {
  /// Reads the member `database`.
  ///
  /// - Throws: ``SettingsError`` if it is not like a connection string.
  static func read(_ object: inout SettingsObject) throws(SettingsError) -> String? {
    try object.text("database", "a database like postgres://user@host/name") {
      $0.hasPrefix("postgres://") || $0.hasPrefix("postgresql://")
    }
  }

  /// Whether a connection string holds a password.
  static func hasPassword(_ database: String) -> Bool {
    guard let start = database.firstRange(of: "://")?.upperBound else { return false }
    let rest = database[start...]
    let user = rest.prefix { $0 != "/" && $0 != "?" }.split(separator: "@")
    return user.count > 1 && user[0].contains(":") || rest.contains("password=")
  }
}
