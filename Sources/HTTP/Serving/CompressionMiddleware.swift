import ConditionalHTTP
import HTTPTypes
package import Hummingbird
import NIOCore

/// Compresses answers for clients that ask for it.
///
/// Only whole answers of texts: a stream is written as it comes. The compressed answer is another
/// representation, so its entity tag is another (RFC 9110 section 8.8.3.3): the tag with `-gzip` at its
/// end, which is understood when it comes back.
package struct CompressionMiddleware<Context: RequestContext>: RouterMiddleware {
  /// The shortest answer worth compressing, in bytes.
  package static var shortest: Int { 860 }
  /// The longest answer that is compressed, in bytes.
  package static var longest: Int { 16 << 20 }

  private static var mark: String { "-gzip" }

  /// Creates the middleware.
  package init() {}

  @concurrent
  package func handle(
    _ request: Request,
    context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    let (understood, marked) = Self.understood(request)
    var response = try await next(understood, context)
    if !marked.isEmpty, response.status == .notModified, let tag = Self.tag(response),
      let match = marked.first(where: { $0.plain.weaklyMatches(tag) })
    {
      response.headers[.eTag] = match.compressed.description
    }
    // A 304 has the fields that its 200 would have (RFC 9110, section 15.4.5), and does not say of what kind that is.
    guard response.status == .ok || response.status == .notModified else { return response }
    guard response.status == .notModified || Self.isText(response) else { return response }
    Self.vary(&response)
    guard response.status == .ok, let length = response.body.contentLength,
      (Self.shortest...Self.longest).contains(length),
      response.headers[.contentEncoding] == nil
    else { return response }
    guard AcceptEncoding(fields: request.headers).prefers("gzip") else { return response }
    let writer = CollectingWriter()
    try await response.body.write(writer)
    guard let compressed = await Gzip.compressed(writer.content), compressed.readableBytes < length
    else {
      response.body = ResponseBody(byteBuffer: writer.content)
      return response
    }
    Self.mark(&response)
    response.body = ResponseBody(byteBuffer: compressed)
    return response
  }

  /// A request as those behind here understand it: with the tags of answers before they were compressed.
  ///
  /// - Returns: The request, and the tags of compressed answers that it names.
  private static func understood(
    _ request: Request
  ) -> (Request, [(compressed: EntityTag, plain: EntityTag)]) {
    var head = request.head
    var marked: [(compressed: EntityTag, plain: EntityTag)] = []
    var isOther = false
    if let field = head.headerFields.value(of: .ifNoneMatch), mayBeMarked(field) {
      let known = EntityTagList(parsing: field)
      marked = Self.marked(known)
      if !marked.isEmpty, case .tags(let tags) = known {
        head.headerFields[.ifNoneMatch] =
          EntityTagList.tags(tags + marked.map(\.plain)).description
        isOther = true
      }
    }
    // A write that expects the compressed response expects the state that it was made of.
    if let field = head.headerFields.value(of: .ifMatch), mayBeMarked(field) {
      let expected = EntityTagList(parsing: field)
      if case .tags(let tags) = expected {
        let plain = Self.marked(expected).map(\.plain)
        head.headerFields[.ifMatch] = EntityTagList.tags(tags + plain).description
        isOther = isOther || !plain.isEmpty
      }
    }
    // A client may resume a stream from a response it has (WHATWG HTML, `Last-Event-ID`).
    if let last = head.headerFields.value(of: .lastEventID), mayBeMarked(last),
      let tag = Self.marked(EntityTagList(parsing: last)).first
    {
      head.headerFields[.lastEventID] = tag.plain.description
      isOther = true
    }
    return (isOther ? Request(head: head, body: request.body) : request, marked)
  }

  /// Whether a field has the mark anywhere: most have not, and need not be read.
  private static func mayBeMarked(_ field: String) -> Bool {
    var field = field
    return field.withUTF8 { bytes in
      bytes.indices.contains { start in
        bytes[start] == UInt8(ascii: "-") && bytes[start...].starts(with: mark.utf8)
      }
    }
  }

  private static func mark(_ response: inout Response) {
    response.headers[.contentEncoding] = "gzip"
    if let tag = tag(response), tag.isStrong {
      response.headers[.eTag] = EntityTag(tag.opaque + mark).description
    }
  }

  /// The tags of compressed answers that a client has, each with that of the answer itself.
  private static func marked(
    _ known: EntityTagList
  ) -> [(compressed: EntityTag, plain: EntityTag)] {
    guard case .tags(let tags) = known else { return [] }
    return tags.compactMap { tag in
      guard tag.isQuoted, tag.opaque.hasSuffix(mark) else { return nil }
      return (tag, EntityTag(String(tag.opaque.dropLast(mark.count)), isWeak: tag.isWeak))
    }
  }

  private static func tag(_ response: Response) -> EntityTag? {
    response.headers[.eTag].flatMap { EntityTag(parsing: $0) }
  }

  /// Whether an answer is of a kind that compresses well.
  private static func isText(_ response: Response) -> Bool {
    guard let type = response.headers.value(of: .contentType) else { return false }
    // Bytes: comparing characters would be a fiftieth of the time of a short response.
    let name = type.utf8.prefix { $0 != UInt8(ascii: ";") }
    if name.elementsEqual("text/event-stream".utf8) { return false }
    return name.starts(with: "text/".utf8) || name.suffix(4).elementsEqual("json".utf8)
      || name.suffix(4).elementsEqual("+xml".utf8)
      || name.elementsEqual("application/wasm".utf8)
      || name.elementsEqual("application/javascript".utf8)
  }

  private static func vary(_ response: inout Response) {
    let field = response.headers.value(of: .vary)
    if let field, names(field, "accept-encoding") { return }
    if let field {
      response.headers[.vary] = field + ", Accept-Encoding"
    } else {
      response.headers.append(HTTPField(name: .vary, value: "Accept-Encoding"))
    }
  }

  /// Whether a list of names has one, in any case.
  ///
  /// Every response passes here: parts and lowercased copies would be a good part of its time.
  private static func names(_ list: String, _ name: StaticString) -> Bool {
    var list = list
    return list.withUTF8 { bytes in
      let length = name.utf8CodeUnitCount
      /// The length of the name so far, from the beginning of a part on; `nil` if the part is another name.
      var found: Int? = 0
      for byte in bytes {
        switch (byte, found) {
        case (UInt8(ascii: ","), length): return true
        case (UInt8(ascii: ","), _): found = 0
        case (0x20, 0), (0x20, length), (0x09, 0), (0x09, length): break
        case (_, let place?) where place < length && byte | 0x20 == name.utf8Start[place]:
          found = place + 1
        default: found = nil
        }
      }
      return found == length
    }
  }
}

/// Takes a body's bytes instead of a connection.
private final class CollectingWriter: ResponseBodyWriter {
  private(set) var content = ByteBuffer()

  func write(_ buffer: ByteBuffer) async throws {
    content.writeImmutableBuffer(buffer)
  }

  func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
