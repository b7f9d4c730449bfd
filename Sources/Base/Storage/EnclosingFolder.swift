extension String {
  /// The folder of the file that this path names: `.` for a bare name, `/` for what is in the root.
  ///
  /// `NSString.deletingLastPathComponent` ends the process on Linux when the path is a single character.
  package var enclosingFolder: String {
    let slash = UInt8(ascii: "/")
    func trimmed(_ bytes: Substring.UTF8View) -> Substring.UTF8View {
      guard let last = bytes.lastIndex(where: { $0 != slash }) else { return bytes.prefix(0) }
      return bytes[...last]
    }
    let path = trimmed(self[...].utf8)
    guard let last = path.lastIndex(of: slash) else { return utf8.first == slash ? "/" : "." }
    let folder = trimmed(path[..<last])
    return folder.isEmpty ? "/" : String(Substring(folder))
  }

  /// This path without slashes at its end, except for the root.
  package var withoutTrailingSlashes: String {
    var path = self[...]
    while path.count > 1, path.last == "/" { path.removeLast() }
    return String(path)
  }
}
