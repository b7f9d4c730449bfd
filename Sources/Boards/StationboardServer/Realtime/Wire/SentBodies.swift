import NIOCore

/// The bodies of the last responses, to be sent again with another end: most of a body is the same as long as the board is.
///
/// A body that is no longer being sent has no other reference, so that changing its end copies nothing else.
struct SentBodies {
  /// The most bodies.
  static let most = 16
  /// The bodies of one board before the oldest is sent again: as many as one thread may be sending at once.
  static let rotation = 6
  /// Room for ends that are longer than the first one, in bytes.
  static let room = 256

  private var bodies: [(board: RenderedBoard, body: ByteBuffer)] = []

  /// Takes out the oldest body of a board; `nil` if it may still be being sent.
  mutating func take(_ board: RenderedBoard) -> ByteBuffer? {
    var oldest: Int?
    var count = 0
    for place in bodies.indices where bodies[place].board === board {
      oldest = oldest ?? place
      count += 1
    }
    guard let oldest, count >= Self.rotation else { return nil }
    return bodies.remove(at: oldest).body
  }

  /// Puts in a body that is being sent.
  ///
  /// - Returns: The body that it replaces.
  mutating func put(_ body: ByteBuffer, _ board: RenderedBoard) -> ByteBuffer? {
    bodies.append((board, body))
    return bodies.count > Self.most ? bodies.removeFirst().body : nil
  }
}
