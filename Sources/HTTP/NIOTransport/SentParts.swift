import ConditionalHTTP
import NIOCore

/// Content in parts, which tells how much of it the connection has taken.
///
/// A connection asks for the next part when it can write again.
struct SentParts: AsyncSequence, Sendable {
  /// The bytes of a part.
  static let partBytes = 64 << 10

  let content: [UInt8]
  let sent: @Sendable (Int) -> Void

  func makeAsyncIterator() -> Iterator { Iterator(parts: self) }

  struct Iterator: AsyncIteratorProtocol {
    let parts: SentParts
    private var place = 0

    init(parts: SentParts) { self.parts = parts }

    mutating func next() async -> ByteBuffer? {
      parts.sent(place)
      guard place < parts.content.count else { return nil }
      let end = Swift.min(place + SentParts.partBytes, parts.content.count)
      defer { place = end }
      return ByteBuffer(bytes: parts.content[place..<end])
    }
  }
}
