/// The lease of something that one of several servers does for all, as one of them sees it: whether this server does it.
///
/// The database has a row for each lease with a fence, a beat and an owner. The fence counts the leases, the beat
/// their renewals. Only the server's own monotonic clock is read, and only for differences:
///
/// - A leader (rule SR1) may act until its last successful renewal, counted from when that was sent, is as
///   old as a lease. Without an answer it stops by itself (SR2).
/// - A follower takes the lease over (SR3) when it has seen the same fence and beat for as long as a lease, counted from
///   when it saw them first. It names both; the database refuses if one of them has changed. Renewal and take-over
///   therefore exclude each other, however late their statements arrive.
/// - A server that ends in order gives its lease back (SR4), and followers take it at once.
/// - A server without the database (SR5) does not act.
///
/// A value without a clock or a random source. Times are those of a clock that never goes back, from any origin.
package struct Lease: Hashable, Sendable {
  /// What a server does.
  package enum Role: Hashable, Sendable {
    /// Leaves it to another one.
    case following
    /// Acts, under a fence.
    case leading(fence: Int64)
    /// The server ends.
    case ended
  }

  /// The owner of a lease.
  package enum Owner: Hashable, Sendable {
    case nobody
    case thisServer
    case another
  }

  /// The row of a lease.
  package struct Row: Hashable, Sendable {
    /// Counts the leases.
    package var fence: Int64
    /// Counts the renewals of all leases.
    package var beat: Int64
    /// Whose lease it is.
    package var owner: Owner

    /// Creates a row.
    package init(fence: Int64, beat: Int64, owner: Owner) {
      self.fence = fence
      self.beat = beat
      self.owner = owner
    }
  }

  /// A statement about the row; each is answered with the row as it is afterwards.
  package enum Statement: Hashable, Sendable {
    /// Reads the row.
    case observe
    /// Makes this server the owner under the next fence if fence and beat are still these.
    case acquire(fence: Int64, beat: Int64)
    /// Counts the beat if this server is the owner under this fence.
    case renew(fence: Int64)
  }

  /// What happens to a lease.
  package enum Event: Hashable, Sendable {
    /// Time has passed; see ``Lease/wakesAt``.
    case woke
    /// A statement was answered with the row, and with whether it has counted the beat: a repeated statement finds what
    /// its first attempt has changed.
    case answered(number: Int, Row, hasCounted: Bool)
    /// A statement failed, or its answer was lost: it may have been carried out.
    case failed(number: Int)
    /// The database announced that the lease was given back.
    case freed
    /// This server ends.
    case ended
  }

  /// What the driver does.
  package enum Effect: Hashable, Sendable {
    /// Sends a statement, and answers with its number.
    case send(number: Int, Statement)
    /// Begins to act under a fence.
    case lead(fence: Int64)
    /// Stops acting at once.
    case stop
    /// Gives a lease back.
    case release(fence: Int64)
  }

  /// A statement under way.
  private struct Attempt: Hashable, Sendable {
    var number: Int
    var statement: Statement
    var sentAt: Duration
  }

  /// A row, and when it may be taken over if it stays as it is.
  private struct Observation: Hashable, Sendable {
    var row: Row
    var acquireAt: Duration
    /// Whether the lease is ours by an answer that was lost: then it is renewed first, once.
    var isUnconfirmed = false
  }

  package let limits: LeaseLimits
  /// What this server does.
  package private(set) var role = Role.following
  /// Whose lease it is, by the last answer; `nil` while the database does not answer.
  package private(set) var owner: Owner?
  /// Whether another owner was seen to be alive: its row has changed since this server saw it first.
  package private(set) var hasSeenRenewal = false
  private var leadsUntil = Duration.zero
  private var attempt: Attempt?
  private var attempts = 0
  private var observation: Observation?
  private var nextAt: Duration

  /// Creates the state of a server that knows nothing yet and checks at once.
  package init(_ limits: LeaseLimits = LeaseLimits(), at now: Duration) {
    self.limits = limits
    nextAt = now
  }

  /// When ``Event/woke`` is due.
  package var wakesAt: Duration {
    var at = attempt.map { $0.sentAt + limits.answerWithin } ?? nextAt
    if case .leading = role { at = min(at, leadsUntil) }
    return at
  }

  /// The fence under which this server may act; `nil` if it may not (SR2).
  package func fence(at now: Duration) -> Int64? {
    guard case .leading(let fence) = role, now < leadsUntil else { return nil }
    return fence
  }

  /// Applies an event.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - now: When it happens.
  ///   - sample: A random number of 0 to 1.
  /// - Returns: What to do, in order.
  package mutating func handle(_ event: Event, at now: Duration, sample: Double) -> [Effect] {
    if role == .ended { return leftOver(event) }
    var effects = expire(at: now)
    switch event {
    case .woke: break
    case .answered(let number, let row, let hasCounted):
      guard let attempt, attempt.number == number else { break }
      self.attempt = nil
      effects += answered(row, hasCounted ? attempt.sentAt : nil, at: now, sample)
    case .failed(let number):
      guard attempt?.number == number else { break }
      failed(at: now, sample)
    case .freed:
      // A row that was seen before the announcement is not the one that is free.
      nextAt = min(nextAt, now + limits.freeSpread * sample)
    case .ended:
      if case .leading(let fence) = role { effects += [.stop, .release(fence: fence)] }
      role = .ended
      return effects
    }
    if let attempt, now >= attempt.sentAt + limits.answerWithin { failed(at: now, sample) }
    if attempt == nil, now >= nextAt { effects.append(send(at: now)) }
    return effects
  }

  /// SR2: stops a leader whose lease has ended by its own clock.
  private mutating func expire(at now: Duration) -> [Effect] {
    guard case .leading = role, now >= leadsUntil else { return [] }
    role = .following
    // A server that could not renew in time lets others try.
    observation?.acquireAt = now + limits.duration
    return [.stop]
  }

  private mutating func failed(at now: Duration, _ sample: Double) {
    attempt = nil
    owner = nil
    observation?.isUnconfirmed = false
    nextAt = now + limits.retryEvery * (0.5 + sample / 2)
  }

  private mutating func send(at now: Duration) -> Effect {
    attempts += 1
    let statement = statement(at: now)
    attempt = Attempt(number: attempts, statement: statement, sentAt: now)
    return .send(number: attempts, statement)
  }

  private func statement(at now: Duration) -> Statement {
    if case .leading(let fence) = role { return .renew(fence: fence) }
    guard let observation else { return .observe }
    let row = observation.row
    if observation.isUnconfirmed { return .renew(fence: row.fence) }
    return now >= observation.acquireAt ? .acquire(fence: row.fence, beat: row.beat) : .observe
  }

  private mutating func answered(
    _ row: Row,
    _ countedAt: Duration?,
    at now: Duration,
    _ sample: Double
  ) -> [Effect] {
    owner = row.owner
    guard row.owner == .thisServer else { return observed(row, at: now, sample) }
    guard let countedAt else {
      // Granted to a statement whose answer was lost. When it was sent is unknown, so it is renewed first.
      guard observation?.row.fence != row.fence else { return observed(row, at: now, sample) }
      observation = Observation(row: row, acquireAt: now, isUnconfirmed: true)
      nextAt = now
      return []
    }
    let until = countedAt + limits.duration - limits.margin
    // A lease that was granted too late counts for this server as for others.
    guard now < until else { return observed(row, at: now, sample) }
    observation = Observation(row: row, acquireAt: now)
    nextAt = countedAt + limits.renewEvery
    let before = role
    role = .leading(fence: row.fence)
    leadsUntil = until
    if before == role { return [] }
    return before == .following ? [.lead(fence: row.fence)] : [.stop, .lead(fence: row.fence)]
  }

  /// Notes a lease under which this server does not lead.
  private mutating func observed(
    _ row: Row,
    at now: Duration,
    _ sample: Double
  ) -> [Effect] {
    var effects: [Effect] = []
    if case .leading = role {
      role = .following
      effects = [.stop]
    }
    let isKnown = observation?.row == row
    if !isKnown, observation != nil, row.owner == .another { hasSeenRenewal = true }
    if !isKnown {
      let wait = row.owner == .nobody ? .zero : limits.duration + limits.acquireSpread * sample
      observation = Observation(row: row, acquireAt: now + wait)
    }
    let acquireAt = observation?.acquireAt ?? now
    if isKnown, now >= acquireAt {
      // Refused or not tried yet; the next statement tries.
      nextAt = now
    } else {
      nextAt = min(now + limits.watchEvery, acquireAt)
    }
    return effects
  }

  /// After the end: gives back what was granted late (SR4).
  private mutating func leftOver(_ event: Event) -> [Effect] {
    guard case .answered(let number, let row, _) = event, attempt?.number == number else {
      return []
    }
    attempt = nil
    return row.owner == .thisServer ? [.release(fence: row.fence)] : []
  }
}
