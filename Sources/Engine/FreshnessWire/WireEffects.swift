public import Freshness

extension Effects: WireWritable {
  /// Writes the fields in the order of their declaration.
  ///
  /// `cancel`, `request` and `sample` are optional records; `changes` and `notes` are written as
  /// bits.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try Ticket.write(cancel, to: &writer)
    try writer.numbered(snapshot)
    try writer.optionalInstant(asOf)
    try writer.bits(changes)
    try Request.write(request, to: &writer)
    try writer.optionalNumbered(link)
    try writer.optionalInstant(alarm)
    try Sample.write(sample, to: &writer)
    try writer.bits(notes)
  }
}

extension Sample: WireWritable {
  /// Writes the fields in the order of their declaration.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try ticket.write(to: &writer)
    try writer.instant(startedAt)
    try writer.instant(endedAt)
    try writer.integer(Int64(status))
    try outcome.write(to: &writer)
    try writer.optionalNumbered(verdict)
    try metadata.write(to: &writer)
    try writer.optionalSpan(skew)
    try writer.integer(bytes)
    try writer.flag(isConditional)
    try writer.flag(isChange)
    try writer.optionalSpan(changeToScreen)
    try writer.span(cadence)
  }
}

extension Counters: WireWritable {
  /// Writes the fields in the order of their declaration.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.integer(requests)
    try writer.integer(cancelled)
    try writer.integer(answers)
    try writer.integer(unchanged)
    try writer.time(bytes)
    try writer.integer(coalesced)
    try writer.integer(superseded)
    try writer.integer(held)
    try writer.integer(retries)
    try writer.integer(rescues)
    try writer.integer(measuredChanges)
    try writer.span(changeToScreenTotal)
    try writer.span(changeToScreenLongest)
  }
}
