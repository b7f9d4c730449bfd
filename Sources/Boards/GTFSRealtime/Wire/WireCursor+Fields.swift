extension WireCursor {
  /// Reads the fields of a message, one after the other.
  ///
  /// - Parameters:
  ///   - message: The message, for the path of a fault.
  ///   - read: Reads the value of the field with a tag, or skips it.
  /// - Throws: ``WireFault``, with the field that it happened in.
  func readFields(
    of message: WireSchema,
    _ read: (_ tag: UInt32, _ cursor: inout WireCursor) throws(WireFault) -> Void
  ) throws(WireFault) {
    var cursor = self
    var field: UInt32 = 0
    do throws(WireFault) {
      while !cursor.isAtEnd {
        field = 0
        let tag = try cursor.tag()
        field = tag >> 3
        try read(tag, &cursor)
      }
    } catch {
      throw error.inside(message, field)
    }
  }
}
