import Agents
import Foundation
import Storage
import StrictJSON
import Workspaces
import WorktreeWatch

/// When worktrees were seen, in a file: seen results stay seen across restarts of the server.
///
/// The file is a JSON array of pairs: the path of a worktree, and the time as RFC 3339 says it. It may be lost, is
/// replaced as a whole, and is created when the first worktree is marked.
struct ReadReceipts: Sendable {
  /// The most bytes that are read.
  private static let largest = 16 << 20

  /// Where the file is.
  let path: String

  /// Reads the receipts; empty if the file does not exist or cannot be read.
  func read() -> NameTable<WallTime> {
    guard let bytes = HostFile.bytes(path, limit: Self.largest),
      let value = try? JSONReader.value(of: bytes)
    else { return [:] }
    // Earlier versions wrote an object. Other values are left out.
    let pairs =
      value.list?.map { ($0.list?.first?.string, $0.list?.last?.string) }
      ?? value.object?.map { ($0.key, $0.value.string) } ?? []
    return NameTable(
      pairs.compactMap { path, text in
        guard let path, let time = text.flatMap({ WallTime($0) }) else { return nil }
        return (path, time)
      }
    )
  }

  /// Replaces the receipts, at most `AgentWatchLimits.mostReceipts`; a disk that is full costs only the receipts.
  func write(_ receipts: NameTable<WallTime>) {
    // Not an object: its members would be equal if their paths are canonically equivalent.
    let pairs = JSONValue.list(
      receipts.map { JSONValue.list([JSONValue.string($0.key), .string($0.value.text)]) }
    )
    let manager = FileManager.default
    try? manager.createDirectory(atPath: path.enclosingFolder, withIntermediateDirectories: true)
    let fresh = "\(path).\(getpid()).new"
    guard
      manager.createFile(
        atPath: fresh,
        contents: Data(pairs.bytes),
        attributes: [.posixPermissions: 0o600]
      )
    else { return }
    if let handle = FileHandle(forWritingAtPath: fresh) {
      try? handle.synchronize()
      try? handle.close()
    }
    if rename(fresh, path) != 0 { try? manager.removeItem(atPath: fresh) }
  }
}
