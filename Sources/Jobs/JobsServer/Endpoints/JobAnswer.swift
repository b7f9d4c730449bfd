import ConditionalHTTP
import HTTPTypes
import Hummingbird
import NIOCore
import StrictJSON

/// Answers with JSON.
enum JobAnswer {
  static func json(
    _ value: JSONValue,
    status: HTTPResponse.Status = .ok,
    tag: EntityTag? = nil
  ) -> Response {
    var headers: HTTPFields = [
      .contentType: "application/json",
      .cacheControl: tag == nil ? "no-store" : "private, no-cache",
    ]
    headers[.eTag] = tag?.description
    return Response(
      status: status,
      headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: value.bytes))
    )
  }

  /// 304, if the client has the content of a tag.
  static func unchanged(_ request: Request, _ tag: EntityTag) -> Response? {
    guard let field = request.headers[.ifNoneMatch], tag.matches(ifNoneMatch: field) else {
      return nil
    }
    return Response(
      status: .notModified,
      headers: [.eTag: tag.description, .cacheControl: "private, no-cache"]
    )
  }
}
