import ConditionalHTTP
import GTFS
import GTFSRealtime
import PostgresSharing
import Serving
import Synchronization

// Of sources that servers share: what a leader publishes, and what all of them apply.
extension RealtimeFeeds {
  /// Which server polls a source, for `/api/status`; `nil` if servers do not share it.
  func leader(of view: SourceView, ofFeed prefix: String) -> StatusReport.SourceEntry.Leader? {
    let ofKind = sources.filter { $0.kind == view.kind && $0.prefix == prefix }
    guard view.number <= ofKind.count,
      let status = sharing?.status(of: ofKind[view.number - 1])
    else { return nil }
    if status.isLeader { return .thisServer }
    switch status.owner {
    case .another: return .another
    case .nobody, .thisServer: return .nobody
    case nil: return .unknown
    }
  }

  /// How a source fares here.
  func report(of source: RealtimeSource) -> SourceReport {
    guard let status = state.withLock({ $0[source.prefix]?.status(of: source) }) else {
      return SourceReport()
    }
    return SourceReport(
      polledAt: status.lastPollAt,
      answeredAt: status.lastSuccessAt,
      failure: status.failure,
      isOfContent: status.failureIsOfContent,
      refusal: status.refusal
    )
  }

  /// Notes how a source fares that another server polls.
  func note(_ report: SourceReport, of source: RealtimeSource) {
    let before = self.report(of: source)
    var after = report
    after.polledAt = report.polledAt ?? before.polledAt
    after.answeredAt = report.answeredAt ?? before.answeredAt
    guard after != before else { return }
    let isVisible =
      before.failure != after.failure || before.isOfContent != after.isOfContent
      || before.refusal != after.refusal
    change(source, isTick: isVisible) { [after] status, current in
      status.lastPollAt = after.polledAt
      status.lastSuccessAt = after.answeredAt
      status.failure = after.failure
      status.failureIsOfContent = after.isOfContent
      status.refusal = after.refusal
      if isVisible { current.changed(at: clock.now) }
    }
  }

  /// Notes that the status of a source is unknown, since the database does not answer.
  func noteAway(_ source: RealtimeSource) {
    var report = report(of: source)
    report.failure = "the database that shares the source cannot be reached"
    note(report, of: source)
  }

  /// Judges a feed, and publishes it if it is to be used.
  ///
  /// It is not put in place here: that happens when it is read back, as on the other servers. Its judgement counts only
  /// then, so that a feed that could not be published is judged again.
  func publish(
    _ bytes: FeedBytes,
    from source: RealtimeSource,
    under term: SharedTerm
  ) async -> Bool {
    let now = clock.now
    let absentAt = state.withLock { $0[source.prefix]?.status(of: source)?.absentAt }
    let judged = Mutex<DecodedFeed?>(nil)
    await BackgroundExecutor.apart {
      let accepted = self.accepted(bytes, from: source, at: now, .beforePublication)
      judged.withLock { $0 = accepted }
    }
    guard let decoded = judged.withLock({ $0 }) else { return true }
    let indexed = Task { await self.indexed(decoded, from: source, at: now) }
    return await term.sharing.publish(
      SharedPublication(
        id: .random(in: 1...Int64.max),
        fetchedAt: now,
        absentAt: absentAt,
        contentType: bytes.contentType,
        content: bytes.bytes
      ),
      indexed,
      term.driver,
      fence: term.fence,
      into: self
    )
  }

  /// Makes the index of a feed while it is stored, when this server has nothing else to do.
  private func indexed(
    _ decoded: DecodedFeed,
    from source: RealtimeSource,
    at now: Double
  ) async -> DecodedFeed {
    guard case .tripUpdates(let feed) = decoded.content else { return decoded }
    let made = Mutex<MadeIndex?>(nil)
    await BackgroundExecutor.apart {
      let index = self.index(feed, from: source, at: now).made
      made.withLock { $0 = index }
    }
    var decoded = decoded
    decoded.index = made.withLock { $0 }
    return decoded
  }

  /// Puts a publication in place.
  ///
  /// - Parameters:
  ///   - publication: The publication.
  ///   - decoded: What it decodes to, if this server published it.
  ///   - position: Its position among all publications.
  ///   - source: Where it is from.
  func apply(
    _ publication: SharedPublication,
    _ decoded: DecodedFeed? = nil,
    at position: Int64,
    from source: RealtimeSource
  ) async {
    let bytes = FeedBytes(
      bytes: publication.content,
      contentType: publication.contentType,
      digest: FeedDigest(publication.content),
      arrivedAt: publication.fetchedAt,
      position: position
    )
    await BackgroundExecutor.apart {
      self.change(source, isTick: false) { status, _ in
        status.absentAt = publication.absentAt
      }
      self.handle(bytes, from: source, decoded: decoded)
      self.rebuild(source.prefix)
    }
  }
}
