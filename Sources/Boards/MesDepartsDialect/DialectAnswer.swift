import HTTPTypes
import Hummingbird
import NIOCore
import StrictJSON

/// A JSON answer that no cache may keep.
enum DialectAnswer {
  /// 200 with a body.
  static func response(_ value: JSONValue) -> Response {
    Response(
      status: .ok,
      headers: [
        .contentType: "application/json; charset=utf-8",
        .cacheControl: "private, no-store, max-age=0, must-revalidate",
        .vary: "Origin, Accept-Encoding, Accept-Language",
      ],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: value.bytes))
    )
  }
}
