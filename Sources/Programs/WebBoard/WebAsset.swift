import CWebAssets
import ConditionalHTTP
import Hashing
import NIOCore

/// A file of the pages, as it is served.
struct WebAsset {
  /// The bytes of a file in one content coding, or in none.
  struct Representation {
    /// The registered name of the coding (RFC 9110 section 8.4.1); `nil` without one.
    let coding: String?
    let body: ByteBuffer
    /// Strong: the tag is made from the bytes of the file, and names the coding.
    let entityTag: EntityTag
  }

  let name: String
  let mediaType: String
  let kind: FreshetWebAssetKind
  /// The name with the hash of the content in it: `index.4ca6b1411bb0.css`.
  let hashedName: String
  let body: ByteBuffer
  /// The tag of the bytes without a coding.
  let entityTag: EntityTag
  /// The compressed copies, the preferred one first.
  private let copies: [Representation]

  /// All files by name.
  static let all: [String: WebAsset] = Dictionary(
    uniqueKeysWithValues: embedded.map { ($0.name, $0) }
  )

  /// The files under `/assets/` by the name with the hash.
  static let hashed: [String: WebAsset] = Dictionary(
    uniqueKeysWithValues: embedded.filter { $0.kind == .hashed }
      .map { ($0.hashedName, $0) }
  )

  private static let embedded = UnsafeBufferPointer(
    start: freshet_web_assets(),
    count: freshet_web_asset_count()
  ).map(WebAsset.init)

  /// Whether it is a page.
  var isPage: Bool { kind == .page }

  /// The name without its ending.
  var stem: String { name.split(separator: ".").first.map(String.init) ?? name }

  /// Returns the bytes in the coding that a client prefers, of those that there are.
  func representation(for accepted: AcceptEncoding) -> Representation {
    let coding = accepted.preferred(among: copies.compactMap(\.coding))
    return copies.first { $0.coding == coding }
      ?? Representation(coding: nil, body: body, entityTag: entityTag)
  }

  /// The file without the lines that are about parts of the server that are off.
  ///
  /// Such a line has the part's name in it: `data-service="jobs"`.
  ///
  /// - Parameters:
  ///   - services: The parts that are off.
  ///   - language: If given, lines with the `lang` of another language are left out too.
  /// - Returns: The file.
  func without(services: [String], languagesBut language: String? = nil) -> WebAsset {
    let marks = services.map { "data-service=\"\($0)\"" }
    let text = String(decoding: body.readableBytesView, as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { line in
        guard !marks.contains(where: { line.contains($0) }) else { return false }
        guard let language, line.contains(" lang=\"") else { return true }
        return line.contains(" lang=\"\(language)\"")
      }
    return WebAsset(self, body: ByteBuffer(string: lines.joined(separator: "\n")))
  }

  /// A file with other content.
  private init(_ other: WebAsset, body: ByteBuffer) {
    name = other.name
    mediaType = other.mediaType
    kind = other.kind
    hashedName = other.hashedName
    copies = []
    self.body = body
    // 64 bits are enough to distinguish versions of one file.
    entityTag = EntityTag(String(FNV1a.hash(body.readableBytesView), radix: 36))
  }

  private init(_ asset: FreshetWebAsset) {
    let name = String(cString: asset.name)
    let hash = String(cString: asset.hash)
    self.name = name
    mediaType = Self.mediaType(of: name)
    kind = asset.kind
    var parts = name.split(separator: ".")
    parts.insert(hash[...], at: max(parts.count - 1, 0))
    hashedName = parts.joined(separator: ".")
    body = Self.buffer(asset.bytes, asset.count)
    entityTag = EntityTag(hash)
    let coded: [(coding: String, bytes: UnsafePointer<UInt8>?, count: Int)] = [
      ("br", asset.brotli, asset.brotli_count), ("gzip", asset.gzip, asset.gzip_count),
    ]
    copies = coded.compactMap { copy in
      guard let bytes = copy.bytes else { return nil }
      return Representation(
        coding: copy.coding,
        body: Self.buffer(bytes, copy.count),
        entityTag: EntityTag("\(hash)-\(copy.coding)")
      )
    }
  }

  private static func buffer(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> ByteBuffer {
    ByteBuffer(bytes: UnsafeRawBufferPointer(start: bytes, count: count))
  }

  private static func mediaType(of name: String) -> String {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "svg": "image/svg+xml"
    case "json": "application/json; charset=utf-8"
    case "webmanifest": "application/manifest+json"
    case "wasm": "application/wasm"
    default: "application/octet-stream"
    }
  }
}
