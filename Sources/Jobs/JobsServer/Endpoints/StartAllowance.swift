import Jobs
import Serving

/// How many jobs may be started in a time: by each client, and by all.
///
/// It remembers only clients that started something lately; how many these are is bounded by what all may start.
struct StartAllowance: Sendable {
  /// The account that has no permit left.
  enum Shortage: Hashable, Sendable {
    /// The client, for so long.
    case client(Duration)
    /// All together, for so long.
    case all(Duration)
  }

  /// The number of remembered clients beyond which idle ones are removed.
  private static let fewClients = 64

  private let limits: JobLimits
  private var all: TokenBucket
  private var clients: [ClientNetwork: TokenBucket] = [:]
  private var mostClients = fewClients

  init(_ limits: JobLimits, now: ContinuousClock.Instant) {
    self.limits = limits
    all = TokenBucket(most: limits.startsAtOnce, perMinute: limits.startsPerMinute, now: now)
  }

  /// How many clients are remembered.
  var remembered: Int { clients.count }

  /// Takes a permit.
  ///
  /// - Parameters:
  ///   - client: The client; `nil` if clients cannot be told apart.
  ///   - now: The current instant.
  /// - Returns: What is missing; `nil` if a permit was taken.
  mutating func acquire(_ client: ClientNetwork?, now: ContinuousClock.Instant) -> Shortage? {
    if let client {
      var bucket = clients[client] ?? full(now)
      if let wait = bucket.wait(now: now) {
        clients[client] = bucket
        return .client(wait)
      }
      if let wait = all.wait(now: now) { return .all(wait) }
      bucket.acquire()
      clients[client] = bucket
      forget(now)
    } else if let wait = all.wait(now: now) {
      return .all(wait)
    }
    all.acquire()
    return nil
  }

  /// Gives a permit back that was taken and not used.
  mutating func giveBack(_ client: ClientNetwork?) {
    all.giveBack()
    if let client { clients[client]?.giveBack() }
  }

  private func full(_ now: ContinuousClock.Instant) -> TokenBucket {
    TokenBucket(
      most: limits.startsAtOnceOfClient,
      perMinute: limits.startsPerMinuteOfClient,
      now: now
    )
  }

  /// Periodically forgets clients whose state is no longer needed.
  private mutating func forget(_ now: ContinuousClock.Instant) {
    guard clients.count > mostClients else { return }
    for (client, bucket) in clients {
      var bucket = bucket
      if bucket.isFull(now: now) { clients[client] = nil }
    }
    mostClients = max(Self.fewClients, clients.count * 2)
  }
}
