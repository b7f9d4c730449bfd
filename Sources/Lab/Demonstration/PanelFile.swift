/// A file of the panel, as it is served.
package struct PanelFile: Sendable {
  /// The media type.
  package let mediaType: String
  /// The content, UTF-8.
  package let text: String

  private init(_ mediaType: String, _ bytes: [UInt8]) {
    self.mediaType = mediaType
    text = String(decoding: bytes, as: UTF8.self)
  }

  /// The script that pages load, which puts the panel into them.
  package static let insertion = PanelFile(javaScript, PackageResources.insert_js)
  /// The script of the panel.
  package static let script = PanelFile(javaScript, PackageResources.panel_js)
  /// The style of the panel.
  package static let style = PanelFile("text/css; charset=utf-8", PackageResources.panel_css)

  /// The panel of a page, or of all pages.
  ///
  /// - Parameters:
  ///   - page: The page; `nil` for all.
  ///   - token: What the panel sends with each request.
  ///   - origins: The origins of the pages that may frame the panel.
  ///   - books: How many books an import has.
  /// - Returns: The document.
  package static func panel(
    of page: DemoPage?,
    token: String,
    origins: [String],
    books: Int
  ) -> PanelFile {
    let values = [
      "{page}": page?.rawValue ?? "all", "{token}": token,
      "{pages}": origins.joined(separator: " "),
      "{books}": grouped(books),
    ]
    var text = String(decoding: PackageResources.panel_html, as: UTF8.self)
    for (name, value) in values { text.replace(name, with: value) }
    return PanelFile("text/html; charset=utf-8", Array(text.utf8))
  }

  /// 10000 as `10,000`.
  private static func grouped(_ number: Int) -> String {
    number < 1_000 ? "\(number)" : "\(number / 1_000),\(String(1_000 + number % 1_000).dropFirst())"
  }

  private static let javaScript = "text/javascript; charset=utf-8"
}
