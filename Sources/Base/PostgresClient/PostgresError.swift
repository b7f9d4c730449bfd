/// An error of a PostgreSQL server or of the connection to it.
package struct PostgresError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The part of the client that reports the error.
  package enum Kind: Hashable, Sendable {
    /// The server rejected a statement; ``PostgresError/sqlState`` says why.
    case server
    /// No connection could be opened.
    case unreachable
    /// The connection ended during an operation; a `COMMIT` under way may have succeeded.
    case connectionLost
    /// No connection became available in time, or too many operations wait for one.
    case crowded
    /// The statement took too long and was canceled.
    case timedOut
    /// The pool is closed.
    case closed
    /// A parameter or a result has an unexpected form.
    case invalidValue
  }

  /// The part of the client that reports the error.
  package let kind: Kind
  /// The five characters of the SQL standard, such as `40001`; empty for errors that are not from the server.
  ///
  /// A connection that the server refused has that of the reason.
  package let sqlState: String
  /// The description; it never contains a password.
  package let message: String
  /// The violated constraint, if any.
  package let constraint: String?
  /// What is wrong with the tables, if no connection could be opened because of them.
  private(set) package var mismatch: PostgresSchema.Mismatch?

  package init(_ kind: Kind, _ message: String, sqlState: String = "", constraint: String? = nil) {
    self.kind = kind
    self.sqlState = sqlState
    // A message may contain names that anyone chose.
    self.message = message.withoutControls
    self.constraint = constraint
  }

  /// A connection that could not be opened.
  ///
  /// - Parameters:
  ///   - address: The server and the database, without secrets.
  ///   - lines: What libpq says of it with `PQERRORS_VERBOSE`, such as `FATAL:  28P01: password authentication failed`. A
  ///     server at several addresses is described by several lines; the code is that of the last one that has any.
  ///   - code: The code if they have none.
  /// - Returns: The error.
  static func refused(
    by address: String,
    verbose lines: [Substring],
    code: String = ""
  ) -> PostgresError {
    var code = code
    var parts: [String] = []
    // Where it is in the server's source follows as a line of its own.
    for line in lines where !line.hasPrefix("LOCATION:") {
      guard let found = line.firstMatch(of: #/: {2}([0-9A-Z]{5}): /#) else {
        parts.append(String(line))
        continue
      }
      code = String(found.1)
      parts.append(line[..<found.range.lowerBound] + ": " + line[found.range.upperBound...])
    }
    let message = parts.joined(separator: "; ")
    return PostgresError(.unreachable, "\(address): \(message)", sqlState: code)
  }

  /// A connection that was opened and cannot be used.
  package init(unusable reason: any Error) {
    guard let error = reason as? PostgresError else {
      self.init(.unreachable, "\(reason)")
      mismatch = reason as? PostgresSchema.Mismatch
      return
    }
    self = error
  }

  /// Whether the database does not let this user in, or the user lacks a right.
  package var isDenied: Bool {
    // invalid_authorization_specification and invalid_password; insufficient_privilege
    sqlState.hasPrefix("28") || sqlState == "42501"
  }

  /// Whether the answer stays the same until a person changes the address, the user's rights or the database.
  package var isFinal: Bool { isDenied || isMissing || mismatch != nil }

  /// Whether the server has no database of that name.
  package var isMissing: Bool {
    // invalid_catalog_name
    sqlState == "3D000"
  }

  /// Whether the same transaction may succeed if it is tried again at once: it collided with another one.
  package var isCollision: Bool { ["40001", "40P01"].contains(sqlState) }

  /// Whether the operation may succeed later without a change.
  package var isTransient: Bool {
    switch kind {
    case .unreachable, .connectionLost, .crowded, .timedOut: true
    case .closed, .invalidValue: false
    case .server:
      // Connection errors, lack of resources, intervention by an operator, collisions, unavailable locks.
      ["08", "53", "57"].contains(String(sqlState.prefix(2))) || isCollision || sqlState == "55P03"
    }
  }

  /// Whether the constraint of the SQL standard's `unique_violation` failed.
  package var isDuplicate: Bool { sqlState == "23505" }

  package var description: String {
    // read_only_sql_transaction
    if sqlState == "25006" {
      return
        "PostgreSQL: \(message) (\(sqlState)): it is a standby or set to read only; name the primary"
    }
    return sqlState.isEmpty ? "PostgreSQL: \(message)" : "PostgreSQL: \(message) (\(sqlState))"
  }
}

extension String {
  /// The text with U+FFFD in place of each character that a terminal obeys instead of showing it.
  var withoutControls: String {
    let scalars = unicodeScalars.map { scalar -> Unicode.Scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: "\u{FFFD}"
      default: scalar
      }
    }
    return String(String.UnicodeScalarView(scalars))
  }
}
