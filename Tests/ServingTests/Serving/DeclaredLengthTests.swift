import HTTPTypes
import Hummingbird
import Serving
import Testing

@Suite struct `A declared length` {
  private func request(_ length: String?) -> Request {
    var head = HTTPRequest(method: .post, scheme: "http", authority: "a", path: "/")
    head.headerFields[.contentLength] = length
    return Request(head: head, body: RequestBody(buffer: .init()))
  }

  @Test(arguments: [
    (nil, false), ("0", false), ("10", false), ("11", true), ("18446744073709551616", true),
  ])
  func `is compared with the limit`(_ length: String?, _ isMore: Bool) {
    #expect(request(length).declaresMore(than: 10) == isMore)
  }
}
