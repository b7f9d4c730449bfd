package import Jobs
import NIOCore
import StrictJSON

/// What a subscriber of a job receives.
package enum JobStreamUpdate: Sendable {
  /// The state: before the events that the subscriber missed, or instead of them.
  case status(JobRow, isRecovered: Bool)
  /// A stored event, and its bytes.
  case stored(JobEvent, [UInt8])
  /// An event, and the number of the first one that it replaces; its own if it replaces none.
  case event(JobEvent, covers: Int64)
  /// No event for a while, though the job continues.
  case alive(JobProgress)

  /// The event, if it is one.
  package var event: JobEvent? {
    switch self {
    case .stored(let event, _), .event(let event, _): event
    case .status, .alive: nil
    }
  }
}

/// One message for a subscriber.
struct SubscriberMessage: Sendable {
  /// The bytes, shared by all subscribers that get the same message.
  var bytes: ByteBuffer
  /// The last event that it includes; `nil` for a message that is not an event.
  var position: EventPosition?
  /// How many other events it replaces.
  var skipped = 0
}

/// Makes the messages of one job in the subscriber's version.
struct SubscriberMessages: Sendable {
  let store: any JobStore
  let recent: RecentMessages
  let writer: JobMessageWriter

  /// Returns the message for an update.
  ///
  /// - Parameter update: The update.
  /// - Returns: The message.
  /// - Throws: Errors of the store.
  func message(_ update: JobStreamUpdate) async throws -> SubscriberMessage {
    switch update {
    case .status(let job, let isRecovered):
      let bytes = writer.reconnected(job.snapshot(), isRecovered: isRecovered).bytes
      return SubscriberMessage(
        bytes: ByteBuffer(bytes: bytes),
        position: isRecovered ? nil : job.coveredPosition
      )
    case .stored(let event, let bytes) where writer.version == .newest:
      return SubscriberMessage(bytes: ByteBuffer(bytes: bytes), position: event.position)
    case .stored(let event, _): return try await message(event, covers: event.position.seq)
    case .event(let event, let covers): return try await message(event, covers: covers)
    case .alive(let progress):
      let bytes = writer.keepAlive(progress, at: store.now).bytes
      return SubscriberMessage(bytes: ByteBuffer(bytes: bytes))
    }
  }

  private func message(_ event: JobEvent, covers: Int64) async throws -> SubscriberMessage {
    let seq = event.position.seq
    let skipped = Int(seq - covers)
    let bytes =
      if skipped > 0 {
        try await encoded(event, covers)
      } else {
        try await recent.message(writer.job, seq, writer.version) { [self] in
          try await encoded(event, nil)
        }
      }
    return SubscriberMessage(bytes: bytes, position: event.position, skipped: skipped)
  }

  private func encoded(_ event: JobEvent, _ covers: Int64?) async throws -> ByteBuffer {
    var items: [JobItem] = []
    if event.isTerminal, writer.version == .v1 {
      items = try await store.items(writer.job, after: -1, limit: store.limits.embeddedItems)
    }
    return ByteBuffer(bytes: writer.message(event, items: items, covers: covers).bytes)
  }
}
