import ConditionalHTTP
import HTTPTypes
import Hummingbird
import Jobs
import Serving

/// Grants access to a job with a token for it.
struct JobAuthorization: Sendable {
  /// The subprotocols that carry a token; the second is that of older clients.
  static let tokenProtocols = [JobSocketAuthorizer.subprotocol, "bookstrack-auth."]

  let store: any JobStore
  /// Whether a token is accepted in the query, where it ends up in logs.
  let acceptsQueryToken: Bool
  let metrics: JobMetrics

  /// The token of a request: subprotocol before Authorization before query.
  func token(_ fields: HTTPFields, query: QueryText) -> (token: String, subprotocol: String?)? {
    for name in fields[values: .secWebSocketProtocol].flatMap({ $0.split(separator: ",") }) {
      let name = name.filter { $0 != " " && $0 != "\t" }
      for prefix in Self.tokenProtocols where name.hasPrefix(prefix) && name != prefix {
        return (String(name.dropFirst(prefix.count)), String(name))
      }
    }
    if let token = fields[.authorization].flatMap({ BearerToken.token(of: $0) }) {
      return (token, nil)
    }
    if acceptsQueryToken, let token = query["token"] { return (token, nil) }
    return nil
  }

  /// The job of a request with a good token.
  ///
  /// - Throws: ``Problem`` 401 without a good token, 404 for a job that never was here, 410 for one whose results
  ///   are gone.
  func living(
    _ id: String,
    _ fields: HTTPFields,
    query: QueryText
  ) async throws -> (job: JobRow, tokenExpiresAt: Int64) {
    guard let (token, _) = token(fields, query: query) else {
      throw Self.unauthorized(.tokenMissing, "a token is needed: Authorization: Bearer TOKEN")
    }
    return try await living(id, token: token)
  }

  /// The job that a token opens.
  ///
  /// - Throws: ``Problem`` 401, 404, 410.
  func living(_ id: String, token: String) async throws -> (job: JobRow, tokenExpiresAt: Int64) {
    switch try await store.access(id, token: token) {
    case .open(let job, let expiry): return (job, expiry)
    case .tokenExpired:
      throw Self.unauthorized(.tokenExpired, "the token is too old; get a new one before it ends")
    case .gone: throw gone
    case .refused:
      guard try await store.exists(id) else { throw unknown(id) }
      throw Self.unauthorized(.tokenInvalid, "the token is not one for this job")
    }
  }

  /// The response for a job that never existed here.
  func unknown(_ id: String) -> Problem {
    JobProblem(.notFound, .notFound, "there is no job \"\(id.prefix(80))\"").problem
  }

  /// The response for a job whose results were removed; counted.
  var gone: Problem {
    metrics.missed()
    return JobProblem(.gone, .expired, "the results of this job are gone").problem
  }

  static func unauthorized(_ code: JobProblemCode, _ detail: String) -> Problem {
    var problem = JobProblem(.unauthorized, code, detail).problem
    problem.fields[.wwwAuthenticate] =
      code == .tokenMissing ? "Bearer" : "Bearer error=\"invalid_token\""
    return problem
  }
}

/// Problems of jobs.
struct JobProblem {
  let problem: Problem

  init(
    _ status: HTTPResponse.Status,
    _ code: JobProblemCode,
    _ detail: String,
    retryAfter: Int? = nil,
    extensions: [String: ProblemDetails.Value] = [:]
  ) {
    var fields: HTTPFields = [:]
    if let retryAfter { fields[.retryAfter] = String(retryAfter) }
    problem = Problem(
      status,
      code.rawValue,
      detail: detail,
      extensions: extensions,
      fields: fields
    )
  }

  /// The results of a job are asked for before its end.
  static func notFinished(_ job: JobRow, _ limits: JobLimits) -> Problem {
    JobProblem(
      .conflict,
      .notFinished,
      "the job is \(job.state.rawValue); its results come when it is over",
      retryAfter: limits.pollSeconds
    ).problem
  }
}

/// The parameters of a query, decoded as forms write them.
struct QueryText: Sendable {
  private let items: [String: String]

  init(_ query: String?) {
    var items: [String: String] = [:]
    for pair in (query ?? "").split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = Self.decoded(parts[0])
      guard !name.isEmpty, items[name] == nil else { continue }
      items[name] = parts.count > 1 ? Self.decoded(parts[1]) : ""
    }
    self.items = items
  }

  /// The first value of a parameter; `nil` if it is missing or empty.
  subscript(name: String) -> String? { items[name].flatMap { $0.isEmpty ? nil : $0 } }

  /// All parameters besides some.
  func others(besides names: Set<String>) -> [String: String] {
    items.filter { !names.contains($0.key) && !$0.value.isEmpty }
  }

  private static func decoded(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "+") {
        bytes.append(0x20)
      } else if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
