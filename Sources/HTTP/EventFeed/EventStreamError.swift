/// The reason why an event stream cannot be read further, or an event cannot be written.
public struct EventStreamError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: String, Hashable, Sendable {
    /// A line of the stream is longer than the limit.
    case lineTooLong = "line_too_long"
    /// The data of one event is larger than the limit.
    case eventTooLarge = "event_too_large"
    /// An event type to be written contains a line end.
    case typeWithLineEnd = "type_with_line_end"
    /// An id to be written contains a line end or a NUL.
    case unusableID = "unusable_id"
  }

  /// The kind of failure.
  public var code: Code
  /// One sentence about what is wrong and where.
  public var message: String

  /// Creates an error.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
