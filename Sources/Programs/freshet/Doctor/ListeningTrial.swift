import Foundation
import NIOCore

/// Tries whether a server could listen at an address.
enum ListeningTrial {
  /// Listens for a moment.
  ///
  /// - Parameters:
  ///   - host: The name or address.
  ///   - port: The port.
  /// - Returns: Why it cannot be listened at; `nil` if it can.
  @concurrent
  static func failure(host: String, port: Int) async -> (any Error)? {
    do {
      let address = try SocketAddress.makeAddressResolvingHost(host, port: port)
      let kind = address.protocol == .inet6 ? AF_INET6 : AF_INET
      let descriptor = socket(kind, streamKind, 0)
      guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "socket") }
      defer { close(descriptor) }
      // As servers do: connections that were closed lately do not keep the port.
      var yes: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
      let bound = address.withSockAddr { place, size in bind(descriptor, place, socklen_t(size)) }
      guard bound == 0 else { throw IOError(errnoCode: errno, reason: "bind") }
      guard listen(descriptor, 1) == 0 else { throw IOError(errnoCode: errno, reason: "listen") }
      return nil
    } catch {
      return error
    }
  }
}

#if os(Linux)
private let streamKind = Int32(SOCK_STREAM.rawValue)
#else
private let streamKind = SOCK_STREAM
#endif
