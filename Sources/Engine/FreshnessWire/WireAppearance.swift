public import Freshness

extension Snapshot: WireWritable {
  /// Writes revision, validator, has realtime, age at arrival, arrival, has server age, source time,
  /// provenance, changed, verified.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.integer(revision.number)
    try writer.optional(validator?.number)
    try writer.flag(hasRealtime)
    try writer.span(age.atArrival)
    try writer.instant(age.arrivedAt)
    try writer.flag(hasServerAge)
    try writer.optionalWallTime(sourceTime)
    try writer.numbered(provenance)
    try writer.instant(changedAt)
    try writer.instant(verifiedAt)
  }
}

extension Failure: WireWritable {
  /// Writes the kind, the reason (``Wire/none`` unless the body was undecodable), the status, and
  /// since when.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.numbered(wireKind)
    var reason: Int64?
    if case .undecodable(let number) = kind { reason = Int64(number) }
    try writer.optional(reason)
    try writer.integer(Int64(status))
    try writer.instant(since)
  }

  private var wireKind: FailureKind {
    switch kind {
    case .refused: .refused
    case .unauthorised: .unauthorised
    case .gone: .gone
    case .throttled: .throttled
    case .serverError: .serverError
    case .timedOut: .timedOut
    case .unreachable: .unreachable
    case .undecodable: .undecodable
    case .missingBody: .missingBody
    }
  }
}

extension FreshnessLabel: WireWritable {
  /// Writes marker, reason, badge, notice, age, is held, provenance, and the unit and number of the
  /// wording.
  ///
  /// The reason is the number of a status or of a mode, depending on the marker, or ``Wire/none``.
  public func write(to writer: inout WireWriter) throws(WireError) {
    switch marker {
    case .none:
      try writer.numbered(MarkerKind.none)
      try writer.optional(nil)
    case .normal:
      try writer.numbered(MarkerKind.normal)
      try writer.optional(nil)
    case .reduced(.status(let status)):
      try writer.numbered(MarkerKind.reducedByStatus)
      try writer.numbered(status)
    case .reduced(.mode(let mode)):
      try writer.numbered(MarkerKind.reducedByMode)
      try writer.numbered(mode)
    }
    try writer.numbered(badge)
    try writer.numbered(notice)
    try writer.optionalSpan(age)
    try writer.flag(isHeld)
    try writer.numbered(provenance)
    switch wording {
    case nil:
      try writer.optionalNumbered(WordingKind?.none)
      try writer.optional(nil)
    case .seconds(let number):
      try writer.numbered(WordingKind.seconds)
      try writer.integer(number)
    case .minutes(let number):
      try writer.numbered(WordingKind.minutes)
      try writer.integer(number)
    case .hours(let number):
      try writer.numbered(WordingKind.hours)
      try writer.integer(number)
    }
  }
}
