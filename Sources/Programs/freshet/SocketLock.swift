import Glibc

/// The exclusive right to listen on a Unix socket, held by one process for the lifetime of this
/// object.
///
/// The lock is on a file beside the socket, so that two processes that start at once do not both
/// find the socket free. A socket without a listener is removed; one that any program serves is
/// kept.
final class SocketLock {
  /// The reason why the socket is not available.
  struct Refusal: Error, CustomStringConvertible {
    /// A description of the reason.
    let description: String
  }

  private let lock: Int32

  /// Locks a socket.
  ///
  /// - Parameter path: The path of the socket, at most 100 bytes; the lock is at the path with
  ///   `.lock`.
  /// - Throws: ``Refusal``.
  init(_ path: String) throws(Refusal) {
    let lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else { throw Refusal(description: "\(path).lock: \(Self.reason(errno))") }
    self.lock = lock
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      throw Refusal(
        description: errno == EWOULDBLOCK ? "already served there" : Self.reason(errno)
      )
    }
    var status = stat()
    guard lstat(path, &status) == 0 else {
      guard errno == ENOENT else { throw Refusal(description: Self.reason(errno)) }
      return
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw Refusal(description: "a file that is not a socket already exists there")
    }
    switch Self.connectError(path) {
    case 0, EAGAIN: throw Refusal(description: "already served there")
    case ECONNREFUSED:
      guard unlink(path) == 0 || errno == ENOENT else {
        throw Refusal(description: Self.reason(errno))
      }
    case ENOENT: break
    case let code: throw Refusal(description: Self.reason(code))
    }
  }

  deinit { close(lock) }

  private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }

  /// Returns the result of connecting: 0 if a process accepts, `EAGAIN` if it is too busy.
  private static func connectError(_ path: String) -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_UNIX, kind | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard bytes.count < room else { return ENAMETOOLONG }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    return code == 0 ? 0 : errno
  }
}
