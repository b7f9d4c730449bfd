import Foundation
import HTTPTypes
package import Hummingbird

/// Lets requests run by turns of their clients, and refuses those of a client that asks for more than its share.
///
/// Requests of ``AdmissionControl/Pool`` `programs` are those of the given paths. Some paths are never refused: a request
/// for the health of the server waits for its turn as any other, and is answered.
package struct AdmissionMiddleware<Context: RequestContext>: RouterMiddleware {
  private let control: AdmissionControl
  private let programs: [String]
  private let kept: [String]

  /// Creates the middleware.
  ///
  /// - Parameters:
  ///   - control: Admits requests.
  ///   - programs: The prefixes of paths whose requests wait for programs.
  ///   - kept: The prefixes of paths whose requests are never refused.
  package init(_ control: AdmissionControl, programs: [String], kept: [String]) {
    self.control = control
    self.programs = programs
    self.kept = kept
  }

  @concurrent
  package func handle(
    _ request: Request,
    context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    let path = request.uri.path
    let isProgram = programs.contains { path.hasPrefix($0) }
    let queue = control.queue(isProgram ? .programs : .processor)
    let network = ClientNetwork(of: context)
    let route = context.endpointPath
    let permit = AdmissionPermit(
      queue,
      network,
      percent: control.limits.networkPercent,
      route: route
    )
    let isRefusable = !kept.contains { path.hasPrefix($0) }
    var quota: FairAdmission.Quota?
    switch queue.arrive(network, route: route, isRefusable: isRefusable) {
    case .runs(let request, let left):
      quota = left
      permit.began(request)
    case .waits(let number):
      permit.began(try await context.whileConnected { try await queue.wait(number) })
      // A thread that always has a next request of this client never sleeps, and the scheduler would let it run for a whole
      // time slice, some milliseconds, before a thread that another client's request has woken.
      sched_yield()
    case .refused(let refusal, let left):
      if refusal.isEarly, queue.holds() {
        defer { queue.released() }
        let pause = Duration.milliseconds(AdmissionLimits.refusalPauseMilliseconds)
        try await context.whileConnected { try await Task.sleep(for: pause) }
      }
      return Self.response(refusal, left, hasContent: AwaitedContent.hasContent(request))
    }
    defer { permit.end() }
    var response = try await AdmissionPermit.$current.withValue(permit) {
      try await next(request, context)
    }
    if let quota { RateLimitFields.set(quota, in: &response.headers) }
    return response
  }

  private static func response(
    _ refusal: FairAdmission.Refusal,
    _ quota: FairAdmission.Quota?,
    hasContent: Bool
  ) -> Response {
    var problem =
      switch refusal.reason {
      case .share: Problem.tooManyRequests(retryAfter: refusal.retryAfter)
      case .full: Problem.full(retryAfter: refusal.retryAfter)
      }
    if refusal.reason == .share, let quota {
      RateLimitFields.set(quota, in: &problem.fields, retryAfter: refusal.retryAfter)
    }
    return (hasContent ? problem.last : problem).response
  }
}

extension Problem {
  /// Creates 503 `busy`: the server has too many requests.
  ///
  /// - Parameter retryAfter: When to ask again, in seconds.
  /// - Returns: The problem.
  static func full(retryAfter: Int) -> Problem {
    Problem(
      .serviceUnavailable,
      "busy",
      detail: "the server has too many requests; ask again in \(retryAfter) s",
      fields: [.retryAfter: String(retryAfter)]
    )
  }

  /// Creates 429: the network of the client asks for more than its share of the server.
  ///
  /// - Parameter retryAfter: When to ask again, in seconds.
  /// - Returns: The problem.
  package static func tooManyRequests(
    retryAfter: Int = AdmissionLimits.retryAfterSeconds
  ) -> Problem {
    Problem(
      .tooManyRequests,
      "too_many_requests",
      detail:
        "your network asks for more than its share while others ask too; ask again in \(retryAfter) s",
      fields: [.retryAfter: String(retryAfter)]
    )
  }
}

/// `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10, structured fields).
enum RateLimitFields {
  private static let policy = HTTPField.Name("RateLimit-Policy")
  private static let limit = HTTPField.Name("RateLimit")

  /// Sets both fields.
  ///
  /// - Parameters:
  ///   - quota: What the client may still ask for.
  ///   - fields: The fields of the response.
  ///   - retryAfter: When the client may ask again, of a refusal; then nothing is left before.
  static func set(
    _ quota: FairAdmission.Quota,
    in fields: inout HTTPFields,
    retryAfter: Int? = nil
  ) {
    guard let policy, let limit else { return }
    fields.append(
      HTTPField(name: policy, value: "\"network\";q=\(quota.requests);w=\(quota.window)")
    )
    let remaining = retryAfter == nil ? quota.remaining : 0
    fields.append(
      HTTPField(name: limit, value: "\"network\";r=\(remaining);t=\(retryAfter ?? quota.reset)")
    )
  }
}
