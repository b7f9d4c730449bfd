import GTFSRealtime

/// Which translation of an alert a person gets.
///
/// The language asked for, then German, French, English, Italian; of each the exact tag, then one of
/// the same language (`fr` and `fr-CH` are near). Then the text that names no language, then the
/// first.
enum AlertLanguage {
  /// The languages after the one asked for.
  static let chain = ["de", "fr", "en", "it"]

  /// The languages to look for, in order.
  static func preferences(_ language: String?) -> [String] {
    guard let language = language?.lowercased(), !language.isEmpty else { return chain }
    return [language] + chain.filter { $0 != language }
  }

  /// The place of the best translation; `nil` if there is none with a text.
  static func choose(
    _ translations: [TranslatedText.Translation],
    _ preferences: [String]
  ) -> Int? {
    let usable = translations.indices.filter { !translations[$0].text.isEmpty }
    guard !usable.isEmpty else { return nil }
    let tags = translations.map { $0.language?.lowercased() }
    for language in preferences {
      if let exact = usable.first(where: { tags[$0] == language }) { return exact }
      let wanted = primary(language)
      if let near = usable.first(where: { tags[$0].map(primary) == wanted }) { return near }
    }
    return usable.first { tags[$0] == nil } ?? usable.first
  }

  private static func primary(_ tag: String) -> Substring {
    tag.prefix { $0 != "-" && $0 != "_" }
  }
}
