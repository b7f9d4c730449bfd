import GTFSRealtime

/// Which translation of an alert a person gets.
///
/// The language asked for, then that of the feed; of each the exact tag, then one of the same language (`fr`
/// and `fr-CH` are near). Then the text that names no language, then English, then the first.
enum AlertLanguage {
  /// The fallback if neither the requested language nor the feed's is available.
  static let common = "en"

  /// The preferred languages, in order.
  ///
  /// - Parameters:
  ///   - language: The language asked for; `nil` for none in particular.
  ///   - feed: The language of the timetable; `nil` if it does not say, `mul` if it has several.
  /// - Returns: Language tags in lower case.
  static func preferences(_ language: String?, feed: String?) -> [String] {
    var preferences: [String] = []
    for tag in [language, feed] {
      guard let tag = tag?.lowercased(), !tag.isEmpty, tag != "mul" else { continue }
      if !preferences.contains(tag) { preferences.append(tag) }
    }
    return preferences
  }

  /// The index of the best translation; `nil` if every translation is empty.
  static func choose(
    _ translations: [TranslatedText.Translation],
    _ preferences: [String]
  ) -> Int? {
    let usable = translations.indices.filter { !translations[$0].text.isEmpty }
    guard !usable.isEmpty else { return nil }
    let tags = translations.map { $0.language?.lowercased() }
    func place(of language: String) -> Int? {
      if let exact = usable.first(where: { tags[$0] == language }) { return exact }
      let wanted = primary(language)
      return usable.first { tags[$0].map(primary) == wanted }
    }
    for language in preferences {
      if let place = place(of: language) { return place }
    }
    return usable.first { tags[$0] == nil } ?? place(of: common) ?? usable.first
  }

  private static func primary(_ tag: String) -> Substring {
    tag.prefix { $0 != "-" && $0 != "_" }
  }
}
