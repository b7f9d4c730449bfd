/// How far one server has read what leaders published, and what it reads next.
///
/// Positions are one sequence for all sources of a database, in the order of commits. A server applies publications in
/// that order (rule SR6): all that the database keeps, because what a board shows may depend on the publication before. A notification names a position; it may be lost,
/// so each check of a lease names the newest position as well (SR7).
///
/// The database removes publications that newer ones of their source replace. So a position counts as applied only when of each
/// source that is read the first publication is applied that the database still has: until then what it replaces is missing.
///
/// A value without a clock.
package struct PublicationCursor: Hashable, Sendable {
  /// What is compared of a publication.
  package struct Mark: Hashable, Sendable {
    /// Its place in the sequence.
    package var position: Int64
    /// The source.
    package var source: String
    /// The fence of the lease under which it was stored.
    package var fence: Int64
    /// Its id.
    package var id: Int64

    package init(position: Int64, source: String, fence: Int64, id: Int64 = 0) {
      self.position = position
      self.source = source
      self.fence = fence
      self.id = id
    }
  }

  /// Everything up to this position is applied, or replaced by something newer.
  package private(set) var complete: Int64 = 0
  private var announced: Int64 = 0
  /// What was announced when the read under way began.
  private var announcedBefore: Int64 = 0
  /// The first read is not announced by anything.
  private var hasGap = true
  private var isReading = false
  private var fences: [String: Int64] = [:]
  /// The newest position of each source that is applied.
  private var applied: [String: Int64] = [:]
  /// The sources of which something is missing that the database has removed, until something newer is applied.
  private var lacking: Set<String> = []

  /// Creates the state of a server that has read nothing.
  package init() {}

  /// Whether everything announced is applied.
  package var isCurrent: Bool { !hasGap && announced <= complete }

  /// Whether everything announced is applied, and no read is under way.
  package var isSettled: Bool { isCurrent && !isReading }

  /// Notes that there is a publication at a position.
  package mutating func noticed(_ position: Int64) { announced = max(announced, position) }

  /// Notes that announcements may have been lost.
  package mutating func missed() { hasGap = true }

  /// Begins to read, if there is something to read and no read is under way.
  ///
  /// - Returns: The position after which to read.
  package mutating func begin() -> Int64? {
    guard !isReading, !isCurrent else { return nil }
    isReading = true
    hasGap = false
    announcedBefore = announced
    return complete
  }

  /// Decides which publications of a read are applied, in order.
  ///
  /// - Parameters:
  ///   - marks: The publications after the position that ``begin()`` returned.
  ///   - end: The newest position at that instant.
  /// - Returns: Those to apply, by position, after which ``applied(upTo:)`` follows; `nil` if the numbers begin again, as in
  ///   a database that was restored: then everything is read again.
  package mutating func read(_ marks: [Mark], upTo end: Int64) -> [Mark]? {
    if end < max(complete, applied.values.max() ?? 0) {
      self = PublicationCursor()
      return nil
    }
    var chosen: [Mark] = []
    for mark in marks.sorted(by: { $0.position < $1.position }) {
      guard mark.position > max(complete, applied[mark.source, default: 0]),
        mark.fence >= fences[mark.source, default: 0]
      else { continue }
      fences[mark.source] = mark.fence
      chosen.append(mark)
      lacking.insert(mark.source)
    }
    lacking.formIntersection(chosen.map(\.source))
    return chosen
  }

  /// Notes that a publication of a read is applied, after those before it: if the read fails later, it is not applied again.
  package mutating func progressed(to mark: Mark) {
    applied[mark.source] = mark.position
    lacking.remove(mark.source)
    if lacking.isEmpty { complete = max(complete, mark.position) }
  }

  /// Notes that a publication of a read is no longer there, because newer ones have taken its place.
  package mutating func replaced(_ mark: Mark) { lacking.insert(mark.source) }

  /// Ends a read whose publications are applied.
  ///
  /// What was announced before the read is committed, so a position that the read did not find does not exist: the
  /// database was replaced, or the notification is forged.
  package mutating func applied(upTo end: Int64) {
    isReading = false
    guard lacking.isEmpty else {
      hasGap = true
      return
    }
    complete = max(complete, end)
    if announced == announcedBefore { announced = min(announced, complete) }
  }

  /// Ends a read that failed: it is repeated.
  package mutating func failed() {
    isReading = false
    hasGap = true
  }
}
