public import FreshResponses

/// How one resource is served.
public struct ServingOptions: Sendable {
  /// Which caches may store responses, and on which request fields they depend.
  public var policy = ResponsePolicy()
  /// The parameter of the query that names the state a client has; `nil` for none.
  public var since: String? = "since"
  /// The last component of the path of the event stream; `nil` for none.
  public var events: String? = "events"
  /// Whether a write without `If-Match` or `If-None-Match` is rejected with 428.
  public var requiresConditions = false

  /// The usual options.
  public init() {}
}
