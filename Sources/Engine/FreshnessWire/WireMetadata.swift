public import Freshness

extension FreshnessMetadata: WireReadable, WireWritable {
  /// Reads server time, fetch time, cache age, transit, truncation, mode, status, applied flag and reason.
  public init(from reader: inout WireReader) throws(WireError) {
    let serverTime = try reader.optionalWallTime()
    let fetchedAt = try reader.optionalWallTime()
    let cacheAge = try reader.optionalToldSpan()
    let transit = try reader.toldSpan()
    self.init(
      serverTime: serverTime,
      truncation: try reader.toldSpan(),
      fetchedAt: fetchedAt,
      cacheAge: cacheAge,
      transit: transit,
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
    try writer.span(truncation)
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
