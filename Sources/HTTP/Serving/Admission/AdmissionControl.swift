import Foundation
import FreshResponses
import HTTPTypes
import Synchronization

/// Admits the requests of a server by their clients, so that no client's requests run before those of another.
package final class AdmissionControl: Sendable {
  /// The queues of requests: those that use processors wait for each other, and not for those that wait for other programs.
  enum Pool: String, CaseIterable, Sendable {
    /// Requests that use a processor for as long as they run.
    case processor
    /// Requests that wait for programs, such as git, and their files.
    case programs
  }

  /// How many requests of one network wait for programs at once while others ask too.
  package static let programsOfNetwork = 8

  let limits: AdmissionLimits
  private let processor: AdmissionQueue
  private let programs: AdmissionQueue

  /// Creates the control.
  ///
  /// - Parameters:
  ///   - limits: The limits.
  ///   - processors: How many requests compute at the same time; one client leaves a processor to the others.
  package init(
    limits: AdmissionLimits = AdmissionLimits(),
    processors: Int = ProcessInfo.processInfo.activeProcessorCount
  ) {
    self.limits = limits
    processor = AdmissionQueue(
      .init(processors: processors, ofNetwork: processors - 1, ofAll: 2 * processors),
      limits: limits
    )
    let most = Self.programsOfNetwork
    programs = AdmissionQueue(
      .init(processors: 2 * most, ofNetwork: most, ofAll: 4 * most),
      limits: limits
    )
  }

  func queue(_ pool: Pool) -> AdmissionQueue {
    switch pool {
    case .processor: processor
    case .programs: programs
    }
  }

  /// A network and what it asked for in the last minute, for operators.
  package struct Client: Hashable, Sendable, Encodable {
    /// The address, or the network of IPv6.
    package var network: String
    /// The milliseconds of work.
    package var workMilliseconds: Int
    package var running: Int
    package var waiting: Int
  }

  /// The networks with most work in the last minute.
  package var clients: [Client] {
    var found: [String: Client] = [:]
    for pool in Pool.allCases {
      for entry in queue(pool).top(AdmissionLimits.shownNetworks) {
        var client =
          found[entry.network]
          ?? Client(network: entry.network, workMilliseconds: 0, running: 0, waiting: 0)
        client.workMilliseconds += Int(entry.work.rounded())
        client.running += entry.running
        client.waiting += entry.waiting
        found[entry.network] = client
      }
    }
    let sorted = found.values.sorted {
      ($1.workMilliseconds, $0.network) < ($0.workMilliseconds, $1.network)
    }
    return Array(sorted.prefix(AdmissionLimits.shownNetworks))
  }

  /// Writes measurements; no network is named in them.
  package func write(to metrics: inout MetricsText) {
    let pools = Pool.allCases.map { pool in
      let queue = queue(pool)
      let (counts, waits) = queue.counts
      return (pool: pool.rawValue, queue: queue, counts: counts, waits: waits)
    }
    metrics.add(
      "freshet_admission_requests_total",
      .counter,
      "Requests that were admitted, by pool and whether they waited for their turn",
      pools.flatMap { pool in
        [
          (
            labels: [("pool", pool.pool), ("waited", "no")],
            value: Double(pool.counts.admitted - pool.counts.waited)
          ),
          (labels: [("pool", pool.pool), ("waited", "yes")], value: Double(pool.counts.waited)),
        ]
      }
    )
    metrics.add(
      "freshet_admission_refused_total",
      .counter,
      "Requests that were refused, by pool and reason; share: 429, full: 503",
      pools.flatMap { pool in
        FairAdmission.Refusal.Reason.allCases.map { reason in
          (
            labels: [("pool", pool.pool), ("reason", reason.rawValue)],
            value: Double(pool.counts.refused[reason] ?? 0)
          )
        }
      }
    )
    metrics.add(
      "freshet_admission_work_seconds_total",
      .counter,
      "Measured cost of the requests that ran, by pool",
      pools.map { (labels: [("pool", $0.pool)], value: $0.counts.work / 1_000) }
    )
    metrics.add(
      "freshet_admission_networks",
      .gauge,
      "Client networks that are known, by pool",
      pools.map { (labels: [("pool", $0.pool)], value: Double($0.queue.known)) }
    )
    metrics.add(
      "freshet_admission_waiting",
      .gauge,
      "Requests that wait for their turn, by pool",
      pools.map { (labels: [("pool", $0.pool)], value: Double($0.queue.waiting)) }
    )
    metrics.add(
      "freshet_admission_oldest_waiting_seconds",
      .gauge,
      "How long the oldest request has waited for its turn, by pool; 0 if none waits",
      pools.map { (labels: [("pool", $0.pool)], value: $0.queue.oldestWait) }
    )
    metrics.addHistogram(
      "freshet_admission_wait_seconds",
      "Time that requests waited for their turn, of those that did, by pool",
      pools.map { (labels: [("pool", $0.pool)], histogram: $0.waits) }
    )
  }
}
