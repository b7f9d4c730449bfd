import ConditionalHTTP
import EventFeed
import FreshResponses
import Hummingbird
import NIOCore
import Serving

/// Writes the event stream of one client.
struct StreamFollower<Resource: ServedResource>: Sendable {
  let resource: Resource
  let name: String
  let serving: ResourceServing
  let lastEventID: String

  /// Writes events until the server shuts down; throws if the client is gone.
  @concurrent
  func follow(into writer: inout any ResponseBodyWriter) async throws {
    var cursor = StreamCursor(lastEventID: lastEventID, hasChanges: resource.hasChanges)
    try await write(.retry(milliseconds: serving.limits.streamRetryMilliseconds), to: &writer)
    // The first event is not news: it tells a new client what is there.
    var isFirst = true
    for await signal in signals() {
      guard let newest = try await resource.state() else {
        if signal == .beat { try await write(.comment(" no value yet"), to: &writer) }
        continue
      }
      switch cursor.next(signal, newest: newest) {
      case .none: break
      case .heartbeat: try await write(.comment(" beat"), to: &writer)
      case .snapshot(let afterReset):
        try await snapshot(afterReset, &cursor, isFirst, &writer)
      case .changes(let number):
        let changes = try await resource.changes(
          since: number,
          atMost: serving.limits.replayedChanges
        )
        guard let changes, let last = changes.last else {
          if changes == nil, case .snapshot(let afterReset) = cursor.giveUpPosition() {
            try await snapshot(afterReset, &cursor, isFirst, &writer)
          }
          break
        }
        for change in changes {
          let event = ServerSentEvent(
            type: change.type,
            data: change.data,
            id: change.version.description
          )
          try await write(.event(event), to: &writer)
        }
        // Changes may lead further than the state that was read before them.
        var reached = newest
        reached.version = last.version
        cursor.sent(reached)
        record(newest, isFirst)
      }
      isFirst = false
    }
  }

  @concurrent
  private func snapshot(
    _ afterReset: Bool,
    _ cursor: inout StreamCursor,
    _ isFirst: Bool,
    _ writer: inout any ResponseBodyWriter
  ) async throws {
    guard let newest = try await resource.representation() else { return }
    if afterReset {
      try await write(.event(ServerSentEvent(type: "reset", data: "{}")), to: &writer)
    }
    let event = ServerSentEvent(
      type: "snapshot",
      data: String(decoding: newest.body, as: UTF8.self),
      id: newest.state.id
    )
    try await write(.event(event), to: &writer)
    cursor.sent(newest.state)
    record(newest.state, isFirst)
  }

  private func record(_ state: RepresentationState, _ isFirst: Bool) {
    let now = serving.clock()
    serving.record(
      ServingSample(
        resource: name,
        kind: .event,
        status: 200,
        latency: nil,
        wait: nil,
        age: state.age(at: now).map { Double($0) / 1_000 },
        lag: isFirst ? nil : state.changedAt.map { Double(max(0, now - $0)) / 1_000 }
      )
    )
  }

  @concurrent
  private func write(
    _ item: EventStreamItem,
    to writer: inout any ResponseBodyWriter
  ) async throws {
    try await writer.write(ByteBuffer(bytes: item.serialized()))
  }

  /// A signal now, one after each change, and heartbeats; ends when the server shuts down.
  private func signals() -> AsyncStream<StreamCursor.Signal> {
    let serving = serving
    return Waiting.signals(
      of: resource.updates,
      heartbeat: .seconds(serving.limits.heartbeatSeconds),
      closing: { await serving.untilClosed() }
    )
  }
}
