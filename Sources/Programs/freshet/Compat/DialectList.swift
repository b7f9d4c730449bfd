import ArgumentParser
import Foundation
import ServeSettings

/// Names of dialects with commas between them, as an option has them.
struct DialectList {
  let dialects: [Dialect]

  /// - Throws: `ValidationError` for a name that there is not.
  init(_ text: String) throws {
    dialects = try text.split(separator: ",").map { name in
      let name = name.trimmingCharacters(in: .whitespaces)
      guard let dialect = Dialect(rawValue: name) else {
        throw ValidationError("\"\(name)\" is not one of \(Dialect.names)")
      }
      return dialect
    }
  }
}
