public import Freshness

extension Event: WireReadable, WireWritable {
  /// Reads the kind and its values, in the order of the case.
  public init(from reader: inout WireReader) throws(WireError) {
    switch try reader.numbered(EventKind.self) {
    case .started: self = .started
    case .stopped: self = .stopped
    case .paceRequested: self = .paceRequested(try reader.optionalSpan())
    case .prefetch: self = .prefetch
    case .woke: self = .woke
    case .slept: self = .slept
    case .lifecycle: self = .lifecycle(try reader.numbered(Lifecycle.self))
    case .focused: self = .focused
    case .connectivity: self = .connectivity(try reader.numbered(Connectivity.self))
    case .refreshRequested: self = .refreshRequested(try RefreshRequest(from: &reader))
    case .contextChanged: self = .contextChanged(try Context(from: &reader))
    case .activity: self = .activity(try reader.numbered(Activity.self))
    case .acted: self = .acted
    case .fulfilled: self = .fulfilled
    case .wrote: self = .wrote(Revision(try reader.identifier()))
    case .evicted: self = .evicted
    case .answered: self = .answered(try Ticket(from: &reader), try Answer(from: &reader))
    case .linkOpened: self = .linkOpened(isResumed: try reader.flag())
    case .linkHeard: self = .linkHeard
    case .linkChanged: self = .linkChanged
    case .linkDelivered:
      self = .linkDelivered(try Context(from: &reader), try Answer(from: &reader))
    case .linkGap: self = .linkGap
    case .linkLost: self = .linkLost
    case .restored:
      self = .restored(
        Revision(try reader.identifier()),
        age: try reader.span(),
        sourceTime: try reader.optionalWallTime()
      )
    case .restrained: self = .restrained(try Restraint(from: &reader))
    case .notHeld: self = .notHeld(try Ticket(from: &reader))
    case .queued: self = .queued(try Ticket(from: &reader))
    }
  }

  /// Writes the kind and its values.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.numbered(kind)
    switch self {
    case .paceRequested(let interval): try writer.optionalSpan(interval)
    case .lifecycle(let next): try writer.numbered(next)
    case .connectivity(let next): try writer.numbered(next)
    case .refreshRequested(let refresh): try refresh.write(to: &writer)
    case .contextChanged(let context): try context.write(to: &writer)
    case .activity(let activity): try writer.numbered(activity)
    case .wrote(let revision): try writer.integer(revision.number)
    case .answered(let ticket, let answer):
      try ticket.write(to: &writer)
      try answer.write(to: &writer)
    case .linkOpened(let isResumed): try writer.flag(isResumed)
    case .linkDelivered(let context, let answer):
      try context.write(to: &writer)
      try answer.write(to: &writer)
    case .restored(let revision, let age, let made):
      try writer.integer(revision.number)
      try writer.span(age)
      try writer.optionalWallTime(made)
    case .restrained(let restraint): try restraint.write(to: &writer)
    case .notHeld(let ticket), .queued(let ticket): try ticket.write(to: &writer)
    case .started, .stopped, .prefetch, .woke, .slept, .focused, .acted, .fulfilled, .evicted,
      .linkHeard, .linkChanged, .linkGap, .linkLost:
      break
    }
  }

  private var kind: EventKind {
    switch self {
    case .started: .started
    case .stopped: .stopped
    case .paceRequested: .paceRequested
    case .prefetch: .prefetch
    case .woke: .woke
    case .slept: .slept
    case .lifecycle: .lifecycle
    case .focused: .focused
    case .connectivity: .connectivity
    case .refreshRequested: .refreshRequested
    case .contextChanged: .contextChanged
    case .activity: .activity
    case .acted: .acted
    case .fulfilled: .fulfilled
    case .wrote: .wrote
    case .evicted: .evicted
    case .answered: .answered
    case .linkOpened: .linkOpened
    case .linkHeard: .linkHeard
    case .linkChanged: .linkChanged
    case .linkDelivered: .linkDelivered
    case .linkGap: .linkGap
    case .linkLost: .linkLost
    case .restored: .restored
    case .restrained: .restrained
    case .notHeld: .notHeld
    case .queued: .queued
    }
  }
}

extension Restraint: WireReadable, WireWritable {
  /// Reads `notBefore`, `quietUntil`, the least interval, which is greater than zero, and `sharedUntil`; each is optional.
  public init(from reader: inout WireReader) throws(WireError) {
    self.init(
      notBefore: try reader.optionalInstant(),
      quietUntil: try reader.optionalInstant(),
      leastInterval: try reader.optionalPositiveSpan(),
      sharedUntil: try reader.optionalInstant()
    )
  }

  /// Writes the fields in the same order.
  public func write(to writer: inout WireWriter) throws(WireError) {
    try writer.optionalInstant(notBefore)
    try writer.optionalInstant(quietUntil)
    try writer.optionalSpan(leastInterval)
    try writer.optionalInstant(sharedUntil)
  }
}
