/// Where a client goes on after a lost connection (WHATWG HTML, "the Last-Event-ID header").
///
/// It moves when an event is *applied*, not when it is read: what was read and then refused
/// (``EventSequence``) has to come again.
public struct ResumePoint: Hashable, Sendable {
  /// The name of the request field.
  public static let fieldName = "Last-Event-ID"

  /// The id of the last event applied; empty to start from the beginning.
  public private(set) var lastEventID: String

  /// Creates a point.
  ///
  /// - Parameter lastEventID: An id that was kept from before.
  public init(lastEventID: String = "") {
    self.lastEventID = lastEventID
  }

  /// An event was applied; without an id it moves nothing, with the empty one it forgets.
  public mutating func applied(_ event: ServerSentEvent) {
    if let id = event.id { lastEventID = id }
  }

  /// The server said that it cannot go on from here: the next connection starts anew.
  public mutating func reset() {
    lastEventID = ""
  }

  /// The value of the request field, UTF-8; nothing if it is not to be sent.
  ///
  /// An id that cannot stand in a field is not sent either: the server then starts anew, which is
  /// slower and never wrong.
  public var fieldValue: [UInt8]? {
    let bytes = Array(lastEventID.utf8)
    guard !bytes.isEmpty, bytes.first != UInt8(ascii: " "), bytes.last != UInt8(ascii: " "),
      !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F })
    else { return nil }
    return bytes
  }
}
