import Foundation
import Storage

/// A file with a token on its only line.
package enum TokenFile {
  /// The longest file, in bytes.
  package static let longest = 4_096

  /// Reads a token.
  ///
  /// - Parameters:
  ///   - path: The file; a pipe is read to its end.
  ///   - purpose: The command and its option, for the error message.
  /// - Returns: The token without the whitespace around it; it may be empty.
  /// - Throws: ``CommandFailure`` with the reason, without any part of the token.
  package static func read(_ path: String, for purpose: String) throws -> String {
    let bytes: Data
    do {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      bytes = try file.read(upToCount: longest + 1) ?? Data()
    } catch {
      let reason = ErrorText.of(error, showsPath: false)
      throw CommandFailure(
        "\(purpose) \"\(Terminal.plain(path))\" cannot be read: \(reason)",
        .noInput
      )
    }
    guard bytes.count <= longest else {
      throw CommandFailure(
        "\(purpose) \"\(Terminal.plain(path))\" has more than \(longest) bytes",
        .badData
      )
    }
    return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
