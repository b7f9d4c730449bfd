import NIOCore
import NIOPosix
import NIOSSL

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A server on loopback that does what a test says, byte by byte.
struct LoopbackServer {
  /// Host and port as in an address.
  let authority: String

  /// Serves connections while a client works; ends them all when it is done.
  ///
  /// - Parameters:
  ///   - host: An address of loopback.
  ///   - tls: The certificate; `nil` to serve without TLS.
  ///   - serve: Receives every connection, starting with number 1; the connection is closed
  ///     afterwards.
  ///   - client: The client's work.
  /// - Returns: The result of the client.
  /// - Throws: What the client throws, or that the address cannot be used.
  static func run<Value: Sendable>(
    host: String = "127.0.0.1",
    tls: NIOSSLContext? = nil,
    serve: @escaping @Sendable (LoopbackConnection) async throws -> Void,
    client: @Sendable (LoopbackServer) async throws -> Value
  ) async throws -> Value {
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.socketOption(.so_sndbuf), value: 64 << 10)
      .bind(host: host, port: 0) { channel in
        channel.eventLoop.makeCompletedFuture {
          if let tls {
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
          }
          return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    let port = listener.channel.localAddress?.port ?? 0
    let server = LoopbackServer(authority: (host.contains(":") ? "[\(host)]" : host) + ":\(port)")
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await listener.executeThenClose { connections in
          try await withThrowingDiscardingTaskGroup { group in
            var number = 0
            for try await connection in connections {
              number += 1
              let here = number
              group.addTask { try? await LoopbackConnection.run(connection, here, serve) }
            }
          }
        }
      }
      defer { group.cancelAll() }
      return try await client(server)
    }
  }

  /// An authority without a listener.
  static func refusedAuthority() async throws -> String {
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .bind(host: "127.0.0.1", port: 0).get()
    let port = listener.localAddress?.port ?? 0
    try await listener.close()
    return "127.0.0.1:\(port)"
  }
}

/// A connection seen from the server; one task uses it at a time.
final class LoopbackConnection: @unchecked Sendable {
  /// The place of the connection in the order of their coming.
  let number: Int
  private let channel: any Channel
  private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
  private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
  private var rest: [UInt8] = []

  private init(
    _ number: Int,
    _ channel: any Channel,
    _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>,
    _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
  ) {
    self.number = number
    self.channel = channel
    self.outbound = outbound
    self.inbound = inbound.makeAsyncIterator()
  }

  static func run(
    _ connection: NIOAsyncChannel<ByteBuffer, ByteBuffer>,
    _ number: Int,
    _ serve: @Sendable (LoopbackConnection) async throws -> Void
  ) async throws {
    try await connection.executeThenClose { inbound, outbound in
      try await serve(LoopbackConnection(number, connection.channel, inbound, outbound))
    }
  }

  /// Reads exactly a number of bytes; `nil` if the client closes first.
  func read(count: Int) async throws -> [UInt8]? {
    while rest.count < count {
      guard let more = try await inbound.next() else { return nil }
      rest += more.readableBytesView
    }
    defer { rest.removeFirst(count) }
    return Array(rest[..<count])
  }

  /// Reads the head of a request, in ISO 8859-1; `nil` if the client closes first.
  func readHead() async throws -> String? {
    var head: [UInt8] = []
    while !head.reversed().starts(with: [10, 13, 10, 13]) {
      guard let byte = try await read(count: 1) else { return nil }
      head += byte
    }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: head.lazy.map { Unicode.Scalar($0) })
    return String(text)
  }

  /// Sends bytes; waits while the client does not take them.
  func write(_ bytes: [UInt8]) async throws { try await outbound.write(ByteBuffer(bytes: bytes)) }

  /// Sends a text in ISO 8859-1.
  func write(_ text: String) async throws {
    try await write(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
  }

  /// Waits until the client closes, in whatever way.
  func untilClosed() async {
    do { while try await inbound.next() != nil {} } catch {}
  }

  /// Ends the connection with a reset.
  func reset() async throws {
    let now = linger(l_onoff: 1, l_linger: 0)
    try await (channel as? any SocketOptionProvider)?.setSoLinger(now).get()
    try await channel.close()
  }
}
