/// One event of an event stream (WHATWG HTML, server-sent events).
public struct ServerSentEvent: Hashable, Sendable {
  /// The type of an event without one.
  public static let defaultType = "message"

  /// The type; ``defaultType`` if the stream has none.
  public var type: String
  /// The data; lines are separated by line feeds, without one at the end.
  public var data: String
  /// The id of the event itself; `nil` if it has none, which keeps the last one.
  ///
  /// The empty id makes the next connection start without one.
  public var id: String?

  /// Creates an event.
  ///
  /// - Parameters:
  ///   - type: The type; an empty one becomes ``defaultType``.
  ///   - data: The data, of any number of lines.
  ///   - id: The id; `nil` keeps the last one.
  public init(type: String = defaultType, data: String, id: String? = nil) {
    self.type = type.isEmpty ? Self.defaultType : type
    self.data = data
    self.id = id
  }

  /// Returns whether two events are equal, byte by byte.
  public static func == (left: ServerSentEvent, right: ServerSentEvent) -> Bool {
    left.type.utf8.elementsEqual(right.type.utf8) && left.data.utf8.elementsEqual(right.data.utf8)
      && left.id.map { Array($0.utf8) } == right.id.map { Array($0.utf8) }
  }
}
