import ConditionalHTTP
public import HTTPTypes

/// What does not depend on the state of a resource in its responses.
public struct ResponsePolicy: Hashable, Sendable {
  /// Whether shared caches may store responses (`public`) or only the client may (`private`).
  public var isShared: Bool
  /// The request fields on which responses depend, besides `Accept-Encoding`.
  public var vary: [HTTPField.Name]
  /// Whether a client that names the newest state in the query gets a body, such as an empty list of changes, and not
  /// 204.
  public var hasBodySince = false

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - isShared: Whether shared caches may store responses.
  ///   - vary: The request fields on which responses depend.
  public init(isShared: Bool = false, vary: [HTTPField.Name] = []) {
    self.isShared = isShared
    self.vary = vary
  }
}

/// The head of a response, and whether the newest representation follows.
public struct ResponsePlan: Hashable, Sendable {
  /// The status.
  public var status: HTTPResponse.Status
  /// The fields, without those of the body.
  public var fields: HTTPFields
  /// Whether the body of the newest representation belongs to the response.
  public var hasBody: Bool { status == .ok }
}

extension ResponsePlan {
  /// Creates the response to a read.
  ///
  /// - Parameters:
  ///   - status: 200, 204 or 304.
  ///   - state: The state of the newest representation here.
  ///   - tag: The tag of the client's copy if it is newer than that; `nil` otherwise.
  ///   - isBehind: Whether the client has a newer state than this server.
  ///   - waited: The wait that was granted, in seconds; `nil` without one.
  ///   - policy: What does not depend on the state.
  ///   - now: Milliseconds since 1970.
  init(
    _ status: HTTPResponse.Status,
    _ state: RepresentationState,
    newer tag: EntityTag? = nil,
    isBehind: Bool = false,
    waited: Int64?,
    policy: ResponsePolicy,
    at now: Int64
  ) {
    self.status = status
    fields = HTTPFields()
    // Appended: setting a field would search the existing ones.
    func add(_ name: HTTPField.Name, _ value: String?, _ fields: inout HTTPFields) {
      if let value { fields.append(HTTPField(name: name, value: value)) }
    }
    let validated = state.validatedAt.map { max(0, now - $0) / 1_000 }
    let left = state.nextChange.map { max(0, $0 - now) }
    let lifetime = isBehind ? 0 : (left ?? 0) / 1_000
    add(.cacheControl, Self.cacheControl(lifetime, age: validated ?? 0, policy), &fields)
    add(.eTag, (tag ?? state.entityTag).description, &fields)
    add(
      .vary,
      policy.vary.isEmpty ? nil : policy.vary.map(\.rawName).joined(separator: ", "),
      &fields
    )
    add(.age, validated.map(String.init), &fields)
    if let source = state.sourceTime, let age = state.age(at: now) {
      add(.realtimeStatus, "applied", &fields)
      add(.realtimeFetchedAt, InstantText.write(Double(source) / 1_000), &fields)
      // A client adds `Age` to this figure.
      add(.realtimeAge, String(max(0, age - (validated ?? 0) * 1_000)), &fields)
    }
    if !isBehind {
      add(.realtimeNext, left.map(String.init), &fields)
      add(.realtimeSpread, left == nil ? nil : state.spread.map(String.init), &fields)
    }
    add(.preferenceApplied, waited.map { "wait=\($0)" }, &fields)
  }

  /// Returns how long the response may be used: until the next change is expected.
  ///
  /// The lifetime of a response includes its age (RFC 9111 section 4.2).
  private static func cacheControl(
    _ lifetime: Int64,
    age: Int64,
    _ policy: ResponsePolicy
  ) -> String {
    let scope = policy.isShared ? "public" : "private"
    return lifetime > 0
      ? "\(scope), max-age=\(lifetime + age), must-revalidate" : "\(scope), no-cache"
  }
}

extension HTTPField.Name {
  /// The names under which Freshet's clients read the age of data and the next change.
  static let realtimeStatus = known("x-md-rt-status")
  static let realtimeFetchedAt = known("x-md-rt-fetched-at")
  static let realtimeAge = known("x-md-rt-age-ms")
  static let realtimeNext = known("x-md-rt-next-ms")
  static let realtimeSpread = known("x-md-rt-spread-ms")
}
