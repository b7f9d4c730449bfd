package import ConditionalHTTP
import Foundation
import Storage

/// The file with the secret that creates and verifies receipts.
package enum ReceiptKeyFile {
  /// Reads a key.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - purpose: The command and its option, for the error message.
  /// - Returns: The key.
  /// - Throws: ``CommandFailure`` with the reason, without any part of the secret.
  package static func read(_ path: String, for purpose: String) throws -> ReceiptKey {
    let most = ReceiptKey.sizes.upperBound
    let bytes: [UInt8]
    do {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      bytes = Array(try file.read(upToCount: most + 1) ?? Data())
    } catch {
      let reason = ErrorText.of(error, showsPath: false)
      throw CommandFailure(
        "\(purpose) \(Terminal.plain(path)): cannot be read: \(reason)",
        .noInput
      )
    }
    guard let key = ReceiptKey(bytes) else {
      let least = ReceiptKey.sizes.lowerBound
      throw CommandFailure(
        "\(purpose) \(Terminal.plain(path)): a key has \(least) to \(most) bytes",
        .badData
      )
    }
    return key
  }
}
