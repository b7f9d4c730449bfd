import NIOCore
import NIOHTTP1

/// A response with a page, collected to its end.
struct PageResponse {
  private let head: HTTPResponseHead
  /// What has come of it.
  var content = ByteBuffer()

  init(_ head: HTTPResponseHead) { self.head = head }

  /// Returns the response with the panel in it; one that is not a page as it came.
  func whole(with insertion: PanelInsertion) -> (head: HTTPResponseHead, content: ByteBuffer) {
    let isPage = head.headers.first(name: "content-type")?.hasPrefix("text/html") ?? false
    guard isPage, !head.headers.contains(name: "content-encoding"),
      content.readableBytes <= PanelInsertion.longestPage
    else { return (head, content) }
    var head = head
    let content = ByteBuffer(string: insertion.page(String(buffer: content)))
    if let policy = head.headers.first(name: "content-security-policy") {
      head.headers.replaceOrAdd(
        name: "content-security-policy",
        value: insertion.policy(policy)
      )
    }
    // Another demonstration has another panel.
    head.headers.replaceOrAdd(name: "cache-control", value: "no-store")
    head.headers.remove(name: "etag")
    head.headers.remove(name: "transfer-encoding")
    head.headers.replaceOrAdd(name: "content-length", value: String(content.readableBytes))
    return (head, content)
  }
}
