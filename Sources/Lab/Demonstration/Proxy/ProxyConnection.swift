import NIOCore
import NIOHTTP1
import NIOPosix

/// A connection of a browser and the one to the server that belongs to it; used on its event loop only.
final class ProxyConnection {
  private let browser: any Channel
  private let insertion: PanelInsertion
  private let target: () -> Int?
  private var server: (any Channel)?
  private var isConnecting = false
  private var isCut = false
  /// What came while the network was cut: a channel that reads nothing still reads what is before the end of its peer.
  private var held: [() -> Void] = []
  private var isOver = false
  /// What the browser sent before the server was connected.
  private var early: [HTTPClientRequestPart] = []
  /// For each request without a response: whether it is for a page that gets the panel, and whether it wants another
  /// protocol.
  private var waiting: CircularBuffer<(isPage: Bool, isUpgrade: Bool)> = []
  private var page: PageResponse?
  private var closesBehind = false
  private var isSwitching = false
  private var lastWrite: EventLoopFuture<Void>?

  init(_ browser: any Channel, _ insertion: PanelInsertion, target: @escaping () -> Int?) {
    self.browser = browser
    self.insertion = insertion
    self.target = target
  }

  /// Adds the handlers of the browser's side.
  func prepare(isCut: Bool) throws {
    self.isCut = isCut
    let pipeline = browser.pipeline.syncOperations
    try pipeline.addHandler(HTTPResponseEncoder())
    try pipeline.addHandler(
      ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes))
    )
    try pipeline.addHandler(ProxyBrowserHandler(self))
  }

  /// Lets nothing pass, or everything; what was held goes first.
  func setCut(_ isCut: Bool) {
    self.isCut = isCut
    if !isCut {
      let held = held
      self.held = []
      for action in held { action() }
    }
    if !isCut, browser.isActive, server == nil { connect() }
    updateReads()
  }

  /// Passes something on now, or when the network is whole again.
  func pass(_ action: @escaping () -> Void) {
    if isCut { held.append(action) } else { action() }
  }

  // MARK: The browser

  /// The browser's connection is open.
  func opened() { if !isCut { connect() } }

  /// The browser sent a part of a request.
  func received(_ part: HTTPServerRequestPart) {
    let part: HTTPClientRequestPart =
      switch part {
      case .head(let head): .head(request(head))
      case .body(let bytes): .body(.byteBuffer(bytes))
      case .end(let fields): .end(fields)
      }
    if let server { send(part, to: server) } else { early.append(part) }
  }

  private func request(_ head: HTTPRequestHead) -> HTTPRequestHead {
    var head = head
    let isPage = head.method == .GET && PanelInsertion.isPage(head.uri)
    waiting.append((isPage, head.headers.contains(name: "upgrade")))
    if isPage {
      // The page is to come whole and as text, whatever the browser has of another visit.
      for name in ["accept-encoding", "if-none-match", "if-modified-since", "range"] {
        head.headers.remove(name: name)
      }
    }
    return head
  }

  // MARK: The server

  private func connect() {
    guard !isConnecting, !isOver else { return }
    guard let port = target() else { return close() }
    isConnecting = true
    let connection = NIOLoopBound(self, eventLoop: browser.eventLoop)
    ClientBootstrap(group: browser.eventLoop)
      .channelOption(.autoRead, value: false)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelInitializer { server in
        server.eventLoop.makeCompletedFuture {
          let pipeline = server.pipeline.syncOperations
          try pipeline.addHandler(HTTPRequestEncoder())
          try pipeline.addHandler(
            ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .forwardBytes))
          )
          try pipeline.addHandler(ProxyServerHandler(connection.value))
        }
      }
      .connect(host: "127.0.0.1", port: port)
      .whenComplete { result in connection.value.connected(result) }
  }

  private func connected(_ result: Result<any Channel, any Error>) {
    guard case .success(let server) = result, !isOver else {
      if case .success(let server) = result { server.close(promise: nil) }
      return close()
    }
    self.server = server
    for part in early { send(part, to: server) }
    early = []
    updateReads()
  }

  private func send(_ part: HTTPClientRequestPart, to server: any Channel) {
    server.writeAndFlush(part, promise: nil)
  }

  /// The server sent a part of a response.
  func received(_ part: HTTPClientResponsePart) {
    guard !isSwitching else { return }
    switch part {
    case .head(let head):
      guard let first = waiting.popFirst() else { return close() }
      var head = head
      if first.isPage, head.status == .ok {
        page = PageResponse(head)
        return
      }
      if head.status == .switchingProtocols {
        passBytes(behind: head)
        return
      }
      if first.isUpgrade {
        // The decoder of the browser's side reads no further request behind one for another protocol.
        head.headers.replaceOrAdd(name: "connection", value: "close")
        closesBehind = true
      }
      write(.head(head))
    case .body(let bytes):
      if page != nil {
        page?.content.writeImmutableBuffer(bytes)
      } else {
        write(.body(.byteBuffer(bytes)))
      }
    case .end(let fields):
      if let page {
        let whole = page.whole(with: insertion)
        write(.head(whole.head))
        write(.body(.byteBuffer(whole.content)))
      }
      page = nil
      write(.end(fields))
      if closesBehind { close() }
    }
  }

  private func write(_ part: HTTPServerResponsePart) {
    let written = browser.eventLoop.makePromise(of: Void.self)
    lastWrite = written.futureResult
    browser.writeAndFlush(part, promise: written)
  }

  /// Passes bytes on as they are, once server and browser have agreed on another protocol (RFC 9110 section 7.8).
  private func passBytes(behind head: HTTPResponseHead) {
    isSwitching = true
    write(.head(head))
    write(.end(nil))
    // Once the decoder has returned from the head; it holds what comes behind it.
    let connection = NIOLoopBound(self, eventLoop: browser.eventLoop)
    browser.eventLoop.execute { connection.value.replaceCodecs() }
  }

  private func replaceCodecs() {
    guard let server else { return }
    do {
      try ProxyBytesHandler.replaceCodecs(
        of: browser,
        ProxyBrowserHandler.self,
        HTTPResponseEncoder.self,
        ByteToMessageHandler<HTTPRequestDecoder>.self,
        with: ProxyBytesHandler(self, to: server)
      )
      try ProxyBytesHandler.replaceCodecs(
        of: server,
        ProxyServerHandler.self,
        HTTPRequestEncoder.self,
        ByteToMessageHandler<HTTPResponseDecoder>.self,
        with: ProxyBytesHandler(self, to: browser)
      )
    } catch {
      close()
    }
  }

  // MARK: Both

  /// Reads from a side while the network is whole and the other side takes what is read.
  func updateReads() {
    let isOpen = !isCut && server != nil
    _ = browser.setOption(.autoRead, value: isOpen && server?.isWritable ?? false)
    _ = server?.setOption(.autoRead, value: isOpen && browser.isWritable)
  }

  /// One side is gone: so is the other, behind what is on its way.
  func close() {
    isOver = true
    server?.close(promise: nil)
    guard let lastWrite else { return browser.close(promise: nil) }
    lastWrite.whenComplete { [browser] _ in browser.close(promise: nil) }
  }
}
