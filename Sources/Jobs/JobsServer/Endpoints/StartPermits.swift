import HTTPTypes
import Jobs
import Serving
import Synchronization

/// The allowance of a server.
final class StartPermits: Sendable {
  private let allowance: Mutex<StartAllowance>

  init(_ limits: JobLimits) { allowance = Mutex(StartAllowance(limits, now: .now)) }

  /// Takes a permit for a start.
  ///
  /// - Throws: ``Problem`` 429 if all permits are taken.
  func acquire(_ client: ClientNetwork?) throws {
    let wait: Duration
    let who: String
    switch allowance.withLock({ $0.acquire(client, now: .now) }) {
    case nil: return
    case .client(let time)?: (wait, who) = (time, "you start")
    case .all(let time)?: (wait, who) = (time, "all clients together start")
    }
    let seconds = max(1, Int((wait / .seconds(1)).rounded(.up)))
    throw JobProblem(
      .tooManyRequests,
      .tooManyStarts,
      "\(who) too many jobs; the next one in \(seconds) s",
      retryAfter: seconds
    ).problem
  }

  /// Gives a permit back with which nothing was started.
  func giveBack(_ client: ClientNetwork?) { allowance.withLock { $0.giveBack(client) } }
}
