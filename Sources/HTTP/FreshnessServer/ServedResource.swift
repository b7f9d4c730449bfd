import ConditionalHTTP
public import EventFeed
public import FreshResponses
package import HTTPTypes

/// The newest representation of a resource.
public struct Representation: Sendable {
  /// What is known of it without the body.
  public var state: RepresentationState
  /// The media type of the body.
  public var mediaType: String
  /// The body.
  public var body: [UInt8]
  /// Further fields of the body, such as its disposition.
  package var fields: HTTPFields = [:]

  /// Creates a representation.
  ///
  /// - Parameters:
  ///   - state: What is known of it without the body.
  ///   - mediaType: The media type of the body.
  ///   - body: The body.
  public init(
    state: RepresentationState,
    mediaType: String = "application/json; charset=utf-8",
    body: [UInt8]
  ) {
    self.state = state
    self.mediaType = mediaType
    self.body = body
  }
}

/// A change of a resource, as an event of its stream.
public struct ResourceChange: Sendable {
  /// The number of the state to which the change leads.
  public var version: EventNumber
  /// The type of the event.
  public var type: String
  /// The data: text of any number of lines.
  public var data: String

  /// Creates a change.
  ///
  /// - Parameters:
  ///   - version: The number of the state to which the change leads.
  ///   - type: The type of the event; not `snapshot` or `reset`.
  ///   - data: The data.
  public init(version: EventNumber, type: String = "change", data: String) {
    self.version = version
    self.type = type
    self.data = data
  }
}

/// A resource that a server keeps fresh for its clients.
///
/// ``state()`` is called for every read and after every change, so it should be cheap. The body is made only if a client
/// does not have it.
public protocol ServedResource: Sendable {
  /// Whether ``changes(since:atMost:)`` can compute differences; if not, each event of a stream is a whole representation.
  var hasChanges: Bool { get }

  /// Returns the newest state; `nil` if there is no representation yet, which clients read as 503.
  func state() async throws -> RepresentationState?

  /// Returns the newest representation, whose state and body belong together; `nil` before the first.
  func representation() async throws -> Representation?

  /// Returns a sequence with an element now and one after each change; it may skip elements that are not yet read.
  func updates() -> AsyncStream<Void>

  /// Returns the changes from a state to the newest one.
  ///
  /// - Parameters:
  ///   - number: The state that the client has.
  ///   - most: The most changes that are wanted.
  /// - Returns: The changes, oldest first; `nil` if they are not available or more than `most`.
  /// - Throws: Any error; it ends the stream.
  func changes(since number: EventNumber, atMost most: Int) async throws -> [ResourceChange]?
}

extension ServedResource {
  /// No differences.
  public var hasChanges: Bool { false }

  /// No differences.
  public func changes(since number: EventNumber, atMost most: Int) async throws -> [ResourceChange]?
  { nil }
}

/// A resource that clients may replace.
public protocol WritableResource: ServedResource {
  /// Replaces the content if the conditions hold; comparing and replacing must be one step.
  ///
  /// - Parameters:
  ///   - body: The new content.
  ///   - conditions: The conditions of the request.
  /// - Returns: The outcome of the write.
  /// - Throws: Any error; the application answers it.
  func write(_ body: [UInt8], if conditions: WriteConditions) async throws -> WriteResult
}

/// The outcome of a write.
public enum WriteResult: Sendable {
  /// The content was replaced; the new state.
  case written(RepresentationState)
  /// The conditions do not hold for the current state; `nil` without a state.
  case refused(WriteConditions.Verdict, current: RepresentationState?)
  /// The content is not acceptable: what is wrong, where, and what was expected.
  case unacceptable(String)
}
