public import Freshness

extension Context: WireReadable, WireWritable {
  /// Reads the query and the identity.
  public init(from reader: inout WireReader) throws(WireError) {
    self.init(question: try reader.identifier(), identity: try reader.identifier())
  }

  /// Writes the query and the identity.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.integer(question)
    try writer.integer(identity)
  }
}

extension Ticket: WireReadable, WireWritable {
  /// Reads the generation and the context.
  public init(from reader: inout WireReader) throws(WireError) {
    self.init(generation: try reader.identifier(), context: try Context(from: &reader))
  }

  /// Writes the generation and the context.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.integer(generation)
    try context.write(to: &writer)
  }
}

extension RefreshRequest: WireReadable, WireWritable {
  /// Reads the reason and three flags: forced, unconditional, shows loading.
  public init(from reader: inout WireReader) throws(WireError) {
    self.init(
      try reader.numbered(Reason.self),
      isForced: try reader.flag(),
      isUnconditional: try reader.flag(),
      showsLoading: try reader.flag()
    )
  }

  /// Writes the reason and three flags.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.numbered(reason)
    try writer.flag(isForced)
    try writer.flag(isUnconditional)
    try writer.flag(showsLoading)
  }
}

extension Request: WireWritable {
  /// Writes ticket, validator, long poll, timeout, priority, refresh request and cadence.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try ticket.write(to: &writer)
    try writer.optional(validator?.number)
    try writer.optionalSpan(longPoll)
    try writer.span(timeout)
    try writer.numbered(priority)
    try refresh.write(to: &writer)
    try writer.span(cadence)
  }
}
