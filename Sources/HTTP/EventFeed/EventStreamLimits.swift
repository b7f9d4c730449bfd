/// The memory limits for reading an event stream.
public struct EventStreamLimits: Hashable, Sendable {
  /// The maximum length of a line, in bytes without its end; 1 MiB by default.
  public var line: Int
  /// The maximum size of the data of one event, in bytes, counting one for each line end; 4 MiB by
  /// default.
  public var event: Int

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - line: The maximum length of a line, in bytes without its end.
  ///   - event: The maximum size of the data of one event, in bytes.
  public init(line: Int = 1 << 20, event: Int = 4 << 20) {
    self.line = line
    self.event = event
  }
}
