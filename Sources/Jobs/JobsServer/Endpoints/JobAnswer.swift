import FreshResponses
import FreshnessServer
import HTTPTypes
import Hummingbird
import Jobs
import NIOCore
import StrictJSON

/// Answers with JSON.
enum JobAnswer {
  /// The media type of JSON.
  static let mediaType = "application/json"

  /// An answer that is not cached.
  static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status,
      headers: [.contentType: mediaType, .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: value.bytes))
    )
  }
}

/// Answers reads of jobs, or 304.
struct JobReads: Sendable {
  /// The read of a job.
  enum Route: String {
    /// Its state and events.
    case state = "/v1/jobs/:job"
    /// The outcomes of its items.
    case results = "/v1/jobs/:job/results"
    /// Its failed rows.
    case failedRows = "/v1/jobs/:job/failed.csv"
  }

  private static let options: ServingOptions = {
    var options = ServingOptions()
    options.since = nil
    return options
  }()

  let serving: ResourceServing

  /// Answers a read.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - route: What is read.
  ///   - tag: The tag of the answer.
  ///   - make: Makes the answer, if the client does not have it.
  /// - Returns: The answer.
  /// - Throws: What `make` throws.
  func answer(
    _ request: Request,
    _ route: Route,
    tag: EntityTag,
    make: @escaping @concurrent @Sendable (RepresentationState) async throws -> Representation
  ) async throws -> Response {
    let endpoint = ResourceEndpoint(
      StatedResource(RepresentationState(entityTag: tag), make: make),
      name: route.rawValue,
      options: Self.options,
      serving: serving
    )
    return try await endpoint.answer(request, ReadConditions(fields: request.headers))
  }
}

extension ServingLimits {
  /// What jobs give to their clients: reads do not wait, and events are limited by listeners.
  static func jobs(_ limits: JobLimits) -> ServingLimits {
    var serving = ServingLimits()
    serving.longestWait = 0
    serving.waiters = limits.listeners
    serving.heartbeatSeconds = Int64(limits.heartbeatSeconds)
    serving.streamRetryMilliseconds = 2_000
    serving.retryAfterSeconds = Int64(limits.pollSeconds)
    return serving
  }
}
