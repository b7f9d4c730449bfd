/// How much of an event stream is held in memory at most.
public struct EventStreamLimits: Hashable, Sendable {
  /// The longest line, bytes without its end; 1 MiB unless told.
  public var line: Int
  /// The largest data of one event, bytes, one counted for each line's end; 4 MiB unless told.
  public var event: Int

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - line: The longest line, bytes without its end.
  ///   - event: The largest data of one event, bytes.
  public init(line: Int = 1 << 20, event: Int = 4 << 20) {
    self.line = line
    self.event = event
  }
}
