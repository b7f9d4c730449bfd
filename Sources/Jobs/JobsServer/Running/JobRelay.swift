import Jobs
import Logging

/// Sends the events of a shared store to the subscribers of this server, whichever server stored them.
///
/// Events of a job are read in order, after the last one that was sent. So one that could not be read, or was announced
/// without listeners, is sent with the next one, or when announcements go on.
actor JobRelay {
  /// The most events of a job that are read at once.
  private static let batch = 1_000

  private let store: any JobStore
  private let hub: JobEventBroadcaster
  private let logger: Logger
  /// Whether something could not be read.
  private var isBehind = false

  init(store: any JobStore, hub: JobEventBroadcaster, logger: Logger) {
    self.store = store
    self.hub = hub
    self.logger = logger
  }

  /// Sends what was stored up to an event.
  func send(_ job: String, upTo seq: Int64) async {
    // Subscribers read what was stored before they subscribed.
    guard let relayed = hub.lastRelayed(of: job), relayed.map({ $0 < seq }) ?? true else { return }
    // If it cannot be read now, the next one brings it.
    hub.startRelay(of: job, after: seq - 1)
    await send(job, after: relayed ?? seq - 1)
  }

  /// Sends what was stored while nothing was announced.
  func catchUp() async {
    isBehind = false
    let followed = hub.followed
    // What is announced next is sent after what was missed, also if that cannot be read now.
    for (job, relayed) in followed { hub.startRelay(of: job, after: relayed ?? 0) }
    for (job, relayed) in followed { await send(job, after: relayed ?? 0) }
  }

  /// Tries again what could not be read.
  func retry() async {
    if isBehind { await catchUp() }
  }

  private func send(_ job: String, after seq: Int64) async {
    var last = seq
    do {
      while true {
        let stored = try await store.messages(job, after: last, limit: Self.batch)
        for bytes in stored {
          guard let event = StoredEvent.event(bytes) else { continue }
          hub.relay(event, of: job)
          last = event.position.seq
        }
        if stored.count < Self.batch { return }
      }
    } catch {
      isBehind = true
      logger.warning(
        "events cannot be read for their subscribers",
        metadata: ["job": "\(job)", "error": "\(error)"]
      )
    }
  }
}
