// Written by Scripts/generate-engine-wire from wire.json.

public import Freshness

extension RetryHint: WireReadable, WireWritable {
  /// Reads the members in the order of the table.
  public init(from reader: inout WireReader) throws(WireError) {
    switch try reader.caseNumber() {
    case 1: self = .seconds(try reader.clamped())
    case 2: self = .date(try reader.wallTime())
    default: throw reader.unknownNumber
    }
  }

  /// Writes the members in the order of the table.
  public func write(to writer: inout WireWriter) throws(WireError) {
    switch self {
    case .seconds(let seconds):
      try writer.caseNumber(1)
      try writer.clamped(seconds)
    case .date(let date):
      try writer.caseNumber(2)
      try writer.wallTime(date)
    }
  }
}

extension Outcome: WireReadable, WireWritable {
  /// Reads the members in the order of the table.
  public init(from reader: inout WireReader) throws(WireError) {
    switch try reader.caseNumber() {
    case 1: self = .content(try Content(from: &reader))
    case 2: self = .unchanged
    case 3: self = .refused
    case 4: self = .unauthorised
    case 5: self = .gone
    case 6: self = .throttled(try RetryHint.optional(from: &reader))
    case 7: self = .serverError
    case 8: self = .timedOut
    case 9: self = .unreachable
    case 10: self = .undecodable(reason: try reader.short())
    case 11: self = .cancelled
    default: throw reader.unknownNumber
    }
  }

  /// Writes the members in the order of the table.
  public func write(to writer: inout WireWriter) throws(WireError) {
    switch self {
    case .content(let content):
      try writer.caseNumber(1)
      try content.write(to: &writer)
    case .unchanged: try writer.caseNumber(2)
    case .refused: try writer.caseNumber(3)
    case .unauthorised: try writer.caseNumber(4)
    case .gone: try writer.caseNumber(5)
    case .throttled(let retryAfter):
      try writer.caseNumber(6)
      try RetryHint.write(retryAfter, to: &writer)
    case .serverError: try writer.caseNumber(7)
    case .timedOut: try writer.caseNumber(8)
    case .unreachable: try writer.caseNumber(9)
    case .undecodable(let reason):
      try writer.caseNumber(10)
      try writer.short(reason)
    case .cancelled: try writer.caseNumber(11)
    }
  }
}

extension Jitter: WireReadable, WireWritable {
  /// Reads the members in the order of the table.
  public init(from reader: inout WireReader) throws(WireError) {
    switch try reader.caseNumber() {
    case 1: self = .none
    case 2: self = .signed(try reader.span(), try reader.span())
    case 3: self = .within(try reader.span())
    case 4: self = .share(try reader.percent())
    case 5: self = .above(try reader.percent())
    case 6: self = .full
    default: throw reader.unknownNumber
    }
  }

  /// Writes the members in the order of the table.
  public func write(to writer: inout WireWriter) throws(WireError) {
    switch self {
    case .none: try writer.caseNumber(1)
    case .signed(let least, let most):
      try writer.caseNumber(2)
      try writer.span(least)
      try writer.span(most)
    case .within(let bound):
      try writer.caseNumber(3)
      try writer.span(bound)
    case .share(let share):
      try writer.caseNumber(4)
      try writer.percent(share)
    case .above(let share):
      try writer.caseNumber(5)
      try writer.percent(share)
    case .full: try writer.caseNumber(6)
    }
  }
}

extension Event: WireReadable, WireWritable {
  /// Reads the members in the order of the table.
  public init(from reader: inout WireReader) throws(WireError) {
    switch try reader.caseNumber() {
    case 1: self = .started
    case 2: self = .stopped
    case 3: self = .paceRequested(try reader.optionalSpan())
    case 4: self = .prefetch
    case 5: self = .woke
    case 6: self = .slept
    case 7: self = .lifecycle(try reader.numbered(Lifecycle.self))
    case 8: self = .focused
    case 9: self = .connectivity(try reader.numbered(Connectivity.self))
    case 10: self = .refreshRequested(try RefreshRequest(from: &reader))
    case 11: self = .contextChanged(try Context(from: &reader))
    case 12: self = .activity(try reader.numbered(Activity.self))
    case 13: self = .acted
    case 14: self = .fulfilled
    case 15: self = .wrote(try reader.revision())
    case 16: self = .evicted
    case 17: self = .answered(try Ticket(from: &reader), try Answer(from: &reader))
    case 18: self = .streamOpened(isResumed: try reader.flag())
    case 19: self = .streamHeard
    case 20: self = .streamChanged
    case 21: self = .streamDelivered(try Context(from: &reader), try Answer(from: &reader))
    case 22: self = .streamGap
    case 23: self = .streamLost
    case 24:
      self = .restored(
        try reader.revision(),
        age: try reader.span(),
        sourceTime: try reader.optionalWallTime()
      )
    case 25: self = .restrained(try Restraint(from: &reader))
    case 26: self = .notHeld(try Ticket(from: &reader))
    case 27: self = .queued(try Ticket(from: &reader))
    default: throw reader.unknownNumber
    }
  }

  /// Writes the members in the order of the table.
  public func write(to writer: inout WireWriter) throws(WireError) {
    switch self {
    case .started: try writer.caseNumber(1)
    case .stopped: try writer.caseNumber(2)
    case .paceRequested(let interval):
      try writer.caseNumber(3)
      try writer.optionalSpan(interval)
    case .prefetch: try writer.caseNumber(4)
    case .woke: try writer.caseNumber(5)
    case .slept: try writer.caseNumber(6)
    case .lifecycle(let to):
      try writer.caseNumber(7)
      try writer.numbered(to)
    case .focused: try writer.caseNumber(8)
    case .connectivity(let to):
      try writer.caseNumber(9)
      try writer.numbered(to)
    case .refreshRequested(let refresh):
      try writer.caseNumber(10)
      try refresh.write(to: &writer)
    case .contextChanged(let context):
      try writer.caseNumber(11)
      try context.write(to: &writer)
    case .activity(let `is`):
      try writer.caseNumber(12)
      try writer.numbered(`is`)
    case .acted: try writer.caseNumber(13)
    case .fulfilled: try writer.caseNumber(14)
    case .wrote(let revision):
      try writer.caseNumber(15)
      try writer.revision(revision)
    case .evicted: try writer.caseNumber(16)
    case .answered(let ticket, let answer):
      try writer.caseNumber(17)
      try ticket.write(to: &writer)
      try answer.write(to: &writer)
    case .streamOpened(let isResumed):
      try writer.caseNumber(18)
      try writer.flag(isResumed)
    case .streamHeard: try writer.caseNumber(19)
    case .streamChanged: try writer.caseNumber(20)
    case .streamDelivered(let context, let answer):
      try writer.caseNumber(21)
      try context.write(to: &writer)
      try answer.write(to: &writer)
    case .streamGap: try writer.caseNumber(22)
    case .streamLost: try writer.caseNumber(23)
    case .restored(let revision, let age, let sourceTime):
      try writer.caseNumber(24)
      try writer.revision(revision)
      try writer.span(age)
      try writer.optionalWallTime(sourceTime)
    case .restrained(let restraint):
      try writer.caseNumber(25)
      try restraint.write(to: &writer)
    case .notHeld(let ticket):
      try writer.caseNumber(26)
      try ticket.write(to: &writer)
    case .queued(let ticket):
      try writer.caseNumber(27)
      try ticket.write(to: &writer)
    }
  }
}
