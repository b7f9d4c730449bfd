import Foundation
import JobsServer
import Logging
import ServiceLifecycle
import Serving
import StationboardServer
import Synchronization
import WorkspacesServer

extension BoardServer {
  /// Reads what the server needs to do what it was asked to.
  ///
  /// Boards are asked for if there is a timetable or a source of one, or if nothing else is served.
  func dependencies() async -> [DependencyReading] {
    // These may take a while; what is only looked up is newer than they are.
    async let ofWorkspaces = workspaces?.service.dependency()
    async let ofJobs = jobs?.dependency()
    let asked = [await ofWorkspaces, await ofJobs].compactMap(\.self)
    var readings: [DependencyReading] = []
    let isBoardServer =
      !store.feeds.isEmpty || realtime != nil || hasStaticSources
      || workspaces == nil && jobs == nil
    if isBoardServer {
      if store.feeds.isEmpty {
        let detail = store.failure ?? "no timetable serves; import one"
        readings.append(DependencyReading("timetable", .down, detail: detail, isRequired: true))
      } else {
        readings.append(
          DependencyReading(
            "timetable",
            store.failure == nil ? .ok : .degraded,
            detail: store.failure,
            isRequired: true
          )
        )
      }
      if let sharing = timetables?.sharing { readings.append(sharing.dependency) }
      readings += realtime?.dependencies ?? []
      if let history { readings.append(history.dependency) }
    }
    readings += asked
    if let certificate = listener.certificate { readings.append(certificate.dependency()) }
    return readings
  }
}

/// Says that the server is not ready, and lets it continue for a while: the first thing that happens at its end.
struct Draining: Service {
  let health: HealthService
  let limits: ShutdownLimits
  let logger: Logger

  func run() async throws {
    try? await gracefulShutdown()
    health.drain()
    guard limits.drainSeconds > 0 else { return }
    logger.notice("not ready any more; serving on", metadata: ["seconds": "\(limits.drainSeconds)"])
    // The task is canceled at the end of everything only.
    try? await Task.sleep(for: .seconds(limits.drainSeconds))
  }
}

/// Ends the process when requests that are under way at its end continue for too long.
final class LastResort: Service {
  private let limits: ShutdownLimits
  private let logger: Logger
  private let end: @Sendable () async -> Void
  private let waiting = Mutex<Task<Void, Never>?>(nil)

  /// Waits for the end.
  ///
  /// - Parameters:
  ///   - limits: How long requests have.
  ///   - logger: Says that they were cut off.
  ///   - end: Ends the process, and what would outlive it.
  init(limits: ShutdownLimits, logger: Logger, end: @escaping @Sendable () async -> Void) {
    self.limits = limits
    self.logger = logger
    self.end = end
  }

  func run() async throws {
    try? await gracefulShutdown()
    let (limits, logger, end) = (limits, logger, end)
    // Not a part of this service: it would be waited for.
    let task = Task.detached {
      guard (try? await Task.sleep(for: .seconds(limits.closeSeconds))) != nil else { return }
      logger.warning("requests were cut off: they took longer than the time for them at the end")
      await end()
    }
    waiting.withLock { $0 = task }
  }

  /// Stops waiting: the server has ended.
  func cancel() { waiting.withLock { $0 }?.cancel() }
}
