/// A text in one or more languages (`TranslatedString`).
package struct TranslatedText: Hashable, Sendable {
  /// The text in one language.
  package struct Translation: Hashable, Sendable {
    /// The text; HTML is not interpreted.
    package var text: String
    /// The BCP 47 tag of its language, as the feed writes it; `nil` if it does not say.
    package var language: String?

    /// Creates a translation.
    package init(text: String, language: String? = nil) {
      self.text = text
      self.language = language
    }
  }

  /// The translations, in the order of the feed.
  package var translations: [Translation]

  /// Creates a text.
  package init(_ translations: [Translation]) { self.translations = translations }

  /// Whether every translation is empty.
  package var isEmpty: Bool { translations.allSatisfy(\.text.isEmpty) }

  /// The text in the first of the preferred languages that there is one in.
  ///
  /// A preference matches a translation of the same language, whatever its region and case: `de` and
  /// `de-CH` match each other, the exact tag first. Without a match: the translation that names no
  /// language, then the first. Empty texts do not count.
  package func text(in languages: [String]) -> String? {
    let usable = translations.filter { !$0.text.isEmpty }
    for language in languages {
      let wanted = language.lowercased()
      if let exact = usable.first(where: { $0.language?.lowercased() == wanted }) {
        return exact.text
      }
      let primary = Self.primarySubtag(wanted)
      if let near = usable.first(where: {
        $0.language.map { Self.primarySubtag($0.lowercased()) } == primary
      }) {
        return near.text
      }
    }
    return (usable.first { $0.language == nil } ?? usable.first)?.text
  }

  private static func primarySubtag(_ tag: String) -> Substring {
    tag.prefix { $0 != "-" && $0 != "_" }
  }
}
