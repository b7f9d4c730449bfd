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
    var board: CurrentBoard
    /// The tag of the response: as the client has it, if it has one, because a cache updates the response with that tag.
    var tag: String
  }

  private let ifNoneMatch: String?
  private let since: Double?
  /// The source time of what the client has seen, whether or not it still has the board.
  private let instant: Double?
  /// How long the answer may be held back until something changes, in seconds (RFC 7240).
  let wait: Int64?

  /// Reads the conditions of a request.
  ///
  /// `If-None-Match` comes before `since_rt` (RFC 9110 section 13.2.2, for conditions of one's own).
  init(_ request: BoardRequest, _ fields: HTTPFields) {
    ifNoneMatch = fields.value(of: .ifNoneMatch)
    since = request.hasBoard ? request.since : nil
    instant = request.since
    // Most requests do not want to wait: their tags are not read here.
    wait =
      !fields.contains(.prefer)
      ? nil
      : ReadConditions(fields: fields, since: since.map { String($0) })
        .grantedWait(longest: BoardBudget.longestWait)
  }

  /// Whether a client may be told that it has the board of a request.
  func allowComparison(_ request: BoardRequest) -> Bool {
    (ifNoneMatch != nil || since != nil) && request.instant == nil && !request.isDebug
  }

  /// Compares the client's copy with the current board.
  ///
  /// - Parameters:
  ///   - board: The current board, made for comparison.
  ///   - plan: What the board is made of.
  ///   - renderer: Finds out when the board last changed.
  /// - Returns: The response; `nil` if the client needs a new board.
  func unchanged(
    _ board: CurrentBoard,
    _ plan: BoardPlan,
    _ renderer: BoardRenderer
  ) -> Unchanged? {
    let renderedBoard = board.renderedBoard
    let snapshot = board.snapshot
    if let ifNoneMatch {
      if ifNoneMatch == board.entityTag {
        return Unchanged(status: .notModified, board: board, tag: ifNoneMatch)
      }
      let text = plan.entityTag(of: renderedBoard, isCopy: false)
      guard let tag = Self.matching(text, ifNoneMatch, isShared: snapshot.position != nil) else {
        return nil
      }
      return Unchanged(status: .notModified, board: board, tag: tag)
    }
    let source = snapshot.trips.sourceTime
    // One clock and an exact token: the client has this publication, and since then the board has looked
    // the same.
    guard let since, let source, isToken(since, source, snapshot, renderer),
      renderedBoard.status.isFresh,
      renderer.since(renderedBoard, board.request, phases: board.phases, snapshot: snapshot)
        <= max(since, source)
    else { return nil }
    return Unchanged(status: .noContent, board: board, tag: board.entityTag)
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

  /// What the client has seen.
  var seen: SeenRealtime {
    let tags = ifNoneMatch.map { SharedTag.tags(ifNoneMatch: $0) } ?? []
    return SeenRealtime(position: tags.compactMap(\.shared.position).max(), instant: instant)
  }

  /// Whether an instant names the publication.
  ///
  /// It is the instant when its source made it or, where a client may say so, when it was
  /// fetched. Either is the instant of one publication alone.
  private func isToken(
    _ since: Double,
    _ source: Double,
    _ snapshot: RealtimeSnapshot,
    _ renderer: BoardRenderer
  ) -> Bool {
    func names(_ instant: Double?) -> Bool {
      instant.map { Double(InstantText.milliseconds(of: $0)) == (since * 1_000).rounded() } ?? false
    }
    return names(source)
      || renderer.additions.contains(.arrivalTokens) && names(snapshot.trips.fetchedAt)
  }
}
