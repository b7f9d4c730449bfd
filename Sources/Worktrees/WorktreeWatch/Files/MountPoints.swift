/// Where file systems are mounted, as `/proc/self/mountinfo` says (proc_pid_mountinfo(5)).
enum MountPoints {
  /// The mount points at a folder or below it.
  ///
  /// - Parameter folder: An absolute path without links.
  /// - Returns: Their paths, ordered; `nil` if the list cannot be read.
  static func within(_ folder: String) -> [String]? {
    guard
      let bytes = HostFile.bytes("/proc/self/mountinfo", limit: WatchLimits.mountListBytes)
    else { return nil }
    let path = Array(folder.utf8)
    let found = list(bytes).map(\.point).filter { point in
      point == path || point.starts(with: path + [UInt8(ascii: "/")])
    }
    return Set(found.map { String(decoding: $0, as: UTF8.self) }).sorted()
  }

  /// A mount of a list.
  struct Mount: Hashable, Sendable {
    /// Where it is.
    var point: [UInt8]
    /// The type of its file system.
    var type: String
    /// The number of its file system.
    var device: [UInt8]
    /// What of the file system is mounted.
    var root: [UInt8]
  }

  /// The mounts of a list, in its order.
  static func list(_ bytes: [UInt8]) -> [Mount] {
    bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let fields = line.split(separator: UInt8(ascii: " "))
      // Between the sixth field and a dash stand any number of others.
      guard fields.count > 6, let dash = fields[6...].firstIndex(of: [UInt8(ascii: "-")]),
        dash + 1 < fields.count
      else { return nil }
      return Mount(
        point: unescaped(Array(fields[4])),
        type: String(decoding: fields[dash + 1], as: UTF8.self),
        device: Array(fields[2]),
        root: unescaped(Array(fields[3]))
      )
    }
  }

  /// A path in which blanks, tabs, newlines and backslashes stand as three octal digits.
  private static func unescaped(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    var position = 0
    while position < bytes.count {
      if bytes[position] == UInt8(ascii: "\\"), position + 3 < bytes.count,
        let value = UInt8(
          String(decoding: bytes[(position + 1)...(position + 3)], as: UTF8.self),
          radix: 8
        )
      {
        text.append(value)
        position += 4
      } else {
        text.append(bytes[position])
        position += 1
      }
    }
    return text
  }
}
