import EventFeed
package import FreshResponses
package import NIOCore

/// What is sent to the client of a stream, and where that leads.
package struct StreamPart<Message: Sendable>: Sendable {
  /// What is sent, in order.
  package var messages: [Message]
  /// The state that a client has after them.
  package var state: RepresentationState
  /// Whether what follows can be sent at once.
  package var hasMore: Bool

  /// Creates a part.
  ///
  /// - Parameters:
  ///   - messages: What is sent, in order.
  ///   - state: The state that a client has after them.
  ///   - hasMore: Whether what follows can be sent at once.
  package init(_ messages: [Message], _ state: RepresentationState, hasMore: Bool = false) {
    self.messages = messages
    self.state = state
    self.hasMore = hasMore
  }
}

extension StreamPart<ByteBuffer> {
  /// Creates a part.
  ///
  /// - Parameters:
  ///   - bytes: One or more events of an event stream, complete; none if it is empty.
  ///   - state: The state that a client has after them.
  package init(_ bytes: ByteBuffer, _ state: RepresentationState) {
    self.init(bytes.readableBytes > 0 ? [bytes] : [], state)
  }
}

/// The resource of a stream is gone, and the stream ends.
package struct StreamResourceGone: Error {
  /// Creates the error.
  package init() {}
}

/// The events of one resource for one client, in the form of its contract.
///
/// ``state()`` is called first whenever the stream wakes; the other requirements may use what it found. Each of them may
/// throw ``StreamResourceGone``; any other error ends the stream too.
package protocol StreamSource: Sendable {
  /// What carries an event, or several: the bytes of an event stream, unless there are other transports.
  associatedtype Message: Sendable = ByteBuffer

  /// Whether ``changes(since:)`` can compute differences.
  var hasChanges: Bool { get }

  /// Whether newer publications of the same content are announced by ``verification()``.
  var verifies: Bool { get }

  /// Whether a position that is ahead may come from a replica.
  var hasReplicas: Bool { get }

  /// Returns the newest state, or `nil` before the first.
  mutating func state() async throws -> RepresentationState?

  /// Returns a sequence with an element now and one after each change; it may skip elements that are not yet read.
  func updates() -> AsyncStream<Void>

  /// Makes an event of the whole representation.
  ///
  /// - Parameter isReset: Whether an event before it gives up the position that the client has.
  /// - Returns: The events; `nil` if there is no representation yet.
  /// - Throws: Any error; it ends the stream.
  mutating func snapshot(afterReset isReset: Bool) async throws -> StreamPart<Message>?

  /// Returns the changes from the state with an id to a newer one; `nil` if they are not available.
  mutating func changes(since id: String) async throws -> StreamPart<Message>?

  /// Returns an event that says that the content is the same in a newer publication; `nil` if there is nothing to say.
  mutating func verification() async throws -> StreamPart<Message>?

  /// Returns what shows that the stream is alive; `nil` if there was something else that does.
  mutating func heartbeat() async throws -> Message?

  /// Returns what shows that the stream is alive while ``state()`` returns `nil`.
  mutating func absence() -> Message?
}

extension StreamSource {
  /// They are not announced.
  package var verifies: Bool { false }

  /// Nothing.
  package mutating func verification() async throws -> StreamPart<Message>? { nil }

  /// Nothing.
  package mutating func absence() -> Message? { nil }
}

extension StreamSource where Message == ByteBuffer {
  /// A comment.
  package mutating func absence() -> ByteBuffer? { ByteBuffer(string: ": no value yet\n\n") }
}

/// The events of a served resource: `snapshot`, its changes, `reset`, and comments as heartbeats.
struct ResourceStream<Resource: ServedResource>: StreamSource {
  private let resource: Resource
  private let most: Int
  private var newest: RepresentationState?

  /// Creates the events of a resource.
  ///
  /// - Parameters:
  ///   - resource: The resource.
  ///   - most: The most changes that are sent instead of a snapshot.
  init(_ resource: Resource, atMost most: Int) {
    self.resource = resource
    self.most = most
  }

  var hasChanges: Bool { resource.hasChanges }

  var hasReplicas: Bool { true }

  mutating func state() async throws -> RepresentationState? {
    newest = try await resource.state()
    return newest
  }

  func updates() -> AsyncStream<Void> { resource.updates() }

  mutating func snapshot(afterReset isReset: Bool) async throws -> StreamPart<ByteBuffer>? {
    guard let newest = try await resource.representation() else { return nil }
    var bytes = ByteBuffer()
    if isReset {
      bytes.writeBytes(
        try EventStreamItem.event(ServerSentEvent(type: "reset", data: "{}")).serialized()
      )
    }
    let event = ServerSentEvent(
      type: "snapshot",
      data: String(decoding: newest.body, as: UTF8.self),
      id: newest.state.id
    )
    bytes.writeBytes(try EventStreamItem.event(event).serialized())
    return StreamPart(bytes, newest.state)
  }

  mutating func changes(since id: String) async throws -> StreamPart<ByteBuffer>? {
    guard let newest, let number = EventNumber(id: id),
      let changes = try await resource.changes(since: number, atMost: most)
    else { return nil }
    var bytes = ByteBuffer()
    for change in changes {
      let event = ServerSentEvent(
        type: change.type,
        data: change.data,
        id: change.version.description
      )
      bytes.writeBytes(try EventStreamItem.event(event).serialized())
    }
    // Changes may lead further than the state that was read before them.
    var reached = newest
    reached.version = changes.last?.version ?? number
    reached.isFinal = newest.isFinal && reached.version == newest.version
    return StreamPart(bytes, reached)
  }

  mutating func heartbeat() -> ByteBuffer? { ByteBuffer(string: ": beat\n\n") }
}
