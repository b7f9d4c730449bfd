import ConditionalHTTP
import Foundation
import HTTPTypes
import NIOTransport
import Synchronization
import Testing

/// An independent peer: Python's `websockets`.
@Suite(.serialized, .timeLimit(.minutes(5))) struct PythonPeerTests {
  /// Echoes messages, answers `close` with 4000, and prints its port once it listens.
  private static let program = """
    import asyncio, websockets
    async def serve(socket):
        async for message in socket:
            if message == "close":
                await socket.close(4000, "as asked")
            elif message == "pieces":
                await socket.send(["one ", "two ", "drei ü"])
            else:
                await socket.send(message)
    async def main():
        server = await websockets.serve(serve, "127.0.0.1", 0, subprotocols=["freshet.v1"],
                                        compression="deflate", max_size=None)
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.get_running_loop().run_in_executor(None, input)
    asyncio.run(main())
    """

  /// The interpreter to use, if it has the package: that of `FRESHET_PYTHON`, or `python3`.
  private static let python: String? = {
    let name = ProcessInfo.processInfo.environment["FRESHET_PYTHON"] ?? "python3"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [name, "-c", "import websockets"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    process.waitUntilExit()
    return process.terminationStatus == 0 ? name : nil
  }()

  @Test(.enabled(if: python != nil, "python3 has no package websockets"))
  func `messages of every size come back, in pieces too, and the close is understood`()
    async throws
  {
    let name = try #require(Self.python)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [name, "-c", Self.program]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    defer {
      // The program ends with its input.
      try? input.fileHandleForWriting.close()
      process.waitUntilExit()
    }
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    let port = try #require(Int(line.filter { $0 != "\n" }))
    let arrivals = Mutex<[WebSocketEvent]>([])
    let messages: [WebSocketMessage] =
      [0, 1, 125, 126, 65_535, 65_536, 1 << 20].map {
        .binary([UInt8](repeating: 0xA5, count: $0))
      } + [.text(""), .text("grüezi 🚋"), .text(String(repeating: "x", count: 70_000))]
    let exchange = try NIOWebSocketExchange()
    let fields: HTTPFields = [.secWebSocketProtocol: "freshet.v1"]
    let request = HTTPRequest.socket("127.0.0.1:\(port)", fields: fields)
    try await exchange.withSocket(request, timeout: .seconds(30)) { socket in
      #expect(socket.head.headerFields[.secWebSocketProtocol] == "freshet.v1")
      for message in messages + [.text("pieces")] {
        try? await socket.send(message)
        let arrival = await socket.next()
        arrivals.withLock { $0.append(arrival) }
      }
      try? await socket.ping([1, 2, 3])
      let pong = await socket.next()
      try? await socket.send(.text("close"))
      let close = await socket.next()
      arrivals.withLock { $0 += [pong, close] }
    }
    let expected: [WebSocketEvent] =
      messages.map { .message($0) } + [
        .message(.text("one two drei ü")), .pong([1, 2, 3]),
        .closed(WebSocketClose(code: 4000, reason: "as asked")),
      ]
    #expect(arrivals.withLock { $0 } == expected)
  }
}
