import Workspaces

/// Where the paths of a process that sees other mounts than this one lie here: those of an agent in a container.
///
/// A folder that is bound into a container is the same folder of the same file system; the list of mounts of both sides
/// (`/proc/PID/mountinfo`, proc(5)) says under which path either of them sees it.
struct MountMap: Hashable, Sendable {
  /// One mount.
  private struct Mount: Hashable, Sendable {
    /// The file system, as `major:minor`.
    var device: Substring
    /// The path within the file system.
    var root: String
    /// The path it is seen at.
    var place: String
  }

  private let inner: [Mount]
  private let outer: [Mount]

  /// Reads both lists.
  ///
  /// - Parameters:
  ///   - inner: The mounts that the process sees.
  ///   - outer: Those that are seen here.
  init(inner: String, outer: String) {
    self.inner = Self.mounts(inner)
    self.outer = Self.mounts(outer)
  }

  /// The path here of a path that the process sees; `nil` if it is nowhere here.
  func path(of path: String) -> String? {
    guard let mount = Self.innermost(inner, \.place, path),
      let within = Self.rest(of: path, behind: mount.place)
    else { return nil }
    let place = Self.joined(mount.root, within)
    let sources = outer.filter { $0.device == mount.device }
    guard let source = Self.innermost(sources, \.root, place),
      let rest = Self.rest(of: place, behind: source.root)
    else { return nil }
    return Self.joined(source.place, rest)
  }

  /// The mount whose path is the longest that a path is at or below; of equal ones the one that was made last.
  private static func innermost(
    _ mounts: [Mount],
    _ name: KeyPath<Mount, String>,
    _ path: String
  ) -> Mount? {
    mounts.reversed().filter { rest(of: path, behind: $0[keyPath: name]) != nil }
      .max { $0[keyPath: name].utf8.count < $1[keyPath: name].utf8.count }
  }

  /// What follows a folder in a path, without a slash; `nil` if the path is elsewhere.
  private static func rest(of path: String, behind folder: String) -> String? {
    if path.isSameName(as: folder) { return "" }
    return path.name(after: folder.utf8.last == UInt8(ascii: "/") ? folder : folder + "/")
  }

  private static func joined(_ folder: String, _ rest: String) -> String {
    if rest.isEmpty { return folder }
    return folder.utf8.last == UInt8(ascii: "/") ? folder + rest : folder + "/" + rest
  }

  private static func mounts(_ text: String) -> [Mount] {
    text.utf8.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let fields = line.split(separator: UInt8(ascii: " ")).map { Substring($0) }
      guard fields.count > 5 else { return nil }
      return Mount(device: fields[2], root: unescaped(fields[3]), place: unescaped(fields[4]))
    }
  }

  /// A path in which spaces, tabs, line breaks and backslashes are three octal digits behind a backslash.
  private static func unescaped(_ field: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(field.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      guard byte == UInt8(ascii: "\\"), digits.count == 3,
        let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      else {
        bytes.append(byte)
        continue
      }
      bytes.append(code)
      rest = rest.dropFirst(3)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
