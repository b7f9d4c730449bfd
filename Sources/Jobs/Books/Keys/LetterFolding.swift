/// Writes letters small and in one way, and those of Latin, Greek and Cyrillic without their marks.
///
/// The table is what Unicode's compatibility decomposition gives for the small letters of Latin-1, Latin
/// Extended-A, -B and Additional, and the usual spelling of the letters that have no decomposition; other letters
/// with several spellings are in ``Decompositions``. Marks of other scripts are part of what is written, such as
/// the vowels of Devanagari, the tones of Thai and the voicing of kana, and stay; only the vowel points of
/// Hebrew and Arabic, which most texts leave out, go.
struct LetterFolding {
  private static let letters: [(String, String)] = [
    ("a", "àáâãäåāăąǎǟǡǻȁȃȧḁạảấầẩẫậắằẳẵặ"),
    ("b", "ḃḅḇ"),
    ("c", "çćĉċčḉ"),
    ("d", "ðďđḋḍḏḑḓ"),
    ("e", "èéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ"),
    ("f", "ƒḟ"),
    ("g", "ĝğġģǧǵḡ"),
    ("h", "ĥħȟḣḥḧḩḫẖ"),
    ("i", "ìíîïĩīĭįıǐȉȋḭḯỉị"),
    ("j", "ĵǰ"),
    ("k", "ķĸǩḱḳḵ"),
    ("l", "ĺļľŀłḷḹḻḽ"),
    ("m", "ḿṁṃ"),
    ("n", "ñńņňŉŋǹṅṇṉṋ"),
    ("o", "òóôõöøōŏőơǒǫǭǿȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợ"),
    ("p", "ṕṗ"),
    ("r", "ŕŗřȑȓṙṛṝṟ"),
    ("s", "śŝşšſșṡṣṥṧṩẛ"),
    ("t", "ţťŧțṫṭṯṱẗ"),
    ("u", "ùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự"),
    ("v", "ṽṿ"),
    ("w", "ŵẁẃẅẇẉẘ"),
    ("x", "ẋẍ"),
    ("y", "ýÿŷȳẏẙỳỵỷỹ"),
    ("z", "źżžẑẓẕ"),
    ("ae", "æǣǽ"),
    ("dz", "ǆǳ"),
    ("ij", "ĳ"),
    ("lj", "ǉ"),
    ("nj", "ǌ"),
    ("oe", "œ"),
    ("ss", "ß"),
    ("th", "þ"),
    ("σ", "ς"),
  ]

  private static let table: [UInt32: [Unicode.Scalar]] = {
    var table = Decompositions.table
    for (plain, marked) in letters {
      for scalar in marked.unicodeScalars { table[scalar.value] = Array(plain.unicodeScalars) }
    }
    return table
  }()

  /// The character before a mark.
  private enum Base {
    /// No letter.
    case none
    /// A letter whose marks are dropped.
    case plain
    /// A letter whose marks count.
    case marked
  }

  private var base = Base.none
  /// The trailing marks, and where they begin in the text.
  private var marks: (start: Int, scalars: [Unicode.Scalar]) = (0, [])
  /// The last letter, if it is Hangul.
  private var hangul: UInt32?

  /// Begins at the start of a word.
  init() {}

  /// A word ends: a mark that comes next is one of nothing.
  mutating func endWord() { begin(.none) }

  /// Appends a character of a word, folded, in UTF-8.
  mutating func append(_ scalar: Unicode.Scalar, to text: inout [UInt8]) {
    if scalar.isASCII {
      let byte = UInt8(truncatingIfNeeded: scalar.value)
      text.append(0x41...0x5A ~= byte ? byte | 0x20 : byte)
      if byte < 0x3A { endWord() } else { begin(.plain) }
      return
    }
    if let plain = Self.table[scalar.value] {
      for scalar in plain { put(scalar, to: &text) }
      return
    }
    for small in scalar.properties.lowercaseMapping.unicodeScalars {
      if let plain = Self.table[small.value] {
        for scalar in plain { put(scalar, to: &text) }
      } else {
        put(small, to: &text)
      }
    }
  }

  private mutating func begin(_ base: Base) {
    self.base = base
    if !marks.scalars.isEmpty { marks.scalars = [] }
    hangul = nil
  }

  /// Appends what is folded, unless it is a mark that goes.
  private mutating func put(_ scalar: Unicode.Scalar, to text: inout [UInt8]) {
    switch scalar.properties.generalCategory {
    case .nonspacingMark:
      guard base == .marked, !Self.isOptional(scalar) else { return }
      append(mark: scalar, to: &text)
    case .spacingMark:
      guard base != .none else { return }
      append(mark: scalar, to: &text)
    case .decimalNumber, .letterNumber, .otherNumber:
      endWord()
      text.append(contentsOf: Self.bytes(scalar))
    default:
      if let before = hangul, let syllable = Self.syllable(before, scalar.value) {
        text.removeLast(3)
        text.append(contentsOf: Self.bytes(syllable))
        begin(.marked)
        hangul = syllable.value
        return
      }
      begin(Self.losesMarks(scalar.value) ? .plain : .marked)
      text.append(contentsOf: Self.bytes(scalar))
      if Self.beginsSyllable(scalar.value) { hangul = scalar.value }
    }
  }

  /// Appends a mark in canonical order: by class, as far as the class is not 0.
  private mutating func append(mark: Unicode.Scalar, to text: inout [UInt8]) {
    hangul = nil
    let order = mark.properties.canonicalCombiningClass
    if order == .notReordered { marks.scalars = [] }
    if marks.scalars.isEmpty { marks.start = text.count }
    let place = marks.scalars.lastIndex { $0.properties.canonicalCombiningClass <= order }
    let index = place.map { $0 + 1 } ?? 0
    guard index < marks.scalars.count else {
      text.append(contentsOf: Self.bytes(mark))
      if order != .notReordered { marks.scalars.append(mark) }
      return
    }
    marks.scalars.insert(mark, at: index)
    text.removeSubrange(marks.start...)
    for mark in marks.scalars { text.append(contentsOf: Self.bytes(mark)) }
  }

  private static func bytes(_ scalar: Unicode.Scalar) -> String.UTF8View { String(scalar).utf8 }

  /// Whether a letter is Latin, Greek or Cyrillic.
  private static func losesMarks(_ letter: UInt32) -> Bool {
    switch letter {
    case ..<0x530, 0x1C80...0x1C8F, 0x1D00...0x1DBF, 0x1E00...0x1FFF, 0x2C60...0x2C7F,
      0xA640...0xA69F, 0xA720...0xA7FF, 0xAB30...0xAB6F, 0xFB00...0xFB06, 0xFF21...0xFF5A:
      true
    default: false
    }
  }

  /// Whether a mark is often left out: points of Hebrew and Arabic, and invisible characters.
  private static func isOptional(_ mark: Unicode.Scalar) -> Bool {
    switch mark.value {
    case 0x591...0x5C7, 0x610...0x61A, 0x64B...0x652, 0x656...0x65F, 0x670, 0x6D6...0x6ED: true
    default: mark.properties.isDefaultIgnorableCodePoint
    }
  }

  // MARK: Hangul

  private static let syllables: ClosedRange<UInt32> = 0xAC00...0xD7A3

  /// Whether a letter may begin a syllable.
  private static func beginsSyllable(_ letter: UInt32) -> Bool {
    0x1100...0x1112 ~= letter || syllables ~= letter
  }

  /// The syllable composed of two parts (Unicode, section 3.12); `nil` if they do not compose.
  private static func syllable(_ before: UInt32, _ next: UInt32) -> Unicode.Scalar? {
    if 0x1100...0x1112 ~= before, 0x1161...0x1175 ~= next {
      return Unicode.Scalar(0xAC00 + ((before - 0x1100) * 21 + next - 0x1161) * 28)
    }
    if syllables ~= before, (before - 0xAC00) % 28 == 0, 0x11A8...0x11C2 ~= next {
      return Unicode.Scalar(before + next - 0x11A7)
    }
    return nil
  }
}
