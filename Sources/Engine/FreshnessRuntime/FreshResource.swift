public import ConditionalHTTP
public import EventFeed
public import Freshness
public import HTTPTypes

/// Something that can be kept fresh: what to ask for, and how to read the answers.
///
/// Equal resources are one resource: any number of observers share its polling, its copy and its
/// diagnostics. The resource itself is a small value, such as an address with its parameters.
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
  /// What a body says once it is read. Equal values are no change (R16).
  associatedtype Value: Equatable & Sendable

  /// The constants of the resource; nothing leaves them to the client.
  var policy: Policy? { get }

  /// What is asked for, in the words in which an answer names it, such as a stop_id; recorded only.
  var subject: String? { get }

  /// The question, without validators: the client adds `If-None-Match`, `If-Modified-Since`,
  /// `Prefer`, `Cache-Control` and its credentials.
  ///
  /// - Parameter known: The copy the answer may refer to; nothing when a whole answer is wanted. A
  ///   server that takes the state of the client as a parameter, such as `since_rt`, is given it
  ///   here. A resource without such a parameter ignores it.
  /// - Returns: Method, scheme, authority, path and fields.
  func request(since known: Value?) -> HTTPRequest

  /// Reads a 200.
  ///
  /// - Parameters:
  ///   - answer: Status, fields and body.
  ///   - known: The copy that ``request(since:)`` was given, for answers that are differences.
  /// - Returns: What the body says.
  /// - Throws: ``UnreadableAnswer``; the copy stays and the failure says why (R21, R22).
  func read(
    _ answer: HTTPExchangeAnswer,
    since known: Value?
  ) throws(UnreadableAnswer) -> Reading<Value>

  /// Reads what the fields of an answer without a body (304, 204) say of freshness.
  ///
  /// `Date`, `Age` and `Cache-Control` are read by the client; this is for fields of one's own.
  func marks(of head: HTTPResponse) -> FreshnessMetadata?

  /// Reads what the fields of an answer without a body (304, 204) say of the next change (R31).
  ///
  /// `Cache-Control` is read by the client; this is for fields of one's own, which beat it.
  func hints(of head: HTTPResponse) -> Hints?

  /// The request that opens a stream of news about the resource; nothing if there is none (R33).
  func news() -> HTTPRequest?

  /// Whether the server of the stream replays what was missed after `Last-Event-ID` (R33).
  ///
  /// Where it does not, each opening is followed by one request.
  var replaysNews: Bool { get }

  /// Reads an event of the stream.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - known: The copy at hand, for events that are differences.
  /// - Returns: What the event means for the copy.
  func read(_ event: ServerSentEvent, since known: Value?) -> StreamEvent<Value>
}

extension FreshResource {
  /// The client's policy.
  public var policy: Policy? { nil }

  /// Nothing an answer would name.
  public var subject: String? { nil }

  /// Nothing beside the standard fields.
  public func marks(of head: HTTPResponse) -> FreshnessMetadata? { nil }

  /// Nothing beside `Cache-Control`.
  public func hints(of head: HTTPResponse) -> Hints? { nil }

  /// No stream.
  public func news() -> HTTPRequest? { nil }

  /// No replay.
  public var replaysNews: Bool { false }

  /// Any event says that the copy is out of date.
  public func read(_ event: ServerSentEvent, since known: Value?) -> StreamEvent<Value> { .changed }
}

/// A body that was read.
public struct Reading<Value: Sendable>: Sendable {
  /// What the body says.
  public var value: Value
  /// Whether it carries realtime data (R20).
  public var hasRealtime: Bool
  /// Whether it shows the effect that a local action was waiting for (R13).
  public var fulfilsAction: Bool
  /// Whether a later request may refer to the copy by other means than validators, as with
  /// `since_rt`.
  public var canBeReferredTo: Bool
  /// What the watched thing is doing, if the body tells (R9).
  public var activity: Activity?
  /// What the body says of its freshness; nothing leaves it to the standard fields.
  public var marks: FreshnessMetadata?
  /// What the body says of the next change; nothing leaves it to `Cache-Control`.
  public var hints: Hints?
  /// What the body says it is about, such as a stop_id; recorded only.
  public var subject: String?

  /// Creates a reading.
  public init(
    _ value: Value,
    hasRealtime: Bool = false,
    fulfilsAction: Bool = false,
    canBeReferredTo: Bool = false,
    activity: Activity? = nil,
    marks: FreshnessMetadata? = nil,
    hints: Hints? = nil,
    subject: String? = nil
  ) {
    self.value = value
    self.subject = subject
    self.hasRealtime = hasRealtime
    self.fulfilsAction = fulfilsAction
    self.canBeReferredTo = canBeReferredTo
    self.activity = activity
    self.marks = marks
    self.hints = hints
  }
}

/// What an event of a stream means (R33).
public enum StreamEvent<Value: Sendable>: Sendable {
  /// Nothing but that the stream is alive.
  case sign
  /// The copy is out of date: it is asked for.
  case changed
  /// A whole new copy.
  case delivered(Reading<Value>)
  /// Something was missed: it is asked for.
  case gap
}

/// Why a body cannot be used.
public struct UnreadableAnswer: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong and where, for people.
  public var description: String

  /// Creates an error.
  public init(_ description: String) { self.description = description }
}
