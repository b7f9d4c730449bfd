/// An event that a machine handles.
public enum Event: Hashable, Sendable {
  // MARK: Watching

  /// The first observer arrived (R5).
  case started
  /// The last observer left, so no request is due.
  case stopped
  /// The shortest interval that observers request; `nil` uses the policy's (P2).
  case paceRequested(Instant.Duration?)
  /// The resource may be observed soon (R35).
  case prefetch

  // MARK: Time

  /// The alarm fired, or the host checks the time.
  case woke
  /// The device slept, as far as the host can tell (R14).
  case slept

  // MARK: The device

  /// The application moved to another lifecycle state (R11).
  case lifecycle(Lifecycle)
  /// A window gained focus (R11).
  case focused
  /// The network changed (R24).
  case connectivity(Connectivity)

  // MARK: The application

  /// The user or the application requests a refresh (R2, R5).
  case refreshRequested(RefreshRequest)
  /// The query or the identity changed (R4, R19).
  ///
  /// The host must close a stream for the old context itself and report ``streamLost``.
  case contextChanged(Context)
  /// What the watched resource is doing (R9).
  case activity(Activity)
  /// The user performed a local action whose effect is expected soon (R13).
  case acted
  /// The expected effect was seen elsewhere (R13).
  case fulfilled
  /// The application replaced the copy with its own (P8).
  case wrote(Revision)
  /// The application restored a copy of a known age from an earlier run, with its source time if it had one (R38).
  ///
  /// A restored copy never replaces another one.
  case restored(Revision, age: Instant.Duration, sourceTime: WallTime? = nil)
  /// The host discarded the body, and with it the validator (R17, R19).
  case evicted
  /// The limits that the origin imposes on every resource it serves (R39).
  case restrained(Restraint)
  /// The request has not been sent before now: it waited at its origin for a place (R39). Its timeout (R6) begins again.
  ///
  /// The host reports it when it sends a request that has waited, and instead of ``woke`` if the timeout of one that still
  /// waits has passed and the origin is not failing (``Restraint/quietUntil``).
  case queued(Ticket)
  /// The long poll was sent as an ordinary request, because the origin has no place for another one
  /// that the server holds (R39).
  ///
  /// The host reports it when it sends the request, from ``Origin/admit()``.
  case notHeld(Ticket)

  // MARK: Responses and stream events

  /// A request ended; the ticket identifies it and the context of the response (R3).
  case answered(Ticket, Answer)
  /// The stream opened; `isResumed` when the server replays what was missed (R33).
  case streamOpened(isResumed: Bool)
  /// The stream delivered data, or a heartbeat.
  case streamHeard
  /// The stream reports that the copy is out of date.
  case streamChanged
  /// The stream delivered a body for a context.
  case streamDelivered(Context, Answer)
  /// The stream has a gap: events were missed.
  case streamGap
  /// The stream ended or could not be opened.
  case streamLost

  /// Whether the event itself does what is due (R8).
  var checksTime: Bool {
    switch self {
    case .woke, .queued: true
    default: false
    }
  }
}
