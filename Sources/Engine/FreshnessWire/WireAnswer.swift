public import Freshness

extension Answer: WireReadable, WireWritable {
  /// Reads outcome, status, bytes, metadata, hints, activity, device time, delay and decoding.
  public init(from reader: inout WireReader) throws(WireError) {
    self.init(
      try Outcome(from: &reader),
      status: try reader.short(),
      bytes: try reader.integer(in: 0...Wire.mostBytes),
      metadata: try FreshnessMetadata(from: &reader),
      hints: try Hints(from: &reader),
      activity: try reader.optionalNumbered(Activity.self),
      deviceTime: try reader.optionalWallTime(),
      delay: try reader.optionalSpan(),
      decoding: try reader.span()
    )
  }

  /// Writes outcome, status, bytes, metadata, hints, activity, device time, delay and decoding.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try outcome.write(to: &writer)
    try writer.integer(Int64(status))
    try writer.integer(bytes)
    try metadata.write(to: &writer)
    try hints.write(to: &writer)
    try writer.optionalNumbered(activity)
    try writer.optionalWallTime(deviceTime)
    try writer.optionalSpan(delay)
    try writer.span(decoding)
  }
}

extension Content: WireReadable, WireWritable {
  /// Reads revision, validator and two flags: has realtime, fulfils the action.
  public init(from reader: inout WireReader) throws(WireError) {
    self.init(
      Revision(try reader.identifier()),
      validator: try reader.optional(in: .wire).map { Validator($0) },
      hasRealtime: try reader.flag(),
      fulfilsAction: try reader.flag()
    )
  }

  /// Writes revision, validator and two flags.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.integer(revision.number)
    try writer.optional(validator?.number)
    try writer.flag(hasRealtime)
    try writer.flag(fulfilsAction)
  }
}

extension RetryHint: WireReadable, WireWritable {
  /// Reads the form and its value: seconds, or milliseconds since 1970 on the server's clock.
  public init(from reader: inout WireReader) throws(WireError) {
    switch try reader.numbered(RetryHintKind.self) {
    case .seconds: self = .seconds(try reader.identifier())
    case .date: self = .date(WallTime(milliseconds: try reader.identifier()))
    }
  }

  /// Writes the form and its value.
  public func write(to writer: inout WireWriter) throws(WireError) {
    switch self {
    case .seconds(let seconds):
      try writer.numbered(RetryHintKind.seconds)
      try writer.time(seconds)
    case .date(let date):
      try writer.numbered(RetryHintKind.date)
      try writer.time(date.milliseconds)
    }
  }
}

extension Outcome: WireReadable, WireWritable {
  /// Reads the kind and its values: a content, an optional retry hint, a reason.
  public init(from reader: inout WireReader) throws(WireError) {
    switch try reader.numbered(OutcomeKind.self) {
    case .content: self = .content(try Content(from: &reader))
    case .unchanged: self = .unchanged
    case .refused: self = .refused
    case .unauthorised: self = .unauthorised
    case .gone: self = .gone
    case .throttled: self = .throttled(try RetryHint.optional(from: &reader))
    case .serverError: self = .serverError
    case .timedOut: self = .timedOut
    case .unreachable: self = .unreachable
    case .undecodable: self = .undecodable(reason: try reader.short())
    case .cancelled: self = .cancelled
    }
  }

  /// Writes the kind and its values.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.numbered(kind)
    switch self {
    case .content(let content): try content.write(to: &writer)
    case .throttled(let hint): try RetryHint.write(hint, to: &writer)
    case .undecodable(let reason): try writer.integer(Int64(reason))
    case .unchanged, .refused, .unauthorised, .gone, .serverError, .timedOut, .unreachable,
      .cancelled:
      break
    }
  }

  private var kind: OutcomeKind {
    switch self {
    case .content: .content
    case .unchanged: .unchanged
    case .refused: .refused
    case .unauthorised: .unauthorised
    case .gone: .gone
    case .throttled: .throttled
    case .serverError: .serverError
    case .timedOut: .timedOut
    case .unreachable: .unreachable
    case .undecodable: .undecodable
    case .cancelled: .cancelled
    }
  }
}
