/// Judges every feed that arrives from one source against the one in use.
///
/// ```
/// arrival ──► broken? ──► differential? ──► same bytes? ──► older? ──► far smaller? ──► new
///               │              │                │             │            │
///            corrupt      differential         same       back-dated     shrunk
///                                                             └── believed when it repeats or stays ──► new
/// ```
///
/// A value without a clock. Invariants
/// 1. Only `new` changes the feed in use.
/// 2. A doubt (back-dated, shrunk) ends: by ``Policy/repeats`` publications that agree with each other,
///    or by ``Policy/patience`` since the first of them. A source that was set right, or really has little
///    to say, is believed within that time.
/// 3. A publication counts once, however often it is fetched.
/// 4. A broken answer ends no doubt and starts none.
package struct FeedSequence: Hashable, Sendable {
  /// When a doubt arises, and when it ends.
  package struct Policy: Hashable, Sendable {
    /// A feed with fewer entities than this share of those in use, in percent, is in doubt.
    package var leastPercent = 50
    /// A feed in use with fewer entities than this is too small to tell.
    package var leastEntities = 20
    /// How many publications in a row that agree end a doubt.
    package var repeats = 3
    /// How many seconds after its first publication a doubt ends in any case.
    package var patience: Int64 = 120
    /// How far, in seconds, the source's clock may be ahead before it is noted.
    package var futureTolerance: Int64 = 60

    /// Creates the standard policy.
    package init() {}
  }

  private struct Accepted: Hashable, Sendable {
    var digest: FeedDigest
    var timestamp: Int64?
    var entities: Int
  }

  private struct Doubt: Hashable, Sendable {
    var since: Int64
    var publications: Int
    var digest: FeedDigest
    var timestamp: Int64?
  }

  /// When a doubt arises, and when it ends.
  package let policy: Policy
  /// How many answers in a row were broken; 0 after any that was not.
  package private(set) var corruptRun = 0
  private var accepted: Accepted?
  private var backDating: Doubt?
  private var shrinking: Doubt?

  /// Creates a sequence in which nothing has arrived.
  package init(policy: Policy = Policy()) { self.policy = policy }

  /// Judges an arrival, and makes it the feed in use if the verdict is `new`.
  package mutating func judge(_ arrival: FeedResponse) -> FeedVerdict {
    switch arrival.content {
    case .broken(let error):
      corruptRun += 1
      return .corrupt(error)
    case .feed(let header, let entities):
      corruptRun = 0
      return judge(header, entities: entities, arrival)
    }
  }

  /// Makes an arrival the feed in use without judging it: another server has judged it.
  package mutating func accept(_ arrival: FeedResponse) {
    let before = accepted
    // Without a feed in use there is nothing to doubt.
    accepted = nil
    _ = judge(arrival)
    guard var now = accepted else {
      accepted = before
      return
    }
    now.timestamp = now.timestamp ?? before?.timestamp
    accepted = now
  }

  private mutating func judge(
    _ header: FeedHeader,
    entities: Int,
    _ arrival: FeedResponse
  ) -> FeedVerdict {
    if header.incrementality == .differential { return .differential }
    let timestamp = header.orderTime(
      arrivedAt: arrival.instant,
      futureTolerance: policy.futureTolerance
    )
    let isAhead = timestamp == nil && header.sourceTime(arrivedAt: arrival.instant) != nil
    var notes = header.notes(
      arrivedAt: arrival.instant,
      futureTolerance: policy.futureTolerance
    )
    if let inUse = accepted {
      if inUse.digest == arrival.digest {
        backDating = nil
        shrinking = nil
        return .same
      }
      if let timestamp, let before = inUse.timestamp {
        if timestamp < before {
          guard Self.isBelieved(&backDating, policy, arrival, timestamp, mustAdvance: true) else {
            return .backDated(seconds: before - timestamp)
          }
          notes.append(.acceptedBackDated(seconds: before - timestamp))
        } else if timestamp == before {
          notes.append(.sameTimestamp)
        }
      }
      if inUse.entities >= policy.leastEntities,
        entities * 100 < inUse.entities * policy.leastPercent
      {
        guard Self.isBelieved(&shrinking, policy, arrival, timestamp, mustAdvance: false) else {
          return .shrunk(from: inUse.entities, to: entities)
        }
        notes.append(.acceptedShrunk(from: inUse.entities, to: entities))
      }
    }
    accepted = Accepted(
      digest: arrival.digest,
      timestamp: timestamp ?? (isAhead ? arrival.instant : accepted?.timestamp),
      entities: entities
    )
    backDating = nil
    shrinking = nil
    return .new(notes)
  }

  /// Whether a doubt ends with this arrival.
  ///
  /// With `mustAdvance`, a publication agrees with the one before only if its timestamp does not go
  /// back again.
  private static func isBelieved(
    _ doubt: inout Doubt?,
    _ policy: Policy,
    _ arrival: FeedResponse,
    _ timestamp: Int64?,
    mustAdvance: Bool
  ) -> Bool {
    var now =
      doubt
      ?? Doubt(
        since: arrival.instant,
        publications: 0,
        digest: arrival.digest,
        timestamp: timestamp
      )
    if now.publications == 0 {
      now.publications = 1
    } else if now.digest != arrival.digest {
      let wentBack = (timestamp ?? .max) < (now.timestamp ?? .min)
      if mustAdvance, wentBack {
        now.since = arrival.instant
        now.publications = 1
      } else {
        now.publications += 1
      }
      now.digest = arrival.digest
      now.timestamp = timestamp
    }
    doubt = now
    return now.publications >= policy.repeats || arrival.instant - now.since >= policy.patience
  }
}
