import NIOCore

/// The host and port from the authority of a request.
struct ServerAddress: Hashable {
  /// A name, or an IP address without brackets.
  var host: String
  var port: Int

  /// Whether the host is an IP address, which TLS does not send as server name.
  var isIPAddress: Bool { (try? SocketAddress(ipAddress: host, port: port)) != nil }

  /// Reads `host`, `host:port`, `[address]` or `[address]:port`.
  ///
  /// - Parameters:
  ///   - authority: The string; one with a user is rejected.
  ///   - defaultPort: The port if the string has none.
  init?(_ authority: String, defaultPort: Int) {
    var rest = Substring(authority)
    if rest.hasPrefix("[") {
      guard let end = rest.firstIndex(of: "]") else { return nil }
      host = String(rest[rest.index(after: rest.startIndex)..<end])
      rest = rest[rest.index(after: end)...]
    } else {
      host = String(rest.prefix { $0 != ":" })
      rest = rest.dropFirst(host.count)
    }
    guard !host.isEmpty, !authority.contains("@") else { return nil }
    if rest.isEmpty {
      port = defaultPort
    } else {
      guard rest.hasPrefix(":"), let number = UInt16(rest.dropFirst()), number > 0 else {
        return nil
      }
      port = Int(number)
    }
  }
}
