package import HummingbirdCore
import NIOCore

/// What one client may ask of a server before it is cut off, in one place.
package enum ServerLimits {
  /// The most connections at once; more wait to be accepted.
  package static let connections = 4_096
  /// How long a connection may be idle or take to send a request, in seconds.
  package static let idleSeconds: Int64 = 75
  /// The most bytes of one header field, and of all of a request.
  package static let fieldBytes = 16 << 10
  /// See ``fieldBytes``.
  package static let fieldsBytes = 64 << 10
  /// The most header fields of a request.
  package static let fields = 128

  /// An HTTP/1.1 server that keeps these limits.
  ///
  /// - Parameters:
  ///   - clock: The clock its answers are dated by.
  ///   - present: The beginnings of the paths whose answers are dated by the machine's clock.
  /// - Returns: The server.
  package static func http1(clock: ServiceClock, present: [String] = []) -> HTTPServerBuilder {
    .http1(
      configuration: HTTP1Channel.Configuration(
        additionalChannelHandlers: clock.isMachine
          ? [] : [AnswerDate(clock: clock, present: present)],
        idleTimeout: .seconds(idleSeconds),
        httpDecoderConfiguration: HTTP1Channel.Configuration.DecoderConfiguration(
          maxHeaderFieldSize: fieldBytes,
          maxHeaderListSize: fieldsBytes,
          maxHeaderFieldCount: fields
        )
      )
    )
  }

  /// Lets in no more connections than ``connections``.
  package static var gate: any AvailableConnectionsDelegate {
    MaximumAvailableConnections(connections)
  }
}
