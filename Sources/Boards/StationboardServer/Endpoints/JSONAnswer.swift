import HTTPTypes
import Hummingbird
import NIOCore

/// A JSON answer that no cache may keep.
enum JSONAnswer {
  /// 200 with a body.
  static func response(_ body: ByteBuffer, vary: String = "Accept-Encoding") -> Response {
    Response(
      status: .ok,
      headers: [
        .contentType: "application/json; charset=utf-8",
        .cacheControl: "private, no-store, max-age=0, must-revalidate",
        .vary: vary,
      ],
      body: ResponseBody(byteBuffer: body)
    )
  }
}
