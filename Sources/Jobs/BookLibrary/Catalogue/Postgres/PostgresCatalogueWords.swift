import Books

/// The words of a catalogue in the text forms of PostgreSQL's `tsvector` and `tsquery`.
///
/// Words of titles have the weight A, those of authors B. Each word follows the slot of its catalogue.
struct PostgresCatalogueWords {
  /// The part of a work in which a word must be.
  enum Place: String {
    case title = "A"
    case author = "B"
    case any = ""
  }

  /// What each word begins with.
  let prefix: String

  init(slot: Int) { prefix = String(slot, radix: 36) + "." }

  /// The words of a work.
  func vector(title: String, authors: String) -> String {
    var text = ""
    var position = 0
    for (words, place) in [(title, Place.title), (authors, .author)] {
      for word in BookKey.words(words).prefix(CatalogueLimits.indexedWords) {
        guard let quoted = quoted(word) else { continue }
        position += 1
        text += "\(quoted):\(position)\(place.rawValue) "
      }
    }
    return text
  }

  /// A question for works with all of some words of a title, and of an author; `nil` if one of them is in no index.
  func all(_ step: CatalogueSearch.Title.Step) -> String? {
    var parts = step.words.map { part($0, .title) }
    if let family = step.family { parts.append(part(family, .author)) }
    let known = parts.compactMap(\.self)
    return known.count == parts.count ? known.joined(separator: " & ") : nil
  }

  /// Questions for works with a word each.
  func each(_ words: [String], _ place: Place) -> [String] { words.compactMap { part($0, place) } }

  private func part(_ word: String, _ place: Place) -> String? {
    quoted(word).map { place == .any ? $0 : "\($0):\(place.rawValue)" }
  }

  /// A word as a lexeme; `nil` for one that is too long.
  private func quoted(_ word: String) -> String? {
    // A word has letters, digits and marks of letters only; quotes keep it from being an operator.
    word.utf8.count <= CatalogueLimits.wordBytes ? "'\(prefix)\(word)'" : nil
  }
}
