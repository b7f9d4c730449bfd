import HTTPTypes
import Hummingbird
import Jobs
import Serving

/// The paths of jobs and the methods that each takes.
struct JobPaths: Sendable {
  let pipelines: Set<PipelineName>

  /// The methods that a path takes, as `Allow` lists them; nothing if there is no such path.
  func methods(of path: String) -> [HTTPRequest.Method]? {
    let parts = path.split(separator: "/").map(String.init)
    switch parts.count {
    case 2 where parts == ["v1", "capabilities"] || parts == ["ws", "progress"]:
      return [.get, .head]
    case 3 where parts == ["v1", "token", "refresh"]:
      return [.post]
    case 3 where parts.starts(with: ["v1", "jobs"]):
      return pipelines.contains(Self.pipeline(parts[2])) ? [.post] : [.get, .head, .delete]
    case 4 where parts.starts(with: ["v1", "jobs"]):
      switch parts[3] {
      case "cancel", "token": return [.post]
      case "events", "results", "failed.csv": return [.get, .head]
      default: return nil
      }
    default: return nil
    }
  }

  /// Why a method is not taken; nothing if it is, or if there is no such path.
  func refusal(_ method: HTTPRequest.Method, _ path: String) -> Problem? {
    guard let methods = methods(of: path), !methods.contains(method) else { return nil }
    // What is no job's name may be a pipeline's, misspelt: the answer lists those that there are.
    let last = path.split(separator: "/").last ?? ""
    if method == .post, methods.contains(.delete), !Self.isJob(last) { return nil }
    let names = methods.map(\.rawValue).joined(separator: ", ")
    return Problem(
      .methodNotAllowed,
      "method_not_allowed",
      detail: "\(method.rawValue.prefix(20)) is not answered here; use \(names)",
      fields: [.allow: names]
    )
  }

  /// The pipeline that a word of a path means; hyphens and capitals do not matter.
  static func pipeline(_ word: String) -> PipelineName {
    PipelineName(rawValue: word.lowercased().replacing("-", with: "_"))
  }

  /// Whether a word has the form of a job's id, a UUID.
  private static func isJob(_ word: Substring) -> Bool {
    let groups = word.split(separator: "-", omittingEmptySubsequences: false)
    return groups.map(\.utf8.count) == [8, 4, 4, 4, 12]
      && groups.allSatisfy { $0.allSatisfy(\.isHexDigit) }
  }
}

/// Refuses methods that a path of jobs does not take (RFC 9110 section 15.5.6).
struct JobMethodMiddleware<Context: RequestContext>: RouterMiddleware {
  let paths: JobPaths

  @concurrent
  func handle(
    _ request: Request,
    context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    if let refusal = paths.refusal(request.method, request.uri.path) { throw refusal }
    return try await next(request, context)
  }
}
