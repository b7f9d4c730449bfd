import EventFeed

/// The position of one client in an event stream, as a pure machine.
///
/// Nothing is queued for a client. Whenever it is ready to read, it gets the difference between its position and the
/// newest state, so a slow client gets fewer and newer events.
///
/// Invariants:
/// 1. The position never goes back within an epoch.
/// 2. What was sent leads from one position to the next without a gap, or begins again with a snapshot.
/// 3. A client whose position is unknown gets a reset before its snapshot, if events are differences.
/// 4. A stream ends when its client has the final state, and not before.
public struct StreamCursor: Hashable, Sendable {
  /// What woke the stream.
  public enum Signal: Hashable, Sendable {
    /// The resource may have changed.
    case change
    /// A heartbeat is due.
    case beat
  }

  /// What to send.
  public enum Action: Hashable, Sendable {
    /// Nothing.
    case none
    /// A comment, which shows that the stream is alive.
    case heartbeat
    /// The newest representation, after a `reset` if the client has a position that is given up.
    case snapshot(afterReset: Bool)
    /// The content is the same in a newer publication.
    case verification
    /// The changes after the state with an id; if they are not available, what ``giveUpPosition()`` says.
    case changes(since: String)
    /// Nothing, ever: the client has the final state.
    case end
  }

  /// The state that a client has, whose id is made only when it is needed.
  private struct Position: Hashable, Sendable {
    /// The number; `nil` if the id has none.
    let number: EventNumber?
    /// The id of a state without a number.
    private let text: String

    init(_ id: String) {
      number = EventNumber(id: id)
      text = number == nil ? id : ""
    }

    init(_ state: RepresentationState) {
      number = state.version
      text = number == nil ? state.id : ""
    }

    var id: String { number?.description ?? text }

    func isAt(_ state: RepresentationState) -> Bool {
      guard let version = state.version else { return id == state.id }
      return number == version
    }
  }

  /// Whether the client has the final state.
  public private(set) var hasEnded = false
  private var position: Position?
  private var sourceTime: Int64?
  private var publication: UInt64?
  private let verifies: Bool
  private let hasChanges: Bool
  private let hasReplicas: Bool

  /// Creates the cursor of a new stream.
  ///
  /// - Parameters:
  ///   - lastEventID: The id that the client sent; empty without one.
  ///   - hasChanges: Whether the resource can compute differences; if not, each event is a snapshot.
  ///   - verifies: Whether newer publications of the same content are announced, without the content.
  ///   - hasReplicas: Whether a position that is ahead may come from a replica; if not, it is unknown.
  public init(
    lastEventID: String = "",
    hasChanges: Bool,
    verifies: Bool = false,
    hasReplicas: Bool = true
  ) {
    self.verifies = verifies
    self.hasReplicas = hasReplicas
    position = lastEventID.isEmpty ? nil : Position(lastEventID)
    self.hasChanges = hasChanges
  }

  /// Returns what to send.
  ///
  /// - Parameters:
  ///   - signal: What woke the stream.
  ///   - newest: The newest state.
  /// - Returns: What to send; then call ``sent(_:)`` unless it is nothing, a heartbeat or the end.
  public func next(_ signal: Signal, newest: RepresentationState) -> Action {
    if hasEnded { return .end }
    let idle: Action = signal == .beat ? .heartbeat : .none
    guard let position else { return .snapshot(afterReset: false) }
    if position.isAt(newest) {
      if verifies, publication != newest.publication { return .verification }
      if newest.isFinal { return .end }
      if verifies { return idle }
      // The same content, made later: whole values are sent again, so that clients know their age.
      let isYounger = !hasChanges && sourceTime != nil && sourceTime != newest.sourceTime
      return isYounger ? .snapshot(afterReset: false) : idle
    }
    // Without numbers, only the resource knows whether it can compute the difference.
    guard let version = newest.version else {
      return hasChanges ? .changes(since: position.id) : .snapshot(afterReset: false)
    }
    guard let number = position.number, number.epoch == version.epoch else {
      return .snapshot(afterReset: hasChanges)
    }
    // This replica is behind the one that the client comes from.
    guard number.number < version.number else {
      return hasReplicas ? idle : giveUpPosition()
    }
    return hasChanges ? .changes(since: position.id) : .snapshot(afterReset: false)
  }

  /// Gives the position up, because the changes since are no longer available or too many.
  public func giveUpPosition() -> Action { .snapshot(afterReset: hasChanges) }

  /// Records that everything up to a state was sent.
  public mutating func sent(_ state: RepresentationState) {
    position = Position(state)
    sourceTime = state.sourceTime
    publication = state.publication
    hasEnded = state.isFinal
  }
}
