import Books

/// Words that tesseract found, and the lines of spines that they make.
struct SpineText {
  /// A word of tesseract's TSV output.
  struct Word: Equatable {
    var text: String
    /// 0 to 100.
    var confidence: Double
    var left: Int
    var top: Int
    var width: Int
    var height: Int

    /// The same word in a picture of another size.
    func scaled(by factor: Int) -> Word {
      Word(
        text: text,
        confidence: confidence,
        left: left * factor,
        top: top * factor,
        width: width * factor,
        height: height * factor
      )
    }

    /// Whether half of the smaller of two words lies in the other.
    func covers(_ other: Word) -> Bool {
      let width = min(left + self.width, other.left + other.width) - max(left, other.left)
      let height = min(top + self.height, other.top + other.height) - max(top, other.top)
      guard width > 0, height > 0 else { return false }
      return width * height * 2 >= min(self.width * self.height, other.width * other.height)
    }
  }

  /// A line of words on one spine.
  struct Line: Equatable {
    var words: [Word]

    var text: String { words.map(\.text).joined(separator: " ") }
    /// The mean confidence of the letters, 0 to 1.
    var confidence: Double {
      let letters = words.reduce(0) { $0 + $1.text.count }
      guard letters > 0 else { return 0 }
      return words.reduce(0) { $0 + $1.confidence * Double($1.text.count) } / Double(letters) / 100
    }
    var left: Int { words.map(\.left).min() ?? 0 }
    var top: Int { words.map(\.top).min() ?? 0 }
    var right: Int { words.map { $0.left + $0.width }.max() ?? 0 }
    var bottom: Int { words.map { $0.top + $0.height }.max() ?? 0 }
  }

  /// A word below this is noise; names that are in no dictionary are rated low.
  static let leastWordConfidence = 15.0
  /// A line below this is noise.
  static let leastLineConfidence = 0.5
  /// A line with fewer letters and digits is noise.
  static let fewestLetters = 4
  /// The most words of a photo that are used.
  static let mostWords = 5_000

  /// Reads the words of tesseract's TSV output; other rows are passed.
  static func words(_ table: String) -> [Word] {
    var words: [Word] = []
    for row in table.split(separator: "\n").dropFirst() {
      let cells = row.split(separator: "\t", omittingEmptySubsequences: false)
      guard cells.count >= 12, cells[0] == "5", let confidence = Double(cells[10]),
        confidence >= leastWordConfidence, let left = Int(cells[6]), let top = Int(cells[7]),
        let width = Int(cells[8]), let height = Int(cells[9])
      else { continue }
      let text = cells[11].filter { !$0.isWhitespace }
      guard text.contains(where: { $0.isLetter || $0.isNumber }) else { continue }
      words.append(
        Word(
          text: String(text),
          confidence: confidence,
          left: left,
          top: top,
          width: width,
          height: height
        )
      )
      if words.count == mostWords { break }
    }
    return words
  }

  /// Merges the words of two readings of one picture; of words found by both, the one with the
  /// higher confidence counts.
  static func merged(_ first: [Word], _ second: [Word]) -> [Word] {
    var words = first
    for word in second {
      if let same = words.firstIndex(where: { $0.covers(word) }) {
        if words[same].confidence < word.confidence { words[same] = word }
      } else {
        words.append(word)
      }
    }
    return words
  }

  /// Groups adjacent words into lines: their heights overlap by half of the lower one.
  static func lines(_ words: [Word]) -> [Line] {
    var lines: [Line] = []
    for word in words.sorted(by: {
      ($0.top + $0.height / 2, $0.left) < ($1.top + $1.height / 2, $1.left)
    }) {
      let place = lines.lastIndex { line in
        let overlap = min(line.bottom, word.top + word.height) - max(line.top, word.top)
        return overlap * 2 >= min(line.bottom - line.top, word.height)
      }
      if let place {
        lines[place].words.append(word)
      } else {
        lines.append(Line(words: [word]))
      }
    }
    for index in lines.indices { lines[index].words.sort { $0.left < $1.left } }
    return lines.filter { line in
      line.confidence >= leastLineConfidence
        && line.text.count { $0.isLetter || $0.isNumber } >= fewestLetters
    }
  }

  /// The numbers in a line whose check digits are right: `ISBN 978-0-441-01359-3`.
  static func numbers(in text: String) -> [ISBN] {
    var numbers: [ISBN] = []
    var run: [UInt8] = []
    func end() {
      if run.count == 13 || run.count == 10, let isbn = ISBN(String(decoding: run, as: UTF8.self)) {
        numbers.append(isbn)
      }
      run = []
    }
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39: run.append(byte)
      case 0x58 where run.count == 9, 0x78 where run.count == 9: run.append(byte)
      case 0x20, 0x2D:
        if run.count >= 13 { end() }
      default: end()
      }
    }
    end()
    return numbers
  }
}
