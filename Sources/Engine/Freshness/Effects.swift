/// What the host does after an event, in the order of the fields.
///
/// At most one order of each kind: a value without allocations that can be compared in tests.
public struct Effects: Hashable, Sendable {
  /// What becomes of the copy at hand.
  public enum SnapshotOrder: UInt8, Hashable, Sendable {
    /// Nothing.
    case none
    /// Put the body of this answer in place and tell the observers.
    case apply
    /// The copy is still right: move *verified*, tell nobody of a new copy (R16).
    case verify
    /// Drop the body of this answer: a better copy is kept (R20).
    case hold
    /// Remove the copy and tell the observers (R4).
    case clear
  }

  /// What observers see differently after the event.
  public struct Changes: OptionSet, Hashable, Sendable {
    /// The bits of the set.
    public let rawValue: UInt8

    /// Creates a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The body is another, or there is none any more.
    public static let snapshot = Changes(rawValue: 1)
    /// The failure is another, or there is none any more.
    public static let failure = Changes(rawValue: 2)
    /// The loading hint came or went (R25).
    public static let loading = Changes(rawValue: 4)
    /// The label says something else, its growing age apart (R26).
    public static let label = Changes(rawValue: 8)
  }

  /// The request to cancel; its answer, should it come, is superseded (R3).
  public var cancel: Ticket?
  /// What becomes of the copy at hand.
  public var snapshot: SnapshotOrder = .none
  /// What observers see differently.
  public var changes: Changes = []
  /// The request to send now.
  public var request: Request?
  /// What to do with the stream (R33).
  public var link: PushCommand?
  /// The only alarm: send ``Event/woke`` at this moment, forget any earlier alarm (R8).
  public var alarm: Moment?
  /// The sample of the request that ended, for the ring (R29).
  public var sample: Sample?
  /// What happened besides, for the counters (R30).
  public var notes: Notes = []

  /// Creates effects that order nothing.
  public init() {}

  /// Appends what a second event at the same moment brought.
  ///
  /// A request that was never sent is not cancelled either.
  mutating func append(_ later: Effects) {
    if let cancelled = later.cancel {
      if request?.ticket == cancelled {
        request = nil
      } else {
        cancel = cancelled
      }
    }
    if later.snapshot != .none { snapshot = later.snapshot }
    changes.formUnion(later.changes)
    if let asked = later.request { request = asked }
    if let order = later.link { link = order }
    alarm = later.alarm
    if let taken = later.sample { sample = taken }
    notes.formUnion(later.notes)
  }
}
