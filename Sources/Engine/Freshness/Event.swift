/// Everything that can happen to a machine.
public enum Event: Hashable, Sendable {
  // MARK: Watching

  /// The first observer came (R5).
  case started
  /// The last observer left: nothing is due any more.
  case stopped
  /// The shortest interval that observers wish for; `nil` is the policy's (P2).
  case paceWished(Timespan?)
  /// Somebody may look soon (R35).
  case prefetch

  // MARK: Time

  /// The alarm went off, or the host merely looks in.
  case woke
  /// The device slept, as far as the host can tell (R14).
  case slept

  // MARK: The device

  /// The application moved (R11).
  case lifecycle(Lifecycle)
  /// A window got the focus (R11).
  case focused
  /// The network changed (R24).
  case connectivity(Connectivity)

  // MARK: The application

  /// Somebody wishes for a fresh copy (R2, R5).
  case wished(RefreshRequest)
  /// Another question, or another identity (R4, R19).
  ///
  /// A stream that is about the old context is the host's to close: it reports ``linkLost``.
  case contextChanged(Context)
  /// What the watched thing is doing (R9).
  case activity(Activity)
  /// A local action whose effect is expected soon (R13).
  case acted
  /// The expected effect was seen elsewhere (R13).
  case fulfilled
  /// The application put its own copy in place (P8).
  case wrote(Revision)
  /// The application put a copy in place that it kept from an earlier run, of an age (R38).
  ///
  /// It never takes the place of another copy.
  case restored(Revision, age: Timespan)
  /// The host lost the body, and with it the validator (R17, R19).
  case evicted
  /// What the origin imposes on every resource it serves (R39).
  case restrained(Restraint)

  // MARK: Answers and news

  /// A request ended; the ticket names it and the context the answer is about (R3).
  case answered(Ticket, Answer)
  /// The stream opened; `isResumed` when the server replays what was missed (R33).
  case linkOpened(isResumed: Bool)
  /// The stream gave a sign of life.
  case linkHeard
  /// The stream says that the copy is out of date.
  case linkChanged
  /// The stream brought a body for a context.
  case linkDelivered(Context, Answer)
  /// The stream has a gap; something was missed.
  case linkGap
  /// The stream ended or could not be opened.
  case linkLost
}
