import ConditionalHTTP
import HTTPTypes
import NIOTransport

/// The server's side of a WebSocket, written by hand (RFC 6455).
struct WebSocketServer {
  /// A frame of a client.
  struct Frame: Equatable {
    var first: UInt8
    var isMasked: Bool
    var payload: [UInt8]

    var opcode: UInt8 { first & 15 }
    var code: Int? { payload.count < 2 ? nil : Int(payload[0]) << 8 | Int(payload[1]) }
  }

  let connection: LoopbackConnection

  /// Opens a socket on a connection.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - fields: More lines for the answer.
  ///   - more: What follows the answer in the same write.
  /// - Returns: The socket, and the head of the request.
  /// - Throws: If the connection breaks.
  @discardableResult
  static func accept(
    _ connection: LoopbackConnection,
    fields: String = "",
    followedBy more: [UInt8] = []
  ) async throws -> (WebSocketServer, String) {
    let head = try await connection.readHead() ?? ""
    let lines = head.split(separator: "\r\n")
    let key = lines.first { $0.lowercased().hasPrefix("sec-websocket-key:") }?
      .split(separator: " ").last
    let answer =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      + "Sec-WebSocket-Accept: \(SHA1.acceptance(of: String(key ?? "")))\r\n\(fields)\r\n"
    let bytes = answer.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    try await connection.write(bytes + more)
    return (WebSocketServer(connection: connection), head)
  }

  /// A frame as a server sends it.
  static func frame(_ first: UInt8, _ payload: [UInt8], isMasked: Bool = false) -> [UInt8] {
    var bytes: [UInt8] = [first]
    let mask: UInt8 = isMasked ? 0x80 : 0
    switch payload.count {
    case ..<126: bytes.append(mask | UInt8(payload.count))
    case ..<65_536: bytes += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    default:
      bytes.append(mask | 127)
      bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: payload.count >> ($0 * 8)) }
    }
    return bytes + (isMasked ? [0, 0, 0, 0] : []) + payload
  }

  /// Sends a frame.
  func send(_ first: UInt8, _ payload: [UInt8] = []) async throws {
    try await connection.write(Self.frame(first, payload))
  }

  /// Sends a frame with a text.
  func send(_ first: UInt8, _ text: String) async throws { try await send(first, Array(text.utf8)) }

  /// Waits for a frame of the client; `nil` at the end of the connection.
  func read() async throws -> Frame? {
    guard let start = try await connection.read(count: 2) else { return nil }
    var size = Int(start[1] & 0x7F)
    if size > 125 {
      guard let more = try await connection.read(count: size == 126 ? 2 : 8) else { return nil }
      size = more.reduce(0) { $0 << 8 | Int($1) }
    }
    let isMasked = start[1] & 0x80 != 0
    guard let mask = try await connection.read(count: isMasked ? 4 : 0) else { return nil }
    guard var payload = try await connection.read(count: size) else { return nil }
    if isMasked { for index in payload.indices { payload[index] ^= mask[index % 4] } }
    return Frame(first: start[0], isMasked: isMasked, payload: payload)
  }

  /// Waits for the Close of the client, and drops what comes before.
  func readClose() async throws -> Frame? {
    while let frame = try await read() { if frame.opcode == 8 { return frame } }
    return nil
  }
}

extension HTTPRequest {
  /// The request for a WebSocket.
  static func socket(_ authority: String, fields: HTTPFields = [:]) -> Self {
    HTTPRequest(
      method: .get,
      scheme: "ws",
      authority: authority,
      path: "/live?x=1",
      headerFields: fields
    )
  }
}

/// SHA-1 (RFC 3174), for the opening handshake.
enum SHA1 {
  /// What Sec-WebSocket-Accept says to a key.
  static func acceptance(of key: String) -> String {
    base64(digest(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
  }

  private static func digest(_ message: [UInt8]) -> [UInt8] {
    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    var bytes = message + [0x80]
    while bytes.count % 64 != 56 { bytes.append(0) }
    bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: (message.count * 8) >> ($0 * 8)) }
    for start in stride(from: 0, to: bytes.count, by: 64) {
      var words = stride(from: start, to: start + 64, by: 4).map { at in
        bytes[at..<at + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      }
      for at in 16..<80 {
        words.append(turn(words[at - 3] ^ words[at - 8] ^ words[at - 14] ^ words[at - 16], 1))
      }
      var turned = state
      for (at, word) in words.enumerated() {
        let (b, c, d) = (turned[1], turned[2], turned[3])
        let (mix, constant): (UInt32, UInt32) =
          switch at {
          case ..<20: (b & c | ~b & d, 0x5A82_7999)
          case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
          case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
          default: (b ^ c ^ d, 0xCA62_C1D6)
          }
        let sum = turn(turned[0], 5) &+ mix &+ turned[4] &+ constant &+ word
        turned = [sum, turned[0], turn(b, 30), c, d]
      }
      for at in 0..<5 { state[at] &+= turned[at] }
    }
    return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - $0 * 8)) }
    }
  }

  private static func turn(_ word: UInt32, _ by: UInt32) -> UInt32 {
    word << by | word >> (32 - by)
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = (group + [0, 0]).prefix(3).reduce(0) { $0 << 8 | Int($1) }
      for place in 0..<4 {
        text.append(place <= group.count ? letters[bits >> (18 - place * 6) & 63] : "=")
      }
    }
    return text
  }
}
