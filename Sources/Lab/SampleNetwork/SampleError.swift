/// A reason why a sample network cannot be planned or written.
public struct SampleError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of reasons.
  public enum Code: Hashable, Sendable {
    /// The number of stops wanted is outside the limits.
    case stopsOutOfRange
    /// The number of stop times wanted is outside the limits.
    case stopTimesOutOfRange
    /// A folder cannot be created, or a file in it cannot be written.
    case cannotWrite
  }

  /// The kind of reason.
  public let code: Code
  /// The reason in words, with the value at fault.
  public let message: String

  /// The reason in words.
  public var description: String { self.message }
}
