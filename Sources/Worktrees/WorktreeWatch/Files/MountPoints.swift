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
    /// The mounted part of the file system.
    var root: [UInt8]
    /// The folders that it is made of, if it is an overlay, by the names that they were mounted with.
    var layers: [[UInt8]] = []
  }

  /// The mounts of a list, in its order.
  static func list(_ bytes: [UInt8]) -> [Mount] {
    bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let fields = line.split(separator: UInt8(ascii: " "))
      // Any number of fields may be between the sixth one and a dash.
      guard fields.count > 6, let dash = fields[6...].firstIndex(of: [UInt8(ascii: "-")]),
        dash + 1 < fields.count
      else { return nil }
      return Mount(
        point: unescaped(Array(fields[4])),
        type: String(decoding: fields[dash + 1], as: UTF8.self),
        device: Array(fields[2]),
        root: unescaped(Array(fields[3])),
        layers: dash + 3 < fields.count && fields[dash + 1].elementsEqual("overlay".utf8)
          ? layers(Array(fields[dash + 3])) : []
      )
    }
  }

  /// The layers that the options of an overlay name (Documentation/filesystems/overlayfs of Linux).
  private static func layers(_ options: [UInt8]) -> [[UInt8]] {
    var found: [[UInt8]] = []
    for option in options.split(separator: UInt8(ascii: ",")) {
      guard let sign = option.firstIndex(of: UInt8(ascii: "=")),
        ["lowerdir", "lowerdir+", "datadir+", "upperdir"]
          .contains(String(decoding: option[..<sign], as: UTF8.self))
      else { continue }
      found += split(unescaped(Array(option[(sign + 1)...])))
    }
    return found.filter { !$0.isEmpty }
  }

  /// The paths between colons.
  ///
  /// In a path, a backslash escapes a colon or a backslash.
  private static func split(_ bytes: [UInt8]) -> [[UInt8]] {
    var parts: [[UInt8]] = [[]]
    var isEscaped = false
    for byte in bytes {
      if !isEscaped, byte == UInt8(ascii: "\\") {
        isEscaped = true
        continue
      }
      if byte == UInt8(ascii: ":"), !isEscaped {
        parts.append([])
      } else {
        parts[parts.count - 1].append(byte)
      }
      isEscaped = false
    }
    return parts
  }

  /// A path in which spaces, tabs, newlines and backslashes are written as three octal digits.
  static func unescaped(_ bytes: [UInt8]) -> [UInt8] {
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
