import HTTPTypes
import Testing

@testable import Serving

/// RFC 9112, sections 6.1 and 6.3.
@Suite struct `Transfer codings of requests` {
  private func status(_ fields: [String]) -> Int? {
    var request = HTTPRequest(method: .post, scheme: "http", authority: "a", path: "/")
    for value in fields {
      request.headerFields.append(HTTPField(name: .transferEncoding, value: value))
    }
    let refusal = TransferCoding.refusal(of: request)
    if refusal != nil { #expect(refusal?.fields[.connection] == "close") }
    return refusal?.status.code
  }

  @Test(arguments: [[], ["chunked"], ["Chunked"], [" chunked "], ["chunked;a=b"]])
  func `chunks, or nothing, are read`(_ fields: [String]) {
    #expect(status(fields) == nil)
  }

  @Test(arguments: [
    ["gzip, chunked"], ["gzip", "chunked"], ["identity, chunked"], ["x, y,chunked"],
  ])
  func `other codings are not supported`(_ fields: [String]) {
    #expect(status(fields) == 501)
  }

  @Test(arguments: [
    ["gzip"], ["chunked, gzip"], ["chunked, chunked"], ["chunked", "chunked"], ["xchunked"], [""],
    [TransferCoding.faulty], [", chunked"], ["a b, chunked"],
  ])
  func `where the content ends has to be known`(_ fields: [String]) {
    #expect(status(fields) == 400)
  }
}
