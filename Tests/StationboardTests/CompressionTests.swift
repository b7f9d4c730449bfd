import CZlib
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Serving
import Testing

/// The content coding of answers, on a router with a few answers of its own.
@Suite struct CompressionTests {
  private static let text = String(
    repeating: "{\"departure\":\"08:14\",\"line\":\"IR 95\"},",
    count: 200
  )
  private let probe: ServiceProbe

  init() {
    let router = Router(context: BasicRequestContext.self, options: [.autoGenerateHeadEndpoints])
    router.add(middleware: CompressionMiddleware())
    func answer(_ path: String, _ type: String, _ body: String, _ fields: HTTPFields = [:]) {
      router.get(RouterPath(path)) { request, _ in
        var headers: HTTPFields = [.contentType: type, .eTag: "\"abc\""]
        for field in fields { headers.append(field) }
        if let known = request.headers[.ifNoneMatch], known.contains("\"abc\"") {
          return Response(status: .notModified, headers: headers)
        }
        return Response(
          status: .ok,
          headers: headers,
          body: ResponseBody(byteBuffer: .init(string: body))
        )
      }
    }
    answer("long", "application/json; charset=utf-8", Self.text, [.vary: "Origin"])
    answer("short", "application/json", "{}")
    for (number, vary) in Self.variations.enumerated() {
      answer("vary-\(number)", "application/json", "{}", [.vary: vary.field])
    }
    answer("image", "image/png", Self.text)
    answer("stream", "text/event-stream", Self.text)
    answer("encoded", "text/plain", Self.text, [.contentEncoding: "br"])
    let noise = ByteBuffer(bytes: (0..<2_000).map { _ in UInt8.random(in: 0...255) })
    router.get("random") { _, _ in
      Response(
        status: .ok,
        headers: [.contentType: "text/plain", .eTag: "\"abc\""],
        body: ResponseBody(byteBuffer: noise)
      )
    }
    probe = ServiceProbe(router.buildResponder())
  }

  private func get(
    _ path: String,
    accept: String? = "gzip",
    tag: String? = nil,
    method: HTTPRequest.Method = .get
  ) async throws -> ServiceProbe.Answer {
    var fields = HTTPFields()
    fields[.acceptEncoding] = accept
    fields[.ifNoneMatch] = tag
    return try await probe.get("/" + path, method: method, headers: fields)
  }

  @Test func `a long text is compressed for those who ask, as another representation`() async throws
  {
    let answer = try await get("long")
    #expect(answer.headers[.contentEncoding] == "gzip")
    #expect(answer.headers[.eTag] == "\"abc-gzip\"")
    #expect(answer.headers[.vary] == "Origin, Accept-Encoding")
    #expect(answer.body.count < Self.text.utf8.count / 5)
    let inflated = try inflated(answer.body, most: 1 << 20)
    #expect(String(decoding: inflated, as: UTF8.self) == Self.text)
  }

  @Test func `others get the text as it is, and caches are told why`() async throws {
    for accept in [nil, "br", "gzip;q=0"] {
      let answer = try await get("long", accept: accept)
      #expect(answer.headers[.contentEncoding] == nil)
      #expect(answer.headers[.eTag] == "\"abc\"")
      #expect(answer.headers[.vary] == "Origin, Accept-Encoding")
      #expect(String(decoding: answer.body, as: UTF8.self) == Self.text)
    }
  }

  /// Values of `Vary`, and whether they name `Accept-Encoding`.
  private static let variations: [(field: String, isNamed: Bool)] = [
    ("Accept-Encoding", true), ("accept-encoding", true), ("ACCEPT-ENCODING", true),
    ("Origin,Accept-Encoding", true), ("Origin , Accept-Encoding , Accept-Language", true),
    ("Accept-Encoding,", true), (",,Accept-Encoding", true), ("Origin", false),
    ("Accept-Encodings", false), ("Accept-Encodin", false), ("X-Accept-Encoding", false),
    ("Accept- Encoding", false), ("Accept-Encoding x", false), ("x Accept-Encoding", false),
    ("Accept,Encoding", false), ("Accept-Encoding-Accept-Encoding", false),
  ]

  @Test func `a field that names Accept-Encoding is left as it is`() async throws {
    for (number, (field, isNamed)) in Self.variations.enumerated() {
      let vary = try await get("vary-\(number)").headers[.vary]
      #expect(vary == (isNamed ? field : field + ", Accept-Encoding"), "\(field)")
    }
  }

  @Test func `a 304 varies as its 200 does`() async throws {
    let whole = try await get("long")
    let tag = try #require(whole.headers[.eTag])
    let unchanged = try await get("long", tag: tag)
    #expect(unchanged.status == 304)
    #expect(unchanged.headers[.vary] == whole.headers[.vary])
    let short = try await get("short")
    #expect(short.headers[.vary] == "Accept-Encoding")
  }

  @Test(arguments: ["short", "image", "stream", "encoded", "random"])
  func `what does not gain from it is left alone`(path: String) async throws {
    let plain = try await get(path, accept: nil)
    let answer = try await get(path)
    #expect(answer.headers[.contentEncoding] == plain.headers[.contentEncoding])
    #expect(answer.headers[.eTag] == "\"abc\"")
    #expect(answer.body == plain.body)
  }

  @Test func `the tag of a compressed answer comes back and is understood`() async throws {
    for tag in ["\"abc-gzip\"", "\"zzz\", \"abc-gzip\"", "W/\"abc-gzip\""] {
      let answer = try await get("long", tag: tag)
      #expect(answer.status == 304)
      #expect(answer.headers[.eTag] == (tag.hasPrefix("W/") ? "W/\"abc-gzip\"" : "\"abc-gzip\""))
    }
    let plain = try await get("long", tag: "\"abc\"")
    #expect(plain.status == 304)
    #expect(plain.headers[.eTag] == "\"abc\"")
    #expect(try await get("long", tag: "\"abd-gzip\"").status == 200)
  }

  @Test func `HEAD says what GET says, without a body`() async throws {
    let answer = try await get("long", method: .head)
    #expect(answer.body.count == 0)
    #expect(answer.headers[.contentEncoding] == "gzip")
    #expect(answer.headers[.eTag] == "\"abc-gzip\"")
    let whole = try await get("long")
    #expect(answer.headers[.contentLength] == String(whole.body.count))
    let plain = try await get("long", accept: nil, method: .head)
    #expect(plain.headers[.contentEncoding] == nil)
    #expect(plain.headers[.contentLength] == String(Self.text.utf8.count))
  }

  @Test func `what is compressed can be taken apart again, whatever it is`() async throws {
    var seed = SystemRandomNumberGenerator()
    let slice = Gzip.slice
    for length in [0, 1, 859, 4_096, slice - 1, slice, slice + 1, 300_000] {
      let bytes = (0..<length).map { _ in
        UInt8.random(in: 0...(length % 2 == 0 ? 255 : 3), using: &seed)
      }
      let compressed = try #require(await Gzip.compressed(ByteBuffer(bytes: bytes)))
      #expect(try inflated(Array(compressed.readableBytesView), most: length + 1) == bytes)
      #expect(await Gzip.compressed(ByteBuffer(bytes: bytes)) == compressed)
    }
  }

  @Test(arguments: [
    (0, 0), (1, 0), (1 << 15, 0), ((1 << 15) + 1, 1), (1 << 20, 31), (16 << 20, 511),
  ])
  func `a long answer lets others run after each slice of it`(length: Int, pauses: Int) async throws
  {
    var count = 0
    let compressed = await Gzip.compressed(ByteBuffer(repeating: 7, count: length)) { count += 1 }
    #expect(compressed != nil)
    #expect(count == pauses)
  }

  private func inflated(_ bytes: [UInt8], most: Int) throws -> [UInt8] {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    try #require(inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, size) == Z_OK)
    defer { inflateEnd(&stream) }
    var source = bytes
    var target = [UInt8](repeating: 0, count: most)
    let status = source.withUnsafeMutableBufferPointer { input in
      target.withUnsafeMutableBufferPointer { output in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(output.count)
        return inflate(&stream, Z_FINISH)
      }
    }
    try #require(status == Z_STREAM_END)
    return Array(target.prefix(most - Int(stream.avail_out)))
  }
}
