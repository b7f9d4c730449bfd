/// An error in a message, with the position of the word.
public struct WireError: Error, Hashable, Sendable {
  /// The reason.
  public var code: Code
  /// The index of the word; for a missing word, the length of the message.
  public var position: Int32

  /// Creates an error.
  public init(_ code: Code, at position: Int32) {
    self.code = code
    self.position = position
  }
}
