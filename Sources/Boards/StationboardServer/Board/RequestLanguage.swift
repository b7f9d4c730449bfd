/// Which language a request wants.
package enum RequestLanguage {
  /// The languages of the contract.
  static let known = ["fr", "de", "it", "en"]

  /// The `lang` parameter, else the best of Accept-Language (RFC 9110 section 12.5.4), else none.
  package static func choose(parameter: String?, acceptLanguage: String?) -> String? {
    if let parameter, known.contains(primary(parameter)) { return primary(parameter) }
    guard let acceptLanguage else { return nil }
    var best: (tag: String, quality: Double)?
    for part in acceptLanguage.prefix(1_000).split(separator: ",").prefix(32) {
      let pieces = part.split(separator: ";")
      guard let range = pieces.first else { continue }
      let tag = primary(range)
      var quality = 1.0
      for piece in pieces.dropFirst() {
        let piece = piece.drop { $0 == " " }
        if piece.hasPrefix("q=") { quality = Double(piece.dropFirst(2)) ?? 0 }
      }
      guard known.contains(tag), quality > (best?.quality ?? 0) else { continue }
      best = (tag, quality)
    }
    return best?.tag
  }

  /// The primary subtag of a language tag: `fr` of `fr-CH` (RFC 5646).
  private static func primary(_ tag: some StringProtocol) -> String {
    String(tag).lowercased().drop { $0 == " " }
      .prefix { $0 != "-" && $0 != "_" && $0 != " " }.description
  }
}
