/// What the host does after an event, in the order of the fields.
///
/// At most one effect of each kind, so the value needs no allocation and can be compared in tests.
public struct Effects: Hashable, Sendable {
  /// What to do with the current copy.
  public enum SnapshotOrder: UInt8, Hashable, Sendable {
    /// Nothing.
    case none
    /// Replace it with the body of this response and notify the observers.
    case apply
    /// The copy is still valid: update *verified* without notifying observers of a new copy (R16).
    case verify
    /// Keep the copy and discard the body of this response: the copy is better (R20), newer (R33, R36) or not to be
    /// replaced (R38).
    case keep
    /// Remove the copy and notify the observers (R4).
    case clear
  }

  /// What changes for observers after the event.
  public struct Changes: OptionSet, Hashable, Sendable {
    /// The bits of the set.
    public let rawValue: UInt8

    /// Creates a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The body changed or was removed.
    public static let snapshot = Changes(rawValue: 1)
    /// The failure changed or was cleared.
    public static let failure = Changes(rawValue: 2)
    /// The loading hint appeared or disappeared (R25).
    public static let loading = Changes(rawValue: 4)
    /// The label changed, apart from its growing age (R26).
    public static let label = Changes(rawValue: 8)
  }

  /// The request to cancel; a response that still arrives is superseded (R3).
  public var cancel: Ticket?
  /// What to do with the current copy.
  public var snapshot: SnapshotOrder = .none
  /// The earliest instant at which the server can have made what the copy now shows, if this event applied or confirmed it
  /// (R38).
  ///
  /// A mutation that the server accepted by then is confirmed. Otherwise, and if the instant is unknown, it is `nil`.
  public var asOf: Instant?
  /// What changes for observers.
  public var changes: Changes = []
  /// The request to send now.
  public var request: Request?
  /// What to do with the stream (R33).
  public var stream: PushCommand?
  /// The only alarm: send ``Event/woke`` at this instant and discard any earlier alarm (R8).
  public var alarm: Instant?
  /// The sample of the request that ended (R29).
  public var sample: Sample?
  /// Other facts, for the counters (R30).
  public var notes: Notes = []

  /// Creates empty effects.
  public init() {}

  /// Appends the effects of a second event at the same instant.
  ///
  /// A request that was never sent is not canceled either.
  mutating func append(_ later: Effects) {
    if let cancelled = later.cancel {
      if request?.ticket == cancelled {
        request = nil
      } else {
        cancel = cancelled
      }
    }
    if later.snapshot != .none { snapshot = later.snapshot }
    if let made = later.asOf { asOf = made }
    changes.formUnion(later.changes)
    if let asked = later.request { request = asked }
    if let order = later.stream { stream = order }
    alarm = later.alarm
    if let taken = later.sample { sample = taken }
    notes.formUnion(later.notes)
  }
}
