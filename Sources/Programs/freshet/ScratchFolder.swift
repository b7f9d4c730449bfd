import Commands
import Foundation
import Storage

/// A folder that is removed with the command.
struct ScratchFolder {
  let path: String

  /// Creates it, for its owner only.
  ///
  /// - Parameter command: The name of the command.
  /// - Throws: ``CommandFailure``.
  init(command: String) throws {
    let base = FileManager.default.temporaryDirectory.path
    path = "\(base)/freshet-\(command)-\(UUID().uuidString)"
    do {
      try FileManager.default.createDirectory(
        atPath: path,
        withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700]
      )
    } catch {
      throw CommandFailure(
        "freshet \(command): \(path): \(ErrorText.of(error, showsPath: false))",
        .cannotCreate
      )
    }
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// Removes it when the process gets a signal to end, and ends the process.
  func removedAtEnd() -> EndSignals {
    EndSignals(numbered: { number in
      remove()
      _exit(128 + number)
    })
  }
}
