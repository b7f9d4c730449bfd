import ConditionalHTTP
import HTTPTypes
import Serving
import Workspaces

extension Problem {
  /// A problem with the status that the table of refusals gives it.
  ///
  /// - Parameters:
  ///   - problem: The code.
  ///   - detail: What is wrong with this request, for its author.
  ///   - extensions: Further members.
  ///   - fields: Fields beside Content-Type.
  init(
    _ problem: WorkspaceProblem,
    detail: String,
    extensions: [String: ProblemDetails.Value] = [:],
    fields: HTTPFields = [:]
  ) {
    self.init(
      problem.status == 507
        ? HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
        : HTTPResponse.Status(integerLiteral: problem.status),
      problem.rawValue,
      detail: detail,
      extensions: extensions,
      fields: fields
    )
  }
}
