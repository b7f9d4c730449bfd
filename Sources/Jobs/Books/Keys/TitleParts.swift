/// A title split for comparisons: its name, what follows the name, and its numbers.
struct TitleParts {
  /// The folded words of the title itself, without numbers.
  var main: [String] = []
  /// The folded words of each subtitle, without numbers; none that says only what kind of book or edition it is.
  var subtitles: [[String]] = []
  /// The numbers of the title itself, in ascending order: of a volume, of a year.
  var numbers: [Int] = []
  /// The numbers of the subtitles, in ascending order.
  var furtherNumbers: [Int] = []
  /// The folded name of the series in brackets.
  var series: String?
  /// The number in that series.
  var seriesNumber: Int?

  /// All words, those of the subtitles last.
  var words: [String] { main + subtitles.flatMap(\.self) }
  /// All numbers, in ascending order.
  var allNumbers: [Int] { (numbers + furtherNumbers).sorted() }

  /// Takes a title apart.
  init(_ title: String) {
    let parts = SeriesTitle(CellText.onOneLine(title))
    if let number = parts.number {
      series = parts.series.map { BookKey.words($0).joined(separator: " ") }
      seriesNumber = Self.pieces(of: number).first.flatMap { Int($0) }
    }
    for (index, segment) in Self.segments(of: parts.title).enumerated() {
      let pieces = Self.pieces(of: segment)
      if index > 0, Self.saysKind(pieces) { continue }
      let (words, numbers) = Self.numbered(pieces)
      if index == 0 {
        main = words
        self.numbers = numbers
      } else if words.isEmpty, subtitles.isEmpty {
        // "Saga: Volume 5" is the fifth volume of Saga.
        self.numbers += numbers
      } else {
        if !words.isEmpty { subtitles.append(words) }
        furtherNumbers += numbers
      }
    }
    // An article at the start says nothing.
    if main.count > 1, ["the", "a", "an"].contains(main[0]) { main.removeFirst() }
    numbers.sort()
    furtherNumbers.sort()
  }

  // MARK: Segments

  /// The text between colons, semicolons, dashes with spaces around them, and brackets.
  private static func segments(of title: String) -> [String] {
    var segments: [String] = [""]
    let characters = Array(title)
    for (index, character) in characters.enumerated() {
      func isWhitespace(_ place: Int) -> Bool {
        characters.indices.contains(place) && characters[place].isWhitespace
      }
      switch character {
      case ":", ";", "(", ")", "[", "]", "\u{2014}": segments.append("")
      case "-", "\u{2013}", "/":
        if isWhitespace(index - 1), isWhitespace(index + 1) {
          segments.append("")
        } else {
          segments[segments.count - 1].append(" ")
        }
      default: segments[segments.count - 1].append(character)
      }
    }
    let filled = segments.filter { !BookKey.words($0).isEmpty }
    return filled.isEmpty ? [title] : filled
  }

  /// The folded words of a text; adjacent digits and letters are separate words.
  private static func pieces(of text: String) -> [String] {
    BookKey.words(text).flatMap { word -> [String] in
      var pieces: [String] = []
      var wasDigit = false
      for character in word {
        let isDigit = character.isASCII && character.isNumber
        if pieces.isEmpty || isDigit != wasDigit { pieces.append("") }
        pieces[pieces.count - 1].append(character)
        wasDigit = isDigit
      }
      // "2nd" is a number.
      if pieces.count == 2, ["st", "nd", "rd", "th"].contains(pieces[1]),
        pieces[0].first?.isNumber == true
      {
        pieces.removeLast()
      }
      return pieces
    }
  }

  /// Whether a subtitle says only what kind of book or which printing it is.
  private static func saysKind(_ words: [String]) -> Bool {
    if words.contains(where: printings.contains) { return true }
    let plain = words.filter { !["a", "an", "the", "and", "of"].contains($0) }
    return !plain.isEmpty && plain.count <= 2 && plain.allSatisfy(kinds.contains)
  }

  private static let printings: Set<String> = [
    "edition", "ed", "ausgabe", "edicion", "edizione", "unabridged", "abridged", "reprint",
    "hardcover",
    "paperback", "kindle", "ebook", "audiobook",
  ]
  private static let kinds: Set<String> = [
    "novel", "novella", "novels", "memoir", "memoirs", "story", "stories", "poem", "poems",
    "poetry", "play",
    "plays", "essay", "essays", "thriller", "mystery", "romance", "biography", "autobiography",
    "fiction",
    "graphic", "illustrated", "deluxe", "roman", "erzahlung", "erzahlungen", "novela", "romanzo",
    "recit",
    "classics", "penguin", "vintage", "modern",
  ]

  // MARK: Numbers

  /// Takes the numbers out of some words, with the words that announce them: `volume 5`, `part two`, `2 of 3`.
  private static func numbered(_ pieces: [String]) -> (words: [String], numbers: [Int]) {
    var words: [String] = []
    var numbers: [Int] = []
    for (index, piece) in pieces.enumerated() {
      let isAnnounced = words.last.map(announcements.contains) ?? false
      let isLast = index == pieces.count - 1
      guard let number = number(piece, mayBeLetter: isAnnounced || (isLast && index > 0)) else {
        words.append(piece)
        continue
      }
      if isAnnounced { words.removeLast() }
      if words.last == "of", index >= 2, Self.number(pieces[index - 2], mayBeLetter: false) != nil {
        // "1 of 3" is the first.
        words.removeLast()
        continue
      }
      numbers.append(number)
    }
    return (words, numbers)
  }

  /// The number that a word is: digits, a Roman numeral, a number or an ordinal in English.
  private static func number(_ word: String, mayBeLetter: Bool) -> Int? {
    if word.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) { return Int(word.prefix(9)) }
    if let number = spelled[word] { return number }
    guard word.utf8.count > 1 || mayBeLetter else { return nil }
    return roman[word]
  }

  private static let announcements: Set<String> = [
    "volume", "vol", "vols", "book", "bk", "part", "pt", "no", "nr", "number", "issue", "chapter",
    "tome",
    "tomo", "band", "bd", "teil", "buch", "libro", "livre", "parte", "partie", "deel", "том",
    "часть",
    "книга",
  ]

  private static let spelled: [String: Int] = {
    let cardinals =
      "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
      + "seventeen eighteen nineteen twenty"
    let ordinals =
      "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
      + "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
    var numbers: [String: Int] = [:]
    for list in [cardinals, ordinals] {
      for (index, word) in list.split(separator: " ").enumerated() {
        numbers[String(word)] = index + 1
      }
    }
    return numbers
  }()

  /// The numerals of 1 to 39; larger ones have letters that words are made of.
  private static let roman: [String: Int] = {
    let units = ["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"]
    var numerals: [String: Int] = [:]
    for number in 1..<40 {
      numerals[String(repeating: "x", count: number / 10) + units[number % 10]] = number
    }
    return numerals
  }()
}
