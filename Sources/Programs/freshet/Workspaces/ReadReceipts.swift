import Agents
import Foundation
import StrictJSON
import Workspaces

/// When worktrees were seen, in a file: seen results stay seen across restarts of the server.
///
/// The file may be lost, is replaced as a whole, and is created when the first worktree is marked.
struct ReadReceipts: Sendable {
  /// The most bytes that are read.
  private static let largest = 4 << 20

  /// Where the file is.
  let path: String

  /// Reads the receipts; empty if the file does not exist or cannot be read.
  func read() -> NameTable<WallTime> {
    guard let handle = FileHandle(forReadingAtPath: path) else { return [:] }
    defer { try? handle.close() }
    guard let data = try? handle.read(upToCount: Self.largest),
      let members = try? JSONDecoder().decode([String: String].self, from: data)
    else { return [:] }
    return NameTable(members.compactMap { path, text in WallTime(text).map { (path, $0) } })
  }

  /// Replaces the marks, at most `AgentWatchLimits.mostMarks`; a disk that is full costs no more than the marks.
  func write(_ marks: NameTable<WallTime>) {
    // Of names that JSON here takes for equal, the later mark.
    let texts = marks.map { ($0.key, JSONValue.string($0.value.text)) }
    let object = JSONValue.object(
      Dictionary(texts) { ($0.string ?? "") > ($1.string ?? "") ? $0 : $1 }
    )
    let folder = (path as NSString).deletingLastPathComponent
    let manager = FileManager.default
    try? manager.createDirectory(
      atPath: folder.isEmpty ? "." : folder,
      withIntermediateDirectories: true
    )
    let fresh = "\(path).\(getpid()).new"
    guard
      manager.createFile(
        atPath: fresh,
        contents: Data(object.bytes),
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
