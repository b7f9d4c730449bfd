import Jobs
import Serving
import Synchronization
import TolerantDecoding

/// Counts what the jobs' part of a server does, for `/metrics`.
final class JobMetrics: Sendable {
  /// How listeners receive events.
  enum Transport: String, CaseIterable, Sendable {
    case webSocket = "websocket"
    case eventStream = "sse"
    case polling
  }

  /// The result of a request to start a job.
  enum Start: String, CaseIterable, Sendable {
    /// A new job was started.
    case started
    /// The job was started with the same key before.
    case repeated
    /// The request is invalid.
    case refused
    /// The server is at its limit.
    case busy
    /// Too many jobs were started lately.
    case limited
    /// The content arrived too slowly.
    case tooSlow = "too_slow"
  }

  private struct Counts {
    var starts: [Start: Int] = [:]
    var events: [String: Int] = [:]
    var endings: [String: Int] = [:]
    var listeners: [Transport: Int] = [:]
    var messages: [Transport: Int] = [:]
    var leftOut = 0
    var notices = 0
    var closes: [UInt16: Int] = [:]
    var gone = 0
    var lostLeases = 0
    var retries = 0
    var gaps = 0
  }

  private let counts = Mutex(Counts())

  /// An attempt at a job failed, and another one follows.
  func retried() { counts.withLock { $0.retries += 1 } }

  func started(_ start: Start) { counts.withLock { $0.starts[start, default: 0] += 1 } }

  /// An event was stored.
  func stored(_ event: JobEvent) {
    counts.withLock { counts in
      switch event.body {
      case .started: counts.events["started", default: 0] += 1
      case .progress: counts.events["progress", default: 0] += 1
      case .ended(let completion):
        counts.events["ended", default: 0] += 1
        counts.endings[completion.ending.rawValue, default: 0] += 1
      }
    }
  }

  func listens(_ transport: Transport, _ change: Int) {
    counts.withLock { $0.listeners[transport, default: 0] += change }
  }

  /// A message went to a listener.
  ///
  /// - Parameters:
  ///   - transport: The transport.
  ///   - skipped: How many further events it covers.
  func sent(_ transport: Transport, skipped: Int = 0) {
    counts.withLock { counts in
      counts.messages[transport, default: 0] += 1
      counts.leftOut += skipped
    }
  }

  func noticed() { counts.withLock { $0.notices += 1 } }

  func closed(_ code: JobCloseCode) {
    counts.withLock { $0.closes[code.rawValue, default: 0] += 1 }
  }

  /// Counts a request for a removed job.
  func missed() { counts.withLock { $0.gone += 1 } }

  /// Counts a job that another server took over from this one.
  func lostLease() { counts.withLock { $0.lostLeases += 1 } }

  /// Counts a gap in the announcements of a shared store.
  func missedAnnouncements() { counts.withLock { $0.gaps += 1 } }

  /// Writes the counts of a store that servers share.
  func writeShared(to metrics: inout MetricsText) {
    let counts = counts.withLock { $0 }
    metrics.add(
      "freshet_job_leases_lost_total",
      .counter,
      "Jobs that another server took over from this one",
      Double(counts.lostLeases)
    )
    metrics.add(
      "freshet_job_announcement_gaps_total",
      .counter,
      "How often announcements of the database began, or began again",
      Double(counts.gaps)
    )
  }

  /// Writes the counts.
  func write(to metrics: inout MetricsText) {
    let counts = counts.withLock { $0 }
    metrics.add(
      "freshet_job_starts_total",
      .counter,
      "Requests to start a job by what became of them",
      Start.allCases.map {
        (labels: [("outcome", $0.rawValue)], value: Double(counts.starts[$0] ?? 0))
      }
    )
    metrics.add(
      "freshet_job_events_total",
      .counter,
      "Events that were stored, by what happened",
      counts.events.sorted { $0.key < $1.key }
        .map { (labels: [("event", $0.key)], value: Double($0.value)) }
    )
    metrics.add(
      "freshet_job_endings_total",
      .counter,
      "Jobs that ended, by how",
      counts.endings.sorted { $0.key < $1.key }
        .map { (labels: [("ending", $0.key)], value: Double($0.value)) }
    )
    metrics.add(
      "freshet_job_listeners",
      .gauge,
      "Open streams of events",
      [Transport.webSocket, .eventStream].map {
        (labels: [("transport", $0.rawValue)], value: Double(counts.listeners[$0] ?? 0))
      }
    )
    metrics.add(
      "freshet_job_messages_total",
      .counter,
      "Messages sent to listeners",
      Transport.allCases.map {
        (labels: [("transport", $0.rawValue)], value: Double(counts.messages[$0] ?? 0))
      }
    )
    metrics.add(
      "freshet_job_events_left_out_total",
      .counter,
      "Events of progress that newer ones replaced, because a subscriber read slowly",
      Double(counts.leftOut)
    )
    metrics.add(
      "freshet_job_notices_total",
      .counter,
      "Messages of clients that were not understood",
      Double(counts.notices)
    )
    metrics.add(
      "freshet_job_socket_closes_total",
      .counter,
      "WebSockets that the server closed, by code",
      counts.closes.sorted { $0.key < $1.key }
        .map { (labels: [("code", String($0.key))], value: Double($0.value)) }
    )
    metrics.add(
      "freshet_job_retries_total",
      .counter,
      "Attempts at jobs that failed for a reason that passes, and were followed by another one",
      Double(counts.retries)
    )
    metrics.add(
      "freshet_job_gone_total",
      .counter,
      "Requests for results that were not kept any longer",
      Double(counts.gone)
    )
  }
}
