import CPostgres

/// A connection string: `postgres://user:password@host:port/database?option=value`.
///
/// Its description names user, host, port and database only: passwords never appear in logs or errors.
package struct PostgresAddress: Hashable, Sendable {
  /// The connection string as libpq reads it.
  let uri: String
  /// The servers to try, one after the other.
  let places: [Place]
  /// How long to wait for each of them, in seconds, if the string says so.
  let timeout: Double?
  /// The address for messages, without secrets.
  private let display: String

  /// A server of a connection string.
  struct Place: Hashable, Sendable {
    /// The options that name it and no other, for libpq; none if the string names one server at most.
    var options: [String: String] = [:]
    /// The server's address for messages, without secrets.
    var display: String
  }

  /// An error of a connection string.
  package struct Invalid: Error, CustomStringConvertible {
    package let description: String
  }

  private static let usualPort = "5432"
  /// The values of `sslmode` that libpq knows.
  private static let modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]
  private static let escapes =
    "with % : / @ ? # in a password written as %25 %3A %2F %40 %3F %23"

  /// Checks a connection string.
  ///
  /// - Parameter text: The string; options that it leaves out come from the environment, as libpq defines it (`PGHOST`,
  ///   `PGPASSWORD`, `~/.pgpass`).
  /// - Throws: ``Invalid``, which does not repeat the string.
  package init(_ text: String) throws(Invalid) {
    guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") else {
      throw Invalid(description: "expected postgres://user@host:port/database")
    }
    guard !text.utf8.contains(0), let options = PQconninfoParse(text, nil) else {
      throw Invalid(
        description:
          "not a valid connection string; expected postgres://user@host:port/database?option=value, \(Self.escapes)"
      )
    }
    defer { PQconninfoFree(options) }
    var values: [String: String] = [:]
    var place = options
    while let keyword = place.pointee.keyword {
      if let value = place.pointee.val {
        values[String(cString: keyword)] = String(cString: value)
      }
      place += 1
    }
    // A password whose / or @ is not escaped ends up in the port, the host or the database.
    let ports = (values["port"] ?? "").split(separator: ",")
    guard !["host", "dbname"].contains(where: { values[$0]?.contains("@") == true }),
      ports.allSatisfy({ Int($0).map { (1...65_535).contains($0) } == true })
    else {
      throw Invalid(
        description:
          "the host or the port is not valid; expected postgres://user@host:port/database, \(Self.escapes)"
      )
    }
    // libpq checks it only when it connects: the error would look like an unreachable database.
    if let mode = values["sslmode"], !Self.modes.contains(mode) {
      throw Invalid(description: "sslmode is one of \(Self.modes.joined(separator: ", "))")
    }
    uri = text
    let user = values["user"].map { $0 + "@" } ?? ""
    let database = values["dbname"] ?? ""
    func display(_ places: [String]) -> String {
      "postgres://\(user)\(places.joined(separator: ","))/\(database)".withoutControls
    }
    func list(_ name: String) -> [String] {
      (values[name] ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    let lists = ["host": list("host"), "hostaddr": list("hostaddr"), "port": list("port")]
    let count = max(lists["host"]?.count ?? 1, lists["hostaddr"]?.count ?? 1)
    var shown: [String] = []
    var named: [[String: String]] = []
    for place in 0..<count {
      // One port is that of all.
      var own = lists.compactMapValues { list in
        (list.count > place ? list[place] : list.last).flatMap { $0.isEmpty ? nil : $0 }
      }
      guard count == 1 || values["hostaddr"] == nil || own["hostaddr"] != nil else {
        throw Invalid(description: "hostaddr names an address for each host, or is left out")
      }
      let host = own["host"] ?? own["hostaddr"] ?? ""
      shown.append(host + (own["port"].map { ":" + $0 } ?? ""))
      // Otherwise the ports of all hosts stay in force for this one.
      if values["port"] != nil, own["port"] == nil { own["port"] = Self.usualPort }
      named.append(own)
    }
    self.display = display(shown)
    places =
      count == 1
      ? [Place(display: display(shown))]
      : zip(named, shown).map { Place(options: $0, display: display([$1])) }
    timeout = values["connect_timeout"].flatMap(Double.init).flatMap { $0 > 0 ? $0 : nil }
  }
}

extension PostgresAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  package var description: String { display }
  package var debugDescription: String { display }
  /// Hides the string from `dump` and from the descriptions of types that contain it.
  package var customMirror: Mirror { Mirror(self, children: ["address": display]) }
}
