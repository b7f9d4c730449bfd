import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A listener on loopback that passes the connections of browsers on to a server, inserts the panel into its pages,
/// and can let nothing pass, as a cut network does.
///
/// Each connection of a browser has one of its own to the server: if the server dies, so do they.
package final class PageProxy: Sendable {
  private struct State {
    var target: Int?
    var isCut = false
    var isOver = false
    var connections: [ObjectIdentifier: NIOLoopBound<ProxyConnection>] = [:]
  }

  /// The port that it listens on.
  package var port: Int { listener.withLock { $0?.localAddress?.port ?? 0 } }

  private let listener = Mutex<(any Channel)?>(nil)
  private let state = Mutex(State())
  private let insertion: PanelInsertion

  private init(_ insertion: PanelInsertion) { self.insertion = insertion }

  /// Opens a proxy.
  ///
  /// - Parameters:
  ///   - port: The port to listen on; 0 takes a free one.
  ///   - insertion: What is inserted into pages.
  /// - Returns: The proxy, which closes connections until ``connect(to:)`` names a server.
  /// - Throws: An error of the socket, such as a port that is in use.
  package static func open(port: Int, inserting insertion: PanelInsertion) async throws -> PageProxy
  {
    let proxy = PageProxy(insertion)
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.autoRead, value: false)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { browser in
        browser.eventLoop.makeCompletedFuture { try proxy.accept(browser) }
      }
      .bind(host: "127.0.0.1", port: port)
      .get()
    proxy.listener.withLock { $0 = listener }
    return proxy
  }

  /// Passes connections on to a server on loopback, by its port; `nil` closes new ones.
  package func connect(to port: Int?) { state.withLock { $0.target = port } }

  /// Lets nothing pass, or everything; what waits meanwhile is not lost.
  package func setCut(_ isCut: Bool) {
    let connections = state.withLock { state in
      state.isCut = isCut
      return Array(state.connections.values)
    }
    for connection in connections {
      connection.eventLoop.execute { connection.value.setCut(isCut) }
    }
  }

  /// Stops listening, and closes all connections.
  package func shutdown() async {
    let connections = state.withLock { state in
      state.isOver = true
      return Array(state.connections.values)
    }
    let listener = listener.withLock { $0 }
    try? await listener?.close()
    for connection in connections {
      connection.eventLoop.execute { connection.value.close() }
    }
  }

  private func accept(_ browser: any Channel) throws {
    let loop = browser.eventLoop
    let connection = ProxyConnection(browser, insertion) { [weak self] in
      self?.state.withLock(\.target)
    }
    let bound = NIOLoopBound(connection, eventLoop: loop)
    let (isTaken, isCut) = state.withLock { state in
      guard !state.isOver, state.connections.count < DemoLimits.connections else {
        return (false, false)
      }
      state.connections[ObjectIdentifier(connection)] = bound
      return (true, state.isCut)
    }
    guard isTaken else { return browser.close(promise: nil) }
    browser.closeFuture.whenComplete { [weak self] _ in
      self?.state.withLock { $0.connections[ObjectIdentifier(bound.value)] = nil }
    }
    try connection.prepare(isCut: isCut)
  }
}
