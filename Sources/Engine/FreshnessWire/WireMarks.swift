public import Freshness

extension FreshnessMetadata: WireReadable, WireWritable {
  /// Reads server time, fetch time, cache age, transit, mode, status, applied flag and reason.
  public init(from reader: inout WireReader) throws(WireError) {
    self.init(
      serverTime: try reader.optionalWallTime(),
      fetchedAt: try reader.optionalWallTime(),
      cacheAge: try reader.optionalToldSpan(),
      transit: try reader.toldSpan(),
      mode: try reader.optionalNumbered(ResponseMode.self),
      status: try reader.optionalNumbered(RealtimeStatus.self),
      appliedFlag: try reader.optional(in: 0...1).map { $0 == 1 },
      reason: try reader.optionalNumbered(RealtimeStatus.self)
    )
  }

  /// Writes the fields in the same order.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.optionalWallTime(serverTime)
    try writer.optionalWallTime(fetchedAt)
    try writer.optionalSpan(cacheAge)
    try writer.span(transit)
    try writer.optionalNumbered(mode)
    try writer.optionalNumbered(status)
    try writer.optional(appliedFlag.map { $0 ? 1 : 0 })
    try writer.optionalNumbered(reason)
  }
}

extension Hints: WireReadable, WireWritable {
  /// Reads the next expected change, the freshness lifetime and the spread.
  public init(from reader: inout WireReader) throws(WireError) {
    self.init(
      nextExpectedAt: try reader.optionalWallTime(),
      maxAge: try reader.optionalToldSpan(),
      spread: try reader.optionalToldSpan()
    )
  }

  /// Writes the fields in the same order.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.optionalWallTime(nextExpectedAt)
    try writer.optionalSpan(maxAge)
    try writer.optionalSpan(spread)
  }
}
