import ConditionalHTTP

/// One side of an open WebSocket as a value: frames go in, actions come out (RFC 6455).
///
/// 1. Every message, every pong and the end are delivered; the end comes once and last.
/// 2. At most one Close is sent, and nothing after it.
/// 3. A protocol error ends the WebSocket at once: 1002, 1007 for text that is not UTF-8, 1009 for
/// a message over the limit.
package struct WebSocketSession {
  /// The side of the connection.
  package enum Side: Sendable {
    /// Received frames are not masked (RFC 6455 section 5.1).
    case client
    /// Received frames are masked.
    case server
  }

  /// A received frame.
  struct Frame {
    var isFinal: Bool
    var hasReservedBits: Bool
    var isMasked: Bool
    var opcode: UInt8
    var payload: [UInt8]
  }

  /// The actions to carry out, in order.
  enum Order: Hashable {
    /// Deliver this event.
    case deliver(WebSocketEvent)
    /// Send a final frame.
    case send(opcode: UInt8, payload: [UInt8])
    /// Disconnect if the peer has not done so after the close timeout.
    case awaitDisconnection
    /// Send nothing more, once everything is sent: the peer reads what was sent, and the end.
    case finishSending
    /// Disconnect once everything is sent: of the two sides the server does it first (RFC 6455
    /// section 7.1.1).
    case disconnect
  }

  private enum Phase {
    case open
    /// A Close was sent; the peer's is expected.
    case closing
    /// The end was delivered.
    case over
  }

  static let continuation: UInt8 = 0
  static let text: UInt8 = 1
  static let binary: UInt8 = 2
  static let close: UInt8 = 8
  static let ping: UInt8 = 9
  static let pong: UInt8 = 10

  /// The maximum payload of a control frame, in bytes (RFC 6455 section 5.5).
  package static let controlBytes = 125

  private let side: Side
  private let messageLimit: Int
  private var phase = Phase.open
  /// The current message: text or binary, and its bytes.
  private var fragments: (opcode: UInt8, bytes: [UInt8])?
  private var validator = UTF8Validator()

  init(side: Side = .client, messageLimit: Int) {
    self.side = side
    self.messageLimit = messageLimit
  }

  /// Whether messages may still be sent.
  var isOpen: Bool { phase == .open }
  /// Whether the end was delivered.
  var isOver: Bool { phase == .over }

  /// Handles a frame.
  mutating func received(_ frame: Frame) -> [Order] {
    guard phase != .over else { return [] }
    if frame.hasReservedBits { return fail(1002, "a reserved bit is set") }
    switch side {
    case .client: if frame.isMasked { return fail(1002, "a frame of the server is masked") }
    case .server: if !frame.isMasked { return fail(1002, "a frame of the client is not masked") }
    }
    guard frame.opcode & 8 != 0 else { return receivedData(frame) }
    if !frame.isFinal { return fail(1002, "a control frame is fragmented") }
    if frame.payload.count > Self.controlBytes { return fail(1002, "a control frame is too long") }
    switch frame.opcode {
    case Self.close: return receivedClose(frame.payload)
    case Self.ping: return phase == .open ? [.send(opcode: Self.pong, payload: frame.payload)] : []
    case Self.pong: return [.deliver(.pong(frame.payload))]
    default: return fail(1002, "the opcode \(frame.opcode) is reserved")
    }
  }

  /// Handles bytes that are not a valid frame, or a frame whose length exceeds the limit.
  mutating func receivedBadFrame(isTooLong: Bool) -> [Order] {
    guard phase != .over else { return [] }
    return isTooLong ? fail(1009, tooLong) : fail(1002, "a control frame breaks the rules")
  }

  /// Handles a frame whose length is not valid.
  mutating func receivedBadLength() -> [Order] {
    guard phase != .over else { return [] }
    return fail(1002, "the length of a frame breaks the rules")
  }

  /// Closes on behalf of the caller.
  mutating func close(_ close: WebSocketClose) -> [Order] {
    guard phase == .open else { return [] }
    phase = .closing
    return [.send(opcode: Self.close, payload: Self.payload(of: close)), .awaitDisconnection]
  }

  /// Handles the loss of the connection.
  mutating func disconnected() -> [Order] {
    guard phase != .over else { return [] }
    phase = .over
    return [.deliver(.closed(WebSocketClose(code: 1006, reason: "the connection broke")))]
  }

  private mutating func receivedData(_ frame: Frame) -> [Order] {
    switch (frame.opcode, fragments) {
    case (Self.text, nil), (Self.binary, nil):
      fragments = (frame.opcode, [])
      validator = UTF8Validator()
    case (Self.continuation, nil): return fail(1002, "a continuation continues nothing")
    case (Self.continuation, _): break
    case (Self.text, _), (Self.binary, _): return fail(1002, "a message begins within another one")
    default: return fail(1002, "the opcode \(frame.opcode) is reserved")
    }
    // Moved out, so that the bytes are appended in place.
    guard var message = fragments.take() else { return [] }
    guard message.bytes.count + frame.payload.count <= messageLimit else {
      return fail(1009, tooLong)
    }
    let isText = message.opcode == Self.text
    if isText, !validator.consume(frame.payload) { return fail(1007, "a text is not UTF-8") }
    message.bytes.append(contentsOf: frame.payload)
    guard frame.isFinal else {
      fragments = message
      return []
    }
    guard isText else { return [.deliver(.message(.binary(message.bytes)))] }
    guard validator.isComplete else { return fail(1007, "a text ends within a character") }
    return [.deliver(.message(.text(String(decoding: message.bytes, as: UTF8.self))))]
  }

  private mutating func receivedClose(_ payload: [UInt8]) -> [Order] {
    var close = WebSocketClose(code: 1005)
    if payload.count == 1 { return fail(1002, "a Close has half a code") }
    if payload.count >= 2 {
      close.code = UInt16(payload[0]) << 8 | UInt16(payload[1])
      guard Self.mayBeSent(close.code) else {
        return fail(1002, "the close code \(close.code) may not be sent")
      }
      let reason = Array(payload[2...])
      var validator = UTF8Validator()
      guard validator.consume(reason), validator.isComplete else {
        return fail(1007, "the reason of a Close is not UTF-8")
      }
      close.reason = String(decoding: reason, as: UTF8.self)
    }
    let isAnswer = phase == .closing
    phase = .over
    let last: [Order] = side == .server ? [.disconnect] : []
    if isAnswer { return [.deliver(.closed(close))] + last }
    let echo = Array(payload.prefix(2))
    return [
      .send(opcode: Self.close, payload: echo), .deliver(.closed(close)), .awaitDisconnection,
    ] + last
  }

  /// Fails the connection (RFC 6455 section 7.1.7).
  private mutating func fail(_ code: UInt16, _ reason: String) -> [Order] {
    let close = WebSocketClose(code: code, reason: reason)
    let isFirst = phase == .open
    phase = .over
    fragments = nil
    // The server ends the connection at once; closing a connection with unread bytes would lose the
    // Close.
    let last: [Order] = side == .server ? [.finishSending] : []
    guard isFirst else { return [.deliver(.closed(close))] + last }
    let goodbye = Order.send(opcode: Self.close, payload: Self.payload(of: close))
    return [goodbye, .deliver(.closed(close)), .awaitDisconnection] + last
  }

  private var tooLong: String { "a message is longer than \(messageLimit) bytes" }

  /// Returns the payload of a Close; empty for a code that must not be sent.
  private static func payload(of close: WebSocketClose) -> [UInt8] {
    guard mayBeSent(close.code) else { return [] }
    var reason = close.reason
    while reason.utf8.count > controlBytes - 2 { reason.removeLast() }
    return [UInt8(close.code >> 8), UInt8(close.code & 0xFF)] + Array(reason.utf8)
  }

  /// Returns whether a code may be sent in a Close (RFC 6455 section 7.4, and its registry).
  private static func mayBeSent(_ code: UInt16) -> Bool {
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}
