public import ConditionalHTTP
public import Foundation
public import Freshness
public import HTTPTypes

/// A JSON document at a URL, decoded to a value.
///
/// ```swift
/// let board = JSONResource(url, as: Board.self, policy: .departuresNative, tags: ["boards"])
/// for await copy in client.values(of: board) { print(copy.value.title, copy.age) }
/// ```
///
/// Two resources are equal if they send the same request to decode the same type: they share one
/// refresh, one copy and the options of the first. The `meta` member with which Freshet's servers
/// describe a response (`serverTime`, `rtFetchedAt`, `rtCacheAgeMs`, `responseMode`, `rtStatus`,
/// `nextExpectedAt`) is read if present. `==` of the value decides whether a response is a change
/// (R16), so leave members that differ in every response out of the type.
public struct JSONResource<Value: Equatable & Sendable>: FreshResource {
  /// Decodes a body.
  public typealias Decode = @Sendable (Data) throws -> Value

  /// The request, without validators.
  public var address: HTTPRequest
  /// The constants; `nil` uses those of the client.
  public var policy: Policy?
  /// The tags.
  public var tags: Set<String>
  /// The request that opens an event stream; each event other than a heartbeat says that the copy
  /// is out of date (R33).
  public var stream: HTTPRequest?
  /// Returns when a value was made, if it says so; its age counts from then (R27).
  public var madeAt: (@Sendable (Value) -> Date?)?
  private let decode: Decode

  /// Creates a resource from a function that decodes the body.
  ///
  /// - Parameters:
  ///   - url: An http or https URL.
  ///   - policy: The constants; `nil` uses those of the client.
  ///   - tags: The tags.
  ///   - decode: Returns the value of a body; what it throws is the message of the failure (R21).
  public init(
    _ url: URL,
    policy: Policy? = nil,
    tags: Set<String> = [],
    decode: @escaping Decode
  ) {
    address = HTTPRequest(getting: url)
    self.policy = policy
    self.tags = tags
    self.decode = decode
  }

  /// Creates a resource of a decodable type.
  ///
  /// - Parameters:
  ///   - url: An http or https URL.
  ///   - type: The type of the document.
  ///   - policy: The constants; `nil` uses those of the client.
  ///   - tags: The tags.
  public init(
    _ url: URL,
    as type: Value.Type = Value.self,
    policy: Policy? = nil,
    tags: Set<String> = []
  ) where Value: Decodable {
    self.init(url, policy: policy, tags: tags) { try JSONDecoder().decode(type, from: $0) }
  }

  /// Returns the resource with a function that reads when a value was made.
  public func made(at time: @escaping @Sendable (Value) -> Date?) -> Self {
    var resource = self
    resource.madeAt = time
    return resource
  }

  /// Returns the resource with an event stream beside it; the policy must allow one (R33).
  public func eventStream(at url: URL) -> Self {
    var resource = self
    resource.stream = HTTPRequest(getting: url)
    return resource
  }

  /// Compares requests.
  public static func == (left: Self, right: Self) -> Bool {
    left.address == right.address && left.stream == right.stream
  }

  /// Hashes the request.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(address)
    hasher.combine(stream)
  }

  // MARK: FreshResource

  /// The request.
  public func request(since known: Value?) -> HTTPRequest { address }

  /// Decodes a response.
  public func read(
    _ answer: HTTPExchangeAnswer,
    since known: Value?
  ) throws(UnreadableAnswer) -> Reading<Value> {
    let body = Data(answer.body)
    let value: Value
    do {
      value = try decode(body)
    } catch {
      throw UnreadableAnswer(Self.message(error))
    }
    let meta = DocumentMeta(body)
    var metadata = FreshnessMetadata(status: .applied)
    if let fields = FreshnessMetadata(fields: answer.head.headerFields) {
      metadata = metadata.updated(by: fields)
    }
    if let found = meta?.metadata { metadata = metadata.updated(by: found) }
    if let made = madeAt?(value) {
      // The server's figure is of something else.
      metadata.cacheAge = nil
      metadata.fetchedAt = WallTime(
        milliseconds: Int64(exactly: (made.timeIntervalSince1970 * 1_000).rounded()) ?? 0
      )
    }
    let isRealtime = metadata.effectiveStatus == .applied || metadata.effectiveStatus == .partial
    return Reading(
      value,
      hasRealtime: isRealtime,
      metadata: metadata,
      hints: meta?.hints
    )
  }

  /// Reads the `x-md-rt-…` fields of Freshet's servers; not their times where the value has its own.
  public func metadata(of head: HTTPResponse) -> FreshnessMetadata? {
    var metadata = FreshnessMetadata(fields: head.headerFields)
    if madeAt != nil {
      metadata?.fetchedAt = nil
      metadata?.cacheAge = nil
    }
    return metadata
  }

  /// Reads the `x-md-rt-…` fields of Freshet's servers.
  public func hints(of head: HTTPResponse) -> Hints? { Hints(fields: head.headerFields) }

  /// The request that opens the event stream.
  public func eventStream() -> HTTPRequest? { stream }

  /// Names the member that cannot be decoded.
  private static func message(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "\(error)" }
    func place(_ context: DecodingError.Context) -> String {
      let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }
      let name = path.joined()
      return name.isEmpty ? "the document" : String(name.drop { $0 == "." })
    }
    switch error {
    case .keyNotFound(let key, let context):
      return "\(place(context)) has no member \"\(key.stringValue)\""
    case .valueNotFound(let type, let context): return "\(place(context)) is null, not \(type)"
    case .typeMismatch(let type, let context): return "\(place(context)) is not of type \(type)"
    case .dataCorrupted(let context):
      return "\(place(context)) cannot be decoded: \(context.debugDescription)"
    @unknown default: return "\(error)"
    }
  }
}

extension HTTPRequest {
  /// Creates a GET of a URL, without its fragment, user and password.
  ///
  /// A URL that is not an http or https one gives a request that every transport rejects.
  init(getting url: URL) {
    let parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    let host = parts?.percentEncodedHost ?? ""
    let path = parts?.percentEncodedPath ?? ""
    let query = parts?.percentEncodedQuery.map { "?\($0)" } ?? ""
    self.init(
      method: .get,
      scheme: parts?.scheme?.lowercased(),
      authority: parts?.port.map { "\(host):\($0)" } ?? host,
      path: (path.isEmpty ? "/" : path) + query,
      headerFields: [.accept: "application/json"]
    )
  }
}

/// The member with which Freshet's servers describe a document.
private struct DocumentMeta: Decodable {
  private struct Members: Decodable {
    var serverTime: String?
    var rtFetchedAt: String?
    var rtCacheAgeMs: Double?
    var responseMode: String?
    var rtStatus: String?
    var nextExpectedAt: String?
    var nextExpectedSpreadMs: Double?

    private enum CodingKeys: CodingKey {
      case serverTime, rtFetchedAt, rtCacheAgeMs, responseMode, rtStatus, nextExpectedAt
      case nextExpectedSpreadMs
    }

    /// Reads each member by itself: one of another type counts as absent.
    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      func member<Member: Decodable>(_ key: CodingKeys) -> Member? {
        try? members.decodeIfPresent(Member.self, forKey: key)
      }
      serverTime = member(.serverTime)
      rtFetchedAt = member(.rtFetchedAt)
      rtCacheAgeMs = member(.rtCacheAgeMs)
      responseMode = member(.responseMode)
      rtStatus = member(.rtStatus)
      nextExpectedAt = member(.nextExpectedAt)
      nextExpectedSpreadMs = member(.nextExpectedSpreadMs)
    }
  }

  private var meta: Members

  /// Reads the member, or returns `nil` if the document does not have it.
  init?(_ body: Data) {
    guard body.firstRange(of: Data("\"meta\"".utf8)) != nil,
      let found = try? JSONDecoder().decode(DocumentMeta.self, from: body)
    else { return nil }
    self = found
  }

  var metadata: FreshnessMetadata {
    var metadata = FreshnessMetadata(
      fetchedAt: meta.rtFetchedAt.flatMap { WallTime(instant: $0) },
      cacheAge: meta.rtCacheAgeMs.flatMap { Int64(exactly: $0.rounded()) }
        .map { .milliseconds($0) },
      mode: meta.responseMode.map { ResponseMode(name: $0) },
      status: meta.rtStatus.map { RealtimeStatus(name: $0) }
    )
    metadata.setServerTime(instant: meta.serverTime)
    return metadata
  }

  var hints: Hints {
    Hints(
      nextExpectedAt: meta.nextExpectedAt.flatMap { WallTime(instant: $0) },
      spread: meta.nextExpectedSpreadMs.flatMap { Int64(exactly: $0.rounded()) }
        .map { .milliseconds(max($0, 0)) }
    )
  }
}
