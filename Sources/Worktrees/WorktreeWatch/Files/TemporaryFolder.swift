import Glibc

/// An empty folder outside of every repository, for what git has to write to answer a question.
struct TemporaryFolder: Sendable {
  /// Its path.
  let path: String

  /// The folder that it is in: `TMPDIR` or `/tmp`.
  static var base: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }

  /// Makes one.
  ///
  /// - Throws: ``GitRunner/Failure`` if none can be made.
  init() throws(GitRunner.Failure) {
    var template = Array((HostFile.join(Self.base, "freshet-objects-XXXXXX")).utf8CString)
    guard let made = mkdtemp(&template) else {
      throw .notStarted(
        "no temporary folder in \(Self.base): \(String(cString: strerror(errno)))"
      )
    }
    path = String(cString: made)
  }

  /// Removes the folder with what git left in it.
  func remove() { Self.remove(path, depth: 0) }

  private static func remove(_ path: String, depth: Int) {
    guard depth < 8 else { return }
    for name in HostFile.names(in: path, most: 100_000) {
      let inner = HostFile.join(path, name)
      if HostFile.kindOfItself(inner) == .folder {
        remove(inner, depth: depth + 1)
      } else {
        unlink(inner)
      }
    }
    rmdir(path)
  }
}
