/// One event of an event stream (WHATWG HTML, server-sent events).
public struct ServerSentEvent: Hashable, Sendable {
  /// The type of an event that names none.
  public static let defaultType = "message"

  /// The type; ``defaultType`` if the stream names none.
  public var type: String
  /// The data; its lines end with line feeds, the last one has no end.
  public var data: String
  /// The id the event itself carries; nothing if it carries none, which leaves the last one valid.
  ///
  /// The empty id makes the next connection start without one.
  public var id: String?

  /// Creates an event.
  ///
  /// - Parameters:
  ///   - type: The type; the empty one is ``defaultType``.
  ///   - data: The data, of any number of lines.
  ///   - id: The id; nothing leaves the last one valid.
  public init(type: String = defaultType, data: String, id: String? = nil) {
    self.type = type.isEmpty ? Self.defaultType : type
    self.data = data
    self.id = id
  }

  /// Whether two events are the same, byte by byte.
  public static func == (left: ServerSentEvent, right: ServerSentEvent) -> Bool {
    left.type.utf8.elementsEqual(right.type.utf8) && left.data.utf8.elementsEqual(right.data.utf8)
      && left.id.map { Array($0.utf8) } == right.id.map { Array($0.utf8) }
  }
}
