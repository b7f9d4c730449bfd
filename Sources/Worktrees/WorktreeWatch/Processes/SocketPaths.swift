import Glibc
import Workspaces

/// The paths that sockets of a network namespace are bound to, as `/proc/N/net/unix` has them (proc_pid_net(5)).
struct SocketPaths: Sendable {
  private let paths: [UInt64: String]

  /// Reads the list: `Num RefCount Protocol Flags Type St Inode Path`.
  init(_ bytes: [UInt8]) {
    var paths: [UInt64: String] = [:]
    for line in bytes.split(separator: 0x0A).dropFirst().prefix(WatchLimits.socketsScanned) {
      let fields = line.split(separator: 0x20, maxSplits: 7)
      // One that begins with an at sign is in no folder.
      guard fields.count == 8, fields[7].first != UInt8(ascii: "@"),
        let inode = UInt64(String(decoding: fields[6], as: UTF8.self))
      else { continue }
      paths[inode] = String(decoding: fields[7], as: UTF8.self)
    }
    self.paths = paths
  }

  /// The number of an open socket.
  ///
  /// - Parameter link: The link of a descriptor of a process, such as `socket:[12]`.
  /// - Returns: The number; `nil` if the descriptor is not of a socket.
  static func number(_ link: UnsafeRawBufferPointer) -> UInt64? {
    let start: StaticString = "socket:["
    guard link.count > start.utf8CodeUnitCount, let bytes = link.baseAddress,
      memcmp(bytes, start.utf8Start, start.utf8CodeUnitCount) == 0
    else { return nil }
    let rest = link[start.utf8CodeUnitCount...].dropLast()
    return UInt64(String(decoding: rest, as: UTF8.self))
  }

  /// The path that an open socket is bound to.
  ///
  /// - Parameters:
  ///   - number: The socket, see ``number(_:)``.
  ///   - folder: The working folder of the process.
  /// - Returns: An absolute path; `nil` for a socket that is not bound to one.
  func path(_ number: UInt64, in folder: String?) -> String? {
    guard let path = paths[number] else { return nil }
    if path.utf8.first == UInt8(ascii: "/") { return path }
    return folder.map { HostFile.join($0, path.hasPrefix("./") ? String(path.dropFirst(2)) : path) }
  }
}
