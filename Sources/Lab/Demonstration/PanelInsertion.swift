/// Inserts the panel of a demonstration into a page that a server sends.
///
/// The page is passed on as it is, except for one script at the start of its head, and the origin of the panel in its
/// `Content-Security-Policy`. The program that serves the page knows nothing of it.
package struct PanelInsertion: Hashable, Sendable {
  /// The largest page that gets a panel, in bytes; a larger one is passed on without.
  package static let longestPage = 1 << 20

  /// The origin that serves the panel: `http://127.0.0.1:8079`.
  package let origin: String

  /// An insertion of the panel that an origin serves.
  package init(origin: String) { self.origin = origin }

  /// Returns whether a path is that of a page that gets the panel.
  package static func isPage(_ target: String) -> Bool {
    let path = target.prefix { $0 != "?" && $0 != "#" }
    return DemoPage.allCases.contains { $0.path == path } || path == "/status"
  }

  /// Returns a page with the panel's script; a text without a head is returned as it is.
  package func page(_ html: String) -> String {
    guard let head = html.firstRange(of: "<head>") else { return html }
    return html[..<head.upperBound] + "<script src=\"\(origin)/insert.js\"></script>"
      + html[head.upperBound...]
  }

  /// Returns a policy (CSP level 3) that also allows the script and the frame of the panel.
  package func policy(_ policy: String) -> String {
    let directives = policy.split(separator: ";").map { directive in
      let words = directive.split(separator: " ")
      return words.first == "script-src"
        ? (words + [origin[...]]).joined(separator: " ") : words.joined(separator: " ")
    }
    return (directives + ["frame-src \(origin)"]).joined(separator: "; ")
  }
}
