/// The position from which a client resumes after a lost connection (WHATWG HTML, "the
/// Last-Event-ID header").
///
/// It advances when an event is *applied*, not when it is read: an event that was read and then
/// rejected (``EventSequence``) must be sent again.
public struct ResumePoint: Hashable, Sendable {
  /// The name of the request field.
  public static let fieldName = "Last-Event-ID"

  /// The id of the last event applied; empty to start from the beginning.
  public private(set) var lastEventID: String

  /// Creates a resume point.
  ///
  /// - Parameter lastEventID: An id that was stored earlier.
  public init(lastEventID: String = "") {
    self.lastEventID = lastEventID
  }

  /// Records an applied event; an event without an id changes nothing, an empty id resets the
  /// point.
  public mutating func applied(_ event: ServerSentEvent) {
    if let id = event.id { lastEventID = id }
  }

  /// Records that the server cannot resume from here: the next connection starts from the
  /// beginning.
  public mutating func reset() {
    lastEventID = ""
  }

  /// The value of the request field, UTF-8; `nil` if it is not sent.
  ///
  /// An id that is not valid in a field is not sent either: the server then starts from the
  /// beginning, which is slower and never wrong.
  public var fieldValue: [UInt8]? {
    let bytes = Array(lastEventID.utf8)
    guard !bytes.isEmpty, bytes.first != UInt8(ascii: " "), bytes.last != UInt8(ascii: " "),
      !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F })
    else { return nil }
    return bytes
  }
}
