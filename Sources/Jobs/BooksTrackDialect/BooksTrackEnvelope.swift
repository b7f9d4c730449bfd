import ConditionalHTTP
import HTTPTypes
import Hummingbird
import Jobs
import JobsServer
import NIOCore
import Serving
import StrictJSON

/// The envelopes of BooksTrack's answers, so that the structures of all its versions read them.
enum BooksTrackEnvelope {
  /// The instant of an answer, under both names that the app knew.
  static func metadata(_ now: Int64) -> JSONValue {
    .object(["timestamp": .string(JobInstant.text(now))])
  }

  /// An answer with its content in the envelope, and beside it for clients that know none.
  static func answer(
    _ data: [String: JSONValue],
    status: HTTPResponse.Status = .ok,
    isFlatToo: Bool = false,
    at now: Int64
  ) -> Response {
    var members = isFlatToo ? data : [:]
    members["success"] = .bool(true)
    members["data"] = .object(data)
    members["metadata"] = metadata(now)
    members["meta"] = metadata(now)
    return json(.object(members), status: status)
  }

  static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status,
      headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: value.bytes))
    )
  }

  /// A problem as the app reads it.
  static func refusal(_ problem: Problem, at now: Int64) -> Response {
    // What the original says of results that are gone.
    let status = problem.status == .gone ? HTTPResponse.Status.notFound : problem.status
    var error: [String: JSONValue] = [
      "message": .string(problem.details.detail), "code": .string(code(problem)),
      "statusCode": .whole(Int64(status.code)),
      "retryable": .bool([408, 429, 503, 507].contains(status.code)),
    ]
    if let seconds = problem.fields[.retryAfter].flatMap({ Int64($0) }) {
      error["details"] = .object(["retryAfter": .whole(seconds)])
    }
    var response = json(
      .object([
        "success": .bool(false), "data": .null, "metadata": metadata(now), "meta": metadata(now),
        "error": .object(error),
      ]),
      status: status
    )
    for field in problem.fields { response.headers.append(field) }
    return response
  }

  /// The code of a problem among those of BooksTrack.
  static func code(_ problem: Problem) -> String {
    switch JobProblemCode(rawValue: problem.details.error) {
    case .invalidRequest, .invalidMessage, .unknownMessage, .idempotencyMismatch: "INVALID_REQUEST"
    case .unsupportedMediaType: "INVALID_FILE"
    case .tooLarge: "FILE_TOO_LARGE"
    case .emptyBatch: "EMPTY_BATCH"
    case .batchTooLarge: "BATCH_TOO_LARGE"
    case .tokenMissing, .tokenInvalid: "UNAUTHORIZED"
    case .tokenExpired: "TOKEN_EXPIRED"
    case .notFound, .expired, .noTable: "NOT_FOUND"
    case .notFinished: "JOB_NOT_FINISHED"
    case .tooManyStarts: "RATE_LIMIT_EXCEEDED"
    case .tooSlow: "TIMEOUT"
    case .unknownPipeline, .pipelineUnavailable, .busy, .storageFull, .storeLocked,
      .storeUnreachable:
      "SERVICE_UNAVAILABLE"
    case nil: problem.status.kind == .serverError ? "INTERNAL_ERROR" : "INVALID_REQUEST"
    }
  }
}

/// Lets every failure leave in the envelope of BooksTrack.
struct BooksTrackProblems<Context: RequestContext>: RouterMiddleware {
  let view: JobsView

  @concurrent
  func handle(
    _ request: Request,
    context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let problem as Problem {
      return BooksTrackEnvelope.refusal(problem, at: view.now)
    } catch {
      guard let problem = view.problem(of: error) else { throw error }
      return BooksTrackEnvelope.refusal(problem, at: view.now)
    }
  }
}
