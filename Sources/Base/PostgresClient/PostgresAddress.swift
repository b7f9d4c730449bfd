import CPostgres

/// A connection string: `postgres://user:password@host:port/database?option=value`.
///
/// Its description names user, host, port and database only: passwords never appear in logs or errors.
package struct PostgresAddress: Hashable, Sendable {
  /// The connection string as libpq reads it.
  let uri: String
  /// Who connects to what, without secrets.
  private let display: String

  /// An error of a connection string.
  package struct Invalid: Error, CustomStringConvertible {
    package let description: String
  }

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
    uri = text
    let user = values["user"].map { $0 + "@" } ?? ""
    let host = values["host"] ?? values["hostaddr"] ?? ""
    let port = values["port"].map { ":" + $0 } ?? ""
    display = "postgres://\(user)\(host)\(port)/\(values["dbname"] ?? "")"
  }
}

extension PostgresAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  package var description: String { display }
  package var debugDescription: String { display }
  /// Hides the string from `dump` and from the descriptions of types that contain it.
  package var customMirror: Mirror { Mirror(self, children: ["address": display]) }
}
