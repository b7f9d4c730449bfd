public import ConditionalHTTP
public import EventFeed
public import Freshness
public import FreshnessRuntime
public import HTTPTypes
public import Stationboard
import TolerantDecoding

/// A board that the engine keeps fresh.
///
/// ```swift
/// let resource = BoardResource(server: try HTTPAddress("https://example.org"), stop: "8501120")
/// for await snapshot in client.snapshots(of: resource) { show(snapshot.value?.board) }
/// ```
public struct BoardResource: FreshResource {
  /// The server.
  public var server: HTTPAddress
  /// stop_id, or another id that the server resolves.
  public var stop: String
  /// The most departures.
  public var limit: Int
  /// `fr`, `de`, `it` or `en`; `nil` for the feed's own names.
  public var language: String?
  /// The constants.
  public var constants: Policy
  /// Whether the server's stream brings changes where the policy allows one (R33).
  public var streams: Bool

  /// Names a board.
  ///
  /// - Parameters:
  ///   - server: The server.
  ///   - stop: stop_id.
  ///   - limit: The most departures.
  ///   - language: `fr`, `de`, `it` or `en`; `nil` for the feed's own names.
  ///   - constants: The constants.
  ///   - streams: Whether the server's stream brings changes.
  public init(
    server: HTTPAddress,
    stop: String,
    limit: Int = 20,
    language: String? = nil,
    constants: Policy = .departuresLive,
    streams: Bool = true
  ) {
    self.server = server
    self.stop = stop
    self.limit = limit
    self.language = language
    self.constants = constants
    self.streams = streams
  }

  /// The constants.
  public var policy: Policy? { constants }
  /// The stop.
  public var subject: String? { stop }

  private var query: [(String, String?)] {
    [("stop_id", stop), ("limit", "\(limit)"), ("lang", language)]
  }

  /// The fields of every request; the transport's own idea of a language is not what was asked for.
  static func fields(accept type: String = "application/json") -> HTTPFields {
    [.accept: type, .acceptLanguage: "*"]
  }

  /// `GET /api/stationboard`.
  public func request(since known: BoardCopy?) -> HTTPRequest {
    server.request("/api/stationboard", query: query, fields: Self.fields())
  }

  /// Reads a board.
  public func read(
    _ answer: HTTPExchangeAnswer,
    since known: BoardCopy?
  ) throws(UnreadableAnswer) -> Reading<BoardCopy> {
    do throws(DecodeFailure) {
      let decoded = try BoardReader().board(answer.body)
      return reading(BoardCopy(decoded.model, issues: decoded.issues))
    } catch {
      throw UnreadableAnswer("the board of \(server.authority) cannot be read: \(error)")
    }
  }

  /// Reads the freshness of a 304 from its `x-md-rt-…` fields.
  public func metadata(of head: HTTPResponse) -> FreshnessMetadata? {
    FreshnessMetadata(fields: head.headerFields)
  }

  /// Reads what a 304 says of the next change: `x-md-rt-next-ms` and `x-md-rt-spread-ms`.
  public func hints(of head: HTTPResponse) -> Hints? {
    Hints(fields: head.headerFields)
  }

  /// `GET /api/stationboard/stream`.
  public func eventStream() -> HTTPRequest? {
    guard streams else { return nil }
    return server.request(
      "/api/stationboard/stream",
      query: query,
      fields: Self.fields(accept: "text/event-stream")
    )
  }

  /// The stream continues after `Last-Event-ID`, or starts with a whole board.
  public var replaysEvents: Bool { true }

  /// Reads a board or a change of it.
  public func read(_ event: ServerSentEvent, since known: BoardCopy?) -> StreamEvent<BoardCopy> {
    let data = Array(event.data.utf8)
    switch event.type {
    case "snapshot":
      guard let decoded = try? BoardReader().board(data) else { return .gap }
      return .delivered(reading(BoardCopy(decoded.model, issues: decoded.issues)))
    case "change":
      guard let change = BoardChange(data),
        let copy = known?.applying(change)
      else { return .gap }
      return .delivered(reading(copy))
    default: return .sign
    }
  }

  private func reading(_ copy: BoardCopy) -> Reading<BoardCopy> {
    let meta = copy.board.meta
    let metadata = Self.metadata(of: meta)
    let hasRealtime = metadata.status == .applied || metadata.status == .partial
    return Reading(
      copy,
      hasRealtime: hasRealtime,
      metadata: metadata,
      hints: Self.hints(of: meta),
      subject: copy.board.station?.id
    )
  }

  /// The announced next change in a response, and how clients spread after it (R31).
  public static func hints(of meta: Board.Meta) -> Hints {
    Hints(
      nextExpectedAt: meta.nextExpectedAt.flatMap { BoardInstant.read($0) },
      spread: meta.nextExpectedSpreadMs.flatMap { Int64(exactly: $0.rounded()) }
        .map { .milliseconds(max($0, 0)) }
    )
  }

  /// The freshness metadata of a response.
  public static func metadata(of meta: Board.Meta) -> FreshnessMetadata {
    var metadata = FreshnessMetadata()
    metadata.setServerTime(instant: meta.serverTime)
    metadata.fetchedAt = meta.rtFetchedAt.flatMap { BoardInstant.read($0) }
    metadata.cacheAge = meta.rtCacheAgeMs.flatMap { Int64(exactly: $0.rounded()) }
      .map { .milliseconds($0) }
    metadata.mode = ResponseMode(name: meta.responseMode)
    metadata.status = RealtimeStatus(name: meta.rtStatus)
    return metadata
  }
}

extension Policy {
  /// Departures in an application (``departuresNative``), with the server's stream as an upgrade.
  public static let departuresLive: Policy = {
    var policy = Policy.departuresNative
    policy.push = Policy.Push(heartbeat: .seconds(15))
    return policy
  }()
}
