import Jobs
import Logging

/// Sends the events of a shared store to the subscribers of this server, whichever server stored them.
///
/// Events of a job are read in order, after the last one that was sent. So one that could not be read, or was announced
/// without listeners, is sent with the next one, or when announcements continue.
actor JobRelay {
  /// The most events of a job that are read at once.
  private static let batch = 1_000

  private let store: any JobStore
  private let broadcaster: JobEventBroadcaster
  private let logger: Logger

  init(store: any JobStore, broadcaster: JobEventBroadcaster, logger: Logger) {
    self.store = store
    self.broadcaster = broadcaster
    self.logger = logger
  }

  /// Sends what was stored up to an event.
  func send(_ job: String, upTo seq: Int64) async {
    if let read = broadcaster.relaying({ $0.announced(job, seq) }) { await send(read) }
  }

  /// Sends what was stored while nothing was announced.
  func catchUp() async {
    for read in broadcaster.relaying({ $0.missed() }) { await send(read) }
  }

  /// Tries again what could not be read.
  func retry() async {
    for read in broadcaster.relaying({ $0.retry() }) { await send(read) }
  }

  private func send(_ read: RelayPositions.Read) async {
    let job = read.job
    var last = read.after
    do {
      while true {
        let stored = try await store.messages(job, after: last, limit: Self.batch)
        for bytes in stored {
          guard let event = StoredEvent.event(bytes) else { continue }
          broadcaster.relay(event, of: job)
          last = event.position.seq
        }
        if stored.count < Self.batch { return }
      }
    } catch {
      broadcaster.relaying { $0.failed() }
      logger.warning(
        "events cannot be read for their subscribers",
        metadata: ["job": "\(job)", "error": "\(error)"]
      )
    }
  }
}
