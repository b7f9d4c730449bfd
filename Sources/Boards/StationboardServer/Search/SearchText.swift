import Foundation

/// How names and queries are written before they are compared.
///
/// Lower case, no accents, punctuation as spaces, common abbreviations spelled one way
/// (research on the seed's search: `st` and `sr` are `saint`, every `hauptbahnhof` is `hb`).
package enum SearchText {
  /// Words that say "this is the station" and nothing about where.
  static let stationWords: Set<String> = [
    "gare", "bahnhof", "station", "stazione", "bahnhofplatz", "hb", "centrale", "railway",
  ]

  private static let abbreviations = [
    "sr": "saint", "st": "saint", "ste": "sainte", "hauptbahnhof": "hb", "hbf": "hb",
  ]

  private static let ligatures: [Unicode.Scalar: String] = [
    "ß": "ss", "œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d", "ı": "i",
  ]

  /// A text as words: "Zürich Hauptbahnhof" becomes `zurich hb`.
  package static func normalized(_ text: String) -> String {
    words(text).joined(separator: " ")
  }

  /// A query as words, with long abbreviations recognised in spite of typing errors.
  static func normalized(query: String) -> String {
    let long = abbreviations.filter { $0.key.utf8.count >= 8 }
    return words(query).map { word in
      guard word.utf8.count >= 8 else { return word }
      let meant = long.first { full, _ in
        EditDistance.between(Array(word.utf8), Array(full.utf8), limit: 2) != nil
      }
      return meant?.value ?? word
    }
    .joined(separator: " ")
  }

  /// The words of a text.
  static func words(_ text: String) -> [String] {
    var words: [String] = []
    var word = ""
    func close() {
      guard !word.isEmpty else { return }
      words.append(abbreviations[word] ?? word)
      word = ""
    }
    let isPlain = text.utf8.allSatisfy { $0 < 0x80 }
    let folded = isPlain ? text : text.decomposedStringWithCompatibilityMapping
    for scalar in folded.lowercased().unicodeScalars {
      if let letters = ligatures[scalar] {
        word += letters
      } else if scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
        word.unicodeScalars.append(scalar)
      } else if !isMark(scalar) {
        close()
      }
    }
    close()
    return words
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }

  /// The query as German keyboards without umlauts write it ("zuerich"), with the umlauts' plain
  /// vowels; `nil` if there is nothing to change.
  static func withoutUmlautSpelling(_ normalized: String) -> String? {
    let changed =
      normalized.replacing("ae", with: "a").replacing("oe", with: "o").replacing("ue", with: "u")
    return changed == normalized ? nil : changed
  }
}
