package import ConditionalHTTP
import Foundation
package import HTTPTypes
package import Hummingbird
import NIOCore
import NIOHTTP1

/// An error that crosses HTTP and knows its status: problem details (RFC 9457) as an answer.
package struct Problem: HTTPResponseError, Sendable {
  /// The content.
  package var details: ProblemDetails
  /// Fields beside Content-Type, such as Retry-After.
  package var fields: HTTPFields

  /// Creates a problem.
  ///
  /// - Parameters:
  ///   - status: The status code.
  ///   - error: The stable code.
  ///   - detail: What is wrong with this request, for its author.
  ///   - extensions: Further members.
  ///   - fields: Fields beside Content-Type.
  package init(
    _ status: HTTPResponse.Status,
    _ error: String,
    detail: String,
    extensions: [String: ProblemDetails.Value] = [:],
    fields: HTTPFields = [:]
  ) {
    details = ProblemDetails(
      status: status.code,
      error: error,
      title: Self.title(of: status),
      detail: detail,
      extensions: extensions
    )
    self.fields = fields
  }

  /// The reason phrase, also for a status that was made of its number alone.
  private static func title(of status: HTTPResponse.Status) -> String {
    status.reasonPhrase.isEmpty
      ? HTTPResponseStatus(statusCode: status.code).reasonPhrase : status.reasonPhrase
  }

  package var status: HTTPResponse.Status { .init(code: details.status) }

  /// The content of the answer: the details as JSON.
  var content: ByteBuffer {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return ByteBuffer(bytes: (try? encoder.encode(details)) ?? Data())
  }

  /// The answer.
  package var response: Response {
    var headers = fields
    headers[.contentType] = "application/problem+json"
    headers[.cacheControl] = "no-store"
    return Response(
      status: status,
      headers: headers,
      body: ResponseBody(byteBuffer: content)
    )
  }

  package func response(from request: Request, context: some RequestContext) throws -> Response {
    response
  }
}
