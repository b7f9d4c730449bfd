public import ConditionalHTTP
public import Freshness
public import HTTPTypes

/// A value that a function of the app loads, such as from a database, a device or another protocol.
///
/// ```swift
/// let battery = LoadedResource("battery", policy: Policy(every: .seconds(60))) {
///   try await device.batteryLevel()
/// }
/// ```
///
/// The engine schedules the function as it schedules requests: one call at a time, backoff after
/// failures, none without observers. Canceled calls must return soon; a result that comes after
/// the timeout is dropped (R6). Resources of one key and type are equal: they share one refresh and
/// the function of the first.
public struct LoadedResource<Value: Equatable & Sendable>: FreshResource {
  /// Loads the value.
  public typealias Load = nonisolated(nonsending) @Sendable () async throws -> Value

  /// The name of the resource.
  public var key: String
  /// The constants; `nil` uses those of the client.
  public var policy: Policy?
  /// The tags.
  public var tags: Set<String>
  private let load: Load

  /// Creates a resource.
  ///
  /// - Parameters:
  ///   - key: The name of the resource.
  ///   - policy: The constants; `nil` uses those of the client.
  ///   - tags: The tags.
  ///   - load: Loads the value. It throws ``UnreadableAnswer`` for a result that cannot be used, and
  ///     `HTTPExchangeError` for the kinds of failure of a transport; any other error counts as
  ///     unreachable (R21).
  public init(
    _ key: String,
    policy: Policy? = nil,
    tags: Set<String> = [],
    load: nonisolated(nonsending) @escaping @Sendable () async throws -> Value
  ) {
    self.key = key
    self.policy = policy
    self.tags = tags
    self.load = load
  }

  /// Compares keys.
  public static func == (left: Self, right: Self) -> Bool { left.key == right.key }

  /// Hashes the key.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }

  /// The name of the resource as a request, for recorded samples; it is not sent.
  public func request(since known: Value?) -> HTTPRequest {
    HTTPRequest(method: .get, scheme: "load", authority: HTTPAddress.encoded(key), path: "/")
  }

  /// Fails: there are no responses to read.
  public func read(
    _ answer: HTTPExchangeAnswer,
    since known: Value?
  ) throws(UnreadableAnswer) -> Reading<Value> {
    throw UnreadableAnswer("\"\(key)\" is loaded by a function of the app")
  }

  /// Loads the value.
  public func loader() -> ResourceLoader<Value>? {
    let load = load
    return ResourceLoader { Reading(try await load(), hasRealtime: true, metadata: .applied) }
  }
}

/// Loads a resource without the transport of the client.
public struct ResourceLoader<Value: Sendable>: Sendable {
  let load: nonisolated(nonsending) @Sendable () async throws -> Reading<Value>

  /// Creates a loader from a function.
  public init(_ load: nonisolated(nonsending) @escaping @Sendable () async throws -> Reading<Value>)
  {
    self.load = load
  }
}

extension FreshnessMetadata {
  /// Complete data, without a statement about its age.
  static let applied = FreshnessMetadata(status: .applied)
}
