import CWebAssets
import ConditionalHTTP
import NIOCore

/// A file of the web board, as it is served.
struct WebAsset {
  let name: String
  let mediaType: String
  let body: ByteBuffer
  /// Strong: the tag is made from the bytes.
  let entityTag: EntityTag

  /// All files by name.
  static let all: [String: WebAsset] = {
    let assets = UnsafeBufferPointer(
      start: freshet_web_assets(),
      count: freshet_web_asset_count()
    )
    var byName: [String: WebAsset] = [:]
    for asset in assets {
      let bytes = UnsafeRawBufferPointer(start: asset.bytes, count: asset.count)
      let name = String(cString: asset.name)
      byName[name] = WebAsset(name: name, bytes: bytes)
    }
    return byName
  }()

  /// Whether it is a page.
  var isPage: Bool { name.hasSuffix(".html") }

  /// The name without its ending.
  var stem: String { name.split(separator: ".").first.map(String.init) ?? name }

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
    return Array(lines.joined(separator: "\n").utf8).withUnsafeBytes {
      WebAsset(name: name, bytes: $0)
    }
  }

  private init(name: String, bytes: UnsafeRawBufferPointer) {
    self.name = name
    mediaType = Self.mediaType(of: name)
    body = ByteBuffer(bytes: bytes)
    // FNV-1a, 64 bits: enough to tell versions of one file apart.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    entityTag = EntityTag(String(hash, radix: 36))
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
