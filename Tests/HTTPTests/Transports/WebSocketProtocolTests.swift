import ConditionalHTTP
import HTTPTypes
import NIOTransport
import Synchronization
import Testing

/// What a server may and may not send: the facts that the sections 1 to 7 of the Autobahn test suite
/// check of a client, against a server that speaks byte by byte.
@Suite(.serialized, .timeLimit(.minutes(5))) struct WebSocketProtocolTests {
  /// What a server sends, and what comes of it.
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: [UInt8]
    var arrivals: [WebSocketEvent]
    /// The code of the Close that the client sends of its own accord or in answer.
    var code: Int?
    /// The pongs that the client sends.
    var pongs: [[UInt8]] = []

    var testDescription: String { name }
  }

  private static let exchange = Result { try NIOWebSocketExchange(messageLimit: 70_000) }

  @Test(arguments: [framing, pings, reserved, fragments, text, closing].joined())
  func `a client does with a frame what RFC 6455 says`(given: Case) async throws {
    let answers = AsyncStream.makeStream(of: WebSocketServer.Frame?.self)
    let arrivals = Mutex<[WebSocketEvent]>([])
    let exchange = try Self.exchange.get()
    try await LoopbackServer.run { connection in
      defer { answers.continuation.finish() }
      let (server, _) = try await WebSocketServer.accept(connection)
      try await connection.write(given.bytes)
      while let frame = try await server.read() {
        answers.continuation.yield(frame)
        if frame.opcode == 8 { break }
      }
    } client: { server in
      let request = HTTPRequest.socket(server.authority)
      try await exchange.withSocket(request, timeout: .seconds(30)) { socket in
        while arrivals.withLock({ $0.count }) < given.arrivals.count {
          let arrival = await socket.next()
          arrivals.withLock { $0.append(Self.withoutOurReason(arrival)) }
        }
      }
    }
    let frames = await answers.stream.reduce(into: []) { $0.append($1) }.compactMap { $0 }
    #expect(arrivals.withLock { $0 } == given.arrivals)
    #expect(frames.last?.opcode == 8)
    #expect(frames.last?.code == given.code)
    #expect(frames.dropLast().map(\.payload) == given.pongs)
    #expect(frames.dropLast().allSatisfy { $0.first == 0x8A })
    #expect(frames.allSatisfy { $0.isMasked })
  }

  /// The reasons that the client gives are texts for people.
  private static func withoutOurReason(_ arrival: WebSocketEvent) -> WebSocketEvent {
    guard case .closed(let close) = arrival, [1002, 1007, 1009].contains(close.code) else {
      return arrival
    }
    return .closed(WebSocketClose(code: close.code))
  }

  private static func frame(_ first: UInt8, _ payload: [UInt8] = []) -> [UInt8] {
    WebSocketServer.frame(first, payload)
  }

  private static func frame(_ first: UInt8, _ text: String) -> [UInt8] {
    WebSocketServer.frame(first, Array(text.utf8))
  }

  /// What breaks the rules ends the socket with a code.
  private static func broken(
    _ name: String,
    _ bytes: [UInt8],
    _ code: UInt16 = 1002,
    after arrivals: [WebSocketEvent] = []
  ) -> Case {
    Case(
      name: name,
      bytes: bytes,
      arrivals: arrivals + [.closed(WebSocketClose(code: code))],
      code: Int(code)
    )
  }

  /// Section 1: payloads of every length form.
  static let framing: [Case] = [0, 1, 125, 126, 127, 128, 65_535, 65_536, 70_000].flatMap { size in
    let text = String(repeating: "*", count: size)
    let bytes = [UInt8](repeating: 0xFE, count: size)
    return [
      Case(
        name: "1.1: a text of \(size) bytes",
        bytes: frame(0x81, text),
        arrivals: [.message(.text(text))],
        code: 1000
      ),
      Case(
        name: "1.2: \(size) binary bytes",
        bytes: frame(0x82, bytes),
        arrivals: [.message(.binary(bytes))],
        code: 1000
      ),
    ]
  }

  /// Section 2: pings and pongs.
  static let pings: [Case] = [
    Case(
      name: "2.1–2.4: pings with 0, 2 and 125 bytes, also such that are no text",
      bytes: frame(0x89) + frame(0x89, [0, 0xFF]) + frame(0x89, [UInt8](repeating: 1, count: 125))
        + frame(0x81, "x"),
      arrivals: [.message(.text("x"))],
      code: 1000,
      pongs: [[], [0, 0xFF], [UInt8](repeating: 1, count: 125)]
    ),
    broken("2.5: a ping with 126 bytes", frame(0x89, [UInt8](repeating: 1, count: 126))),
    Case(
      name: "2.7–2.9: unsolicited pongs are not answered",
      bytes: frame(0x8A) + frame(0x8A, "x") + frame(0x89, "y"),
      arrivals: [.pong([]), .pong(Array("x".utf8))],
      code: 1000,
      pongs: [Array("y".utf8)]
    ),
    Case(
      name: "2.10: ten pings",
      bytes: (0..<10).flatMap { frame(0x89, [$0]) } + frame(0x81, "x"),
      arrivals: [.message(.text("x"))],
      code: 1000,
      pongs: (0..<10).map { [$0] }
    ),
  ]

  /// Sections 3 and 4: reserved bits and opcodes, and masks, which only clients use.
  static let reserved: [Case] =
    [0x91, 0xA1, 0xC1, 0xF1, 0xC2, 0xC9, 0xD9, 0xC8].map { first in
      broken("3: the first byte \(first), a reserved bit", frame(first, "x"))
    }
    + [3, 4, 5, 6, 7, 11, 12, 13, 14, 15].flatMap { opcode in
      [
        broken("4: the opcode \(opcode)", frame(0x80 | opcode)),
        broken(
          "4: the opcode \(opcode) after a message",
          frame(0x81, "x") + frame(0x80 | opcode, "y"),
          after: [.message(.text("x"))]
        ),
      ]
    }
    + [0x81, 0x82, 0x89].map { first in
      broken(
        "5.1: the first byte \(first), masked by the server",
        WebSocketServer.frame(first, [0x61], isMasked: true)
      )
    }

  /// Section 5: fragments.
  static let fragments: [Case] = [
    broken("5.1–5.2: a ping in two fragments", frame(0x09, "a") + frame(0x80, "b")),
    broken("a Close in two fragments", frame(0x08, [3, 0xE8])),
    Case(
      name: "5.3–5.8: a text in fragments, one of them empty, with a ping between",
      bytes: frame(0x01, "a") + frame(0x89, "p") + frame(0x00) + frame(0x8A, "q")
        + frame(0x80, "b"),
      arrivals: [.pong(Array("q".utf8)), .message(.text("ab"))],
      code: 1000,
      pongs: [Array("p".utf8)]
    ),
    Case(
      name: "5: binary in fragments",
      bytes: frame(0x02, [0xFF]) + frame(0x00, [0xFE]) + frame(0x80, [0xFD]),
      arrivals: [.message(.binary([0xFF, 0xFE, 0xFD]))],
      code: 1000
    ),
    Case(
      name: "6.1: a text of empty fragments",
      bytes: frame(0x01) + frame(0x00) + frame(0x80),
      arrivals: [.message(.text(""))],
      code: 1000
    ),
    broken("5.9–5.14: a continuation of nothing, final", frame(0x80, "x")),
    broken("5.9–5.14: a continuation of nothing, more to come", frame(0x00, "x")),
    broken(
      "5.15: a continuation after a whole message",
      frame(0x01, "a") + frame(0x80, "b") + frame(0x80, "c"),
      after: [.message(.text("ab"))]
    ),
    broken("5.18: a text within a text", frame(0x01, "a") + frame(0x81, "b")),
    broken("5.18: binary within a text", frame(0x01, "a") + frame(0x82, "b")),
    broken("a frame over the limit", frame(0x82, [UInt8](repeating: 0, count: 70_001)), 1009),
    broken("a length beyond all limits, nothing behind it", [0x82, 127, 0x7F] + zeros(7), 1009),
    broken("a length with its highest bit", [0x82, 127, 0xFF] + zeros(7), 1002),
    broken(
      "fragments over the limit together",
      frame(0x02, zeros(40_000)) + frame(0x00, zeros(30_000)) + frame(0x00, [1]),
      1009
    ),
  ]

  /// Section 6: UTF-8.
  static let text: [Case] =
    [
      [0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xCF, 0x83], [0xF0, 0x90, 0x80, 0x80], [0xEF, 0xBF, 0xBF],
      [0xF4, 0x8F, 0xBF, 0xBF], [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80], [0xC2, 0x80], [0x00],
      [0xDF, 0xBF], [0xE0, 0xA0, 0x80],
    ].map { bytes in
      // Every byte in a fragment of its own.
      Case(
        name: "6: the valid text \(bytes), byte by byte",
        bytes: frame(0x01) + bytes.flatMap { frame(0x00, [$0]) } + frame(0x80),
        arrivals: [.message(.text(String(decoding: bytes, as: UTF8.self)))],
        code: 1000
      )
    }
    + [
      [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
      [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80],
      [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xCE, 0x41],
    ].flatMap { bytes in
      [
        broken("6: the invalid text \(bytes)", frame(0x81, [0x61] + bytes), 1007),
        broken("6.4: \(bytes) at once, the message unfinished", frame(0x01, [0x61] + bytes), 1007),
      ]
    }
    + [
      broken("6: a text that ends within a character", frame(0x81, [0xE2, 0x82]), 1007),
      broken(
        "6: fragments that end within a character",
        frame(0x01, [0xE2]) + frame(0x80, [0x82]),
        1007
      ),
    ]

  /// Section 7: closing.
  static let closing: [Case] =
    [
      1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000,
      4999,
    ]
    .map { (code: UInt16) in
      let payload = [UInt8(code >> 8), UInt8(code & 0xFF)]
      // The reasons of these are blanked above, like ours.
      let reason = [1002, 1007, 1009].contains(code) ? "" : "so"
      return Case(
        name: "7.7: a Close with \(code)",
        bytes: frame(0x88, payload + Array("so".utf8)) + frame(0x81, "after the end"),
        arrivals: [.closed(WebSocketClose(code: code, reason: reason))],
        code: Int(code)
      )
    }
    + [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535]
    .map { (code: UInt16) in
      broken("7.9: a Close with \(code)", frame(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)]))
    }
    + [
      Case(
        name: "7.3.1: a Close without a code",
        bytes: frame(0x88),
        arrivals: [.closed(WebSocketClose(code: 1005))],
        code: nil
      ),
      broken("7.3.2: a Close with half a code", frame(0x88, [3])),
      Case(
        name: "7.3.5: a Close with the longest reason",
        bytes: frame(0x88, [3, 0xE8] + Array(String(repeating: "x", count: 123).utf8)),
        arrivals: [.closed(WebSocketClose(code: 1000, reason: String(repeating: "x", count: 123)))],
        code: 1000
      ),
      broken(
        "7.3.6: a Close that is too long",
        frame(0x88, [3, 0xE8] + [UInt8](repeating: 0x78, count: 124))
      ),
      broken("7.5.1: a reason that is no text", frame(0x88, [3, 0xE8, 0xCE, 0x41]), 1007),
      broken("7.5.1: a reason cut within a character", frame(0x88, [3, 0xE8, 0xE2, 0x82]), 1007),
    ]

  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}
