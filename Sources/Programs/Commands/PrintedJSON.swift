import Foundation

/// JSON as commands print it: members in the order of their names, slashes as they are.
package enum PrintedJSON {
  /// Returns a document with indentation, ended by a line feed.
  ///
  /// - Throws: `EncodingError`, for a number that JSON does not have.
  package static func document(_ value: some Encodable) throws -> String {
    try text(value, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
  }

  /// Returns one line, ended by a line feed.
  ///
  /// - Throws: `EncodingError`, for a number that JSON does not have.
  package static func line(_ value: some Encodable) throws -> String {
    try text(value, [.sortedKeys, .withoutEscapingSlashes])
  }

  private static func text(
    _ value: some Encodable,
    _ formatting: JSONEncoder.OutputFormatting
  ) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = formatting
    return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
  }
}
