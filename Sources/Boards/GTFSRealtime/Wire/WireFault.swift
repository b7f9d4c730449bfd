/// Why bytes are not the message they should be, and where.
struct WireFault: Error, Hashable, Sendable {
  var cause: RejectedEntity.Cause
  var reason: String
  /// The offset in the feed.
  var offset: Int
  /// The names of the fields around the place, outermost first.
  var path = ""

  init(_ cause: RejectedEntity.Cause, _ reason: String, at offset: Int) {
    self.cause = cause
    self.reason = reason
    self.offset = offset
  }

  /// The same fault as seen by the message that has the field it happened in.
  consuming func inside(_ message: WireSchema, _ field: UInt32, index: Int? = nil) -> WireFault {
    guard field != 0 else { return self }
    var name = message.name(of: field)
    if let index { name += "[\(index)]" }
    path = path.isEmpty ? name : "\(name).\(path)"
    return self
  }
}
