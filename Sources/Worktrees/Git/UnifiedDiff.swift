/// A unified diff of several files, cut into one text for each.
public enum UnifiedDiff: Sendable {
  /// The text of one file.
  public struct File: Hashable, Sendable {
    /// The path after the change, or before it if the file is gone.
    public var path: String
    /// The text, including header lines; invalid UTF-8 is replaced.
    public var text: String
    /// Whether git says that the file is binary.
    public var isBinary: Bool
  }

  /// Cuts a diff.
  ///
  /// Lines of content begin with a space, `+`, `-` or `\`, so a line that begins with `diff --` is never
  /// content.
  ///
  /// - Returns: The files in order; anything before the first one is dropped.
  public static func files(_ bytes: some Collection<UInt8>) -> [File] {
    let bytes = Array(bytes)
    var files: [File] = []
    var start: Int?
    var position = 0
    while position < bytes.count {
      let end = bytes[position...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
      let line = bytes[position..<end]
      if line.starts(with: "diff --".utf8) || line.starts(with: "* Unmerged path ".utf8) {
        if let start, let file = file(bytes[start..<position]) { files.append(file) }
        start = line.first == UInt8(ascii: "d") ? position : nil
      }
      position = end
    }
    if let start, let file = file(bytes[start...]) { files.append(file) }
    return files
  }

  private static func file(_ bytes: ArraySlice<UInt8>) -> File? {
    var path: String?
    var oldPath: String?
    var isBinary = false
    var isFirst = true
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
      if isFirst {
        path = headerPath(line)
        isFirst = false
      } else if line.starts(with: "@@".utf8) {
        break
      } else if let name = line.behind("+++ ") {
        path = side(name) ?? oldPath ?? path
      } else if let name = line.behind("--- ") {
        oldPath = side(name)
      } else if let name = line.behind("rename to ") ?? line.behind("copy to ") {
        path = QuotedPath.read(name)
      } else if line.starts(with: "Binary files ".utf8) {
        isBinary = true
      }
    }
    return path.map { File(path: $0, text: bytes.text, isBinary: isBinary) }
  }

  /// The path of a `+++` or `---` line; `nil` for `/dev/null`.
  private static func side(_ name: ArraySlice<UInt8>) -> String? {
    // Git ends names that hold spaces with a tab.
    let name = name.last == 0x09 ? name.dropLast() : name
    let path = QuotedPath.read(name)
    guard path != "/dev/null" else { return nil }
    return path.hasPrefix("a/") || path.hasPrefix("b/") ? String(path.dropFirst(2)) : path
  }

  /// The path of the first line, `diff --git a/x b/x`, `diff --cc x`.
  private static func headerPath(_ line: ArraySlice<UInt8>) -> String? {
    if let name = line.behind("diff --cc ") ?? line.behind("diff --combined ") {
      return QuotedPath.read(name)
    }
    guard let names = line.behind("diff --git ") else { return nil }
    if names.last == 0x22, let middle = names.dropLast().lastIndex(of: 0x22) {
      return side(names[middle...])
    }
    // Both names are the same except for their first letter.
    let half = names.count / 2
    let second = names.dropFirst(half + 1)
    return names.count % 2 == 1 && names[names.startIndex + half] == 0x20 ? side(second) : nil
  }

  /// The diff of a new file that git does not track.
  ///
  /// - Parameters:
  ///   - path: The path within the worktree.
  ///   - content: All of the file.
  /// - Returns: The text and the count of lines; `nil` if the content is binary.
  public static func addition(
    of path: String,
    content: some Collection<UInt8>
  ) -> (text: String, lines: Int)? {
    // As git does: binary is what has a NUL within its first 8000 bytes.
    guard !content.prefix(8_000).contains(0) else { return nil }
    var lines = content.split(separator: 0x0A, omittingEmptySubsequences: false)
    let endsWithLine = lines.last?.isEmpty == true
    if endsWithLine { lines.removeLast() }
    var text = "diff --git a/\(path) b/\(path)\nnew file\n--- /dev/null\n+++ b/\(path)\n"
    guard !lines.isEmpty else { return (text, 0) }
    text += "@@ -0,0 +1,\(lines.count) @@\n"
    for line in lines { text += "+" + String(decoding: line, as: UTF8.self) + "\n" }
    if !endsWithLine { text += "\\ No newline at end of file\n" }
    return (text, lines.count)
  }
}
