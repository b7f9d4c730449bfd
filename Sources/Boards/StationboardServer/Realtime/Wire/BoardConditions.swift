import ConditionalHTTP
import FreshResponses
import HTTPTypes

/// A client's copy, and the kind of response it wants if the copy is still valid.
struct BoardConditions {
  /// A client's copy that is right.
  struct Unchanged {
    /// 304 or 204.
    var status: HTTPResponse.Status
    /// The client's copy.
    var edition: RenderedBoard
    /// The realtime data at that instant.
    var snapshot: RealtimeSnapshot
    /// The tag as the client has it, if it has one.
    var tag: String?
  }

  private let ifNoneMatch: String?
  private let since: Double?
  /// The source time of what the client has seen, whether or not it still has the board.
  private let seen: Double?
  /// How long the answer may be held back until something changes, in seconds (RFC 7240).
  let wait: Int64?

  /// Reads the conditions of a request.
  ///
  /// `If-None-Match` comes before `since_rt` (RFC 9110 section 13.2.2, for conditions of one's own).
  init(_ request: BoardRequest, _ fields: HTTPFields) {
    ifNoneMatch = fields[.ifNoneMatch]
    since = request.hasBoard ? request.since : nil
    seen = request.since
    // Most requests do not want to wait: their tags are not read here.
    wait =
      fields[.prefer] == nil
      ? nil
      : ReadConditions(fields: fields, since: since.map { String($0) })
        .grantedWait(longest: BoardBudget.longestWait)
  }

  /// Compares the client's copy with the current board; `nil` if the client needs a new board.
  func unchanged(
    _ request: BoardRequest,
    _ plan: BoardPlan,
    _ desk: BoardRenderer,
    at now: Double
  ) -> Unchanged? {
    guard ifNoneMatch != nil || since != nil, request.instant == nil, !request.isDebug else {
      return nil
    }
    let snapshot = desk.snapshot(of: request.stop.feed)
    let edition = desk.edition(
      request,
      phases: plan.phases,
      at: now,
      snapshot: snapshot,
      isForComparison: true
    )
    if let ifNoneMatch {
      let text = plan.entityTag(of: edition, isCopy: false)
      guard let tag = Self.matching(text, ifNoneMatch, isShared: snapshot.position != nil) else {
        return nil
      }
      return Unchanged(status: .notModified, edition: edition, snapshot: snapshot, tag: tag)
    }
    let source = snapshot.trips.sourceTime
    // One clock and an exact token: the client has this publication, and since then the board has looked
    // the same.
    guard let since, let source, isToken(since, source, snapshot, desk), edition.status.isFresh,
      desk.since(edition, request, phases: plan.phases, snapshot: snapshot) <= max(since, source)
    else { return nil }
    return Unchanged(status: .noContent, edition: edition, snapshot: snapshot)
  }

  /// The tag of a client that is right, as the client has it.
  private static func matching(_ text: String, _ field: String, isShared: Bool) -> String? {
    // Nearly always the field is one tag, as it was given: nothing has to be read.
    if field == text { return text }
    if isShared,
      let match = SharedTag.tags(ifNoneMatch: field).first(where: { $0.shared.plain == text })
    {
      return match.given.description
    }
    return EntityTag(parsing: text).flatMap { $0.matches(ifNoneMatch: field) ? text : nil }
  }

  /// Whether this server has everything that the client has seen (rule SR8).
  ///
  /// - Parameters:
  ///   - sharing: What servers share.
  ///   - snapshot: The realtime data of the board.
  ///   - desk: The renderer of the board.
  ///   - now: The service clock.
  /// - Returns: Whether nothing that the client has seen is missing.
  func isCaughtUp(
    _ sharing: RealtimeSharing,
    _ snapshot: RealtimeSnapshot,
    _ desk: BoardRenderer,
    at now: Double
  ) -> Bool {
    // For a moment after an import there are boards, and nothing on them of what is known of their publications.
    if snapshot.isOfAnotherTimetable, ifNoneMatch != nil || seen != nil { return false }
    if let ifNoneMatch {
      let position = SharedTag.tags(ifNoneMatch: ifNoneMatch).compactMap(\.shared.position).max()
      if let position, position > sharing.complete { return false }
    }
    // A token from the future was given by nobody.
    if let seen, snapshot.trips.isConfigured, seen <= now + SourceStatus.clockDifference {
      var known = snapshot.trips.sourceTime ?? 0
      if desk.additions.contains(.arrivalTokens) {
        known = max(known, snapshot.trips.fetchedAt ?? 0)
      }
      if (seen * 1_000).rounded() > (known * 1_000).rounded() { return false }
    }
    return true
  }

  /// Whether an instant names the publication.
  ///
  /// It is the instant when its source made it or, where a client may say so, when it was
  /// fetched. Either is the instant of one publication alone.
  private func isToken(
    _ since: Double,
    _ source: Double,
    _ snapshot: RealtimeSnapshot,
    _ desk: BoardRenderer
  ) -> Bool {
    func names(_ instant: Double?) -> Bool {
      instant.map { ($0 * 1_000).rounded(.down) == (since * 1_000).rounded() } ?? false
    }
    return names(source)
      || desk.additions.contains(.arrivalTokens) && names(snapshot.trips.fetchedAt)
  }
}
