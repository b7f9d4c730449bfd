public import ConditionalHTTP
public import EventFeed
public import Freshness
public import HTTPTypes

/// A resource to keep fresh: how to request it, and how to read the responses.
///
/// Equal resources are one resource: any number of observers share its polling, its copy and its
/// diagnostics. A resource is a small value, such as a URL with its parameters.
///
/// ```swift
/// struct Motd: FreshResource {
///   var address: HTTPRequest
///   func request(since known: String?) -> HTTPRequest { address }
///   func read(_ answer: HTTPExchangeAnswer, since known: String?) -> Reading<String> {
///     Reading(String(decoding: answer.body, as: UTF8.self))
///   }
/// }
/// ```
public protocol FreshResource: Hashable, Sendable {
  /// The content of a body. Equal values count as no change (R16).
  associatedtype Value: Equatable & Sendable

  /// The constants of the resource; `nil` uses those of the client.
  var policy: Policy? { get }

  /// The requested subject as responses name it, such as a stop_id; used for recording only.
  var subject: String? { get }

  /// The tags of the resource, by which ``FreshnessClient/invalidate(tag:)`` finds it.
  var tags: Set<String> { get }

  /// Returns the request without validators. The client adds `If-None-Match`, `If-Modified-Since`,
  /// `Prefer`, `Cache-Control` and its credentials.
  ///
  /// - Parameter known: The copy that the response may refer to; `nil` if a complete response is
  ///   wanted. Servers that take the client's state as a parameter, such as `since_rt`, receive it
  ///   here. Resources without such a parameter ignore it.
  /// - Returns: The method, scheme, authority, path and fields.
  func request(since known: Value?) -> HTTPRequest

  /// Reads a 200 response.
  ///
  /// - Parameters:
  ///   - answer: The status, fields and body.
  ///   - known: The copy passed to ``request(since:)``, for responses that are differences.
  /// - Returns: The content of the body.
  /// - Throws: ``UnreadableAnswer``; the copy stays, and the failure has the reason (R21, R22).
  func read(
    _ answer: HTTPExchangeAnswer,
    since known: Value?
  ) throws(UnreadableAnswer) -> Reading<Value>

  /// Returns what the fields of a response without a body (304, 204) say about freshness.
  ///
  /// The client reads `Date`, `Age` and `Cache-Control`; implement this for custom fields.
  func metadata(of head: HTTPResponse) -> FreshnessMetadata?

  /// Returns what the fields of a response without a body (304, 204) say about the next change
  /// (R31).
  ///
  /// The client reads `Cache-Control`; implement this for custom fields, which take precedence one by
  /// one.
  func hints(of head: HTTPResponse) -> Hints?

  /// Returns the function that loads the resource, or `nil` if ``request(since:)`` is sent.
  ///
  /// The request is then the name of the resource in recorded samples and of its origin (R39).
  func loader() -> ResourceLoader<Value>?

  /// Returns the request that opens an event stream for the resource, or `nil` without one (R33).
  func eventStream() -> HTTPRequest?

  /// Whether the server replays missed events after `Last-Event-ID` (R33).
  ///
  /// If it does not, each opening is followed by one request.
  var replaysEvents: Bool { get }

  /// Reads an event of the stream.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - known: The current copy, for events that are differences.
  /// - Returns: What the event means for the copy.
  func read(_ event: ServerSentEvent, since known: Value?) -> StreamEvent<Value>
}

extension FreshResource {
  /// The client's policy.
  public var policy: Policy? { nil }

  /// No subject.
  public var subject: String? { nil }

  /// No tags.
  public var tags: Set<String> { [] }

  /// The request is sent.
  public func loader() -> ResourceLoader<Value>? { nil }

  /// No metadata besides the standard fields.
  public func metadata(of head: HTTPResponse) -> FreshnessMetadata? { nil }

  /// No hints besides `Cache-Control`.
  public func hints(of head: HTTPResponse) -> Hints? { nil }

  /// No stream.
  public func eventStream() -> HTTPRequest? { nil }

  /// No replay.
  public var replaysEvents: Bool { false }

  /// Treats every event as a notice that the copy is out of date.
  public func read(_ event: ServerSentEvent, since known: Value?) -> StreamEvent<Value> { .changed }
}

/// A decoded body.
public struct Reading<Value: Sendable>: Sendable {
  /// The content of the body.
  public var value: Value
  /// Whether it carries realtime data (R20).
  public var hasRealtime: Bool
  /// Whether it shows the effect of a local action (R13).
  public var fulfilsAction: Bool
  /// Whether a later request may refer to the copy by means other than validators, such as
  /// `since_rt`.
  public var canBeReferredTo: Bool
  /// What the watched resource is doing, if the body says so (R9).
  public var activity: Activity?
  /// What the body says about its freshness; `nil` uses the standard fields.
  public var metadata: FreshnessMetadata?
  /// What the body says about the next change; what it omits is taken from the fields.
  public var hints: Hints?
  /// The subject that the body names, such as a stop_id; used for recording only.
  public var subject: String?

  /// Creates a reading.
  public init(
    _ value: Value,
    hasRealtime: Bool = false,
    fulfilsAction: Bool = false,
    canBeReferredTo: Bool = false,
    activity: Activity? = nil,
    metadata: FreshnessMetadata? = nil,
    hints: Hints? = nil,
    subject: String? = nil
  ) {
    self.value = value
    self.subject = subject
    self.hasRealtime = hasRealtime
    self.fulfilsAction = fulfilsAction
    self.canBeReferredTo = canBeReferredTo
    self.activity = activity
    self.metadata = metadata
    self.hints = hints
  }
}

/// What an event of a stream means (R33).
public enum StreamEvent<Value: Sendable>: Sendable {
  /// A heartbeat: the stream is alive.
  case sign
  /// The copy is out of date and is requested.
  case changed
  /// A complete new copy.
  case delivered(Reading<Value>)
  /// Events were missed; the copy is requested.
  case gap
}

/// The reason why a body cannot be used.
public struct UnreadableAnswer: Error, Hashable, Sendable, CustomStringConvertible {
  /// A readable description of what is wrong and where.
  public var description: String

  /// Creates an error.
  public init(_ description: String) { self.description = description }
}
