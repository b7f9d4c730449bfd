/// The content of a cell where a rating is expected.
package enum RatingCell: Hashable, Sendable {
  /// No rating; Goodreads writes 0 for that.
  case none
  /// Stars in quarters, 1 for a quarter of a star, 20 for five stars.
  case quarters(Int)
  /// Something else.
  case unreadable

  /// The stars of the best rating.
  package static let stars = 5
  /// The most that a rating may be out of.
  private static let largestScale = 100
  /// The most digits of a rating before its point.
  private static let mostDigits = 3

  /// Reads a rating: a number with a point or a comma, `4/5`, `80%`, `★★★★☆`.
  ///
  /// - Parameters:
  ///   - cell: The cell.
  ///   - scale: Out of how many a number is that does not say it itself.
  package init(_ cell: String, scale: Int = stars) {
    let text = CellText.withoutBrackets(cell)
    guard !text.isEmpty else {
      self = .none
      return
    }
    if let drawn = Self.drawn(text) {
      self = Self.rating(drawn * 100, outOf: Self.stars)
      return
    }
    if text.hasSuffix("%") {
      self =
        Self.hundredths(CellText.trimmed(text.dropLast())).map { Self.rating($0, outOf: 100) }
        ?? .unreadable
      return
    }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count == 2 {
      guard let number = Self.hundredths(CellText.trimmed(parts[0])),
        let whole = Int(CellText.trimmed(parts[1])), 1...Self.largestScale ~= whole
      else {
        self = .unreadable
        return
      }
      self = Self.rating(number, outOf: whole)
      return
    }
    self = Self.hundredths(text[...]).map { Self.rating($0, outOf: scale) } ?? .unreadable
  }

  /// The number of drawn stars; `nil` if the cell has other content too.
  private static func drawn(_ text: String) -> Int? {
    let (full, empty): (Set<Unicode.Scalar>, Set<Unicode.Scalar>) = (
      ["★", "⭐", "✭", "*"], ["☆", "✩"]
    )
    // An emoji has a selector of its form behind it.
    let marks = text.unicodeScalars.filter { $0 != "\u{FE0F}" && $0 != " " }
    guard !marks.isEmpty, marks.allSatisfy({ full.contains($0) || empty.contains($0) }) else {
      return nil
    }
    return marks.count { full.contains($0) }
  }

  /// Reads a number with a point or a comma, in hundredths; `nil` if it is not a number, or too large for any rating.
  static func hundredths(_ text: Substring) -> Int? {
    let mark: UInt8 = text.utf8.contains(0x2E) ? 0x2E : 0x2C
    let pieces = text.utf8.split(separator: mark, omittingEmptySubsequences: false)
    guard pieces.count <= 2, pieces[0].count <= mostDigits,
      pieces[0].allSatisfy({ 0x30...0x39 ~= $0 }), let whole = Int(String(pieces[0]) ?? "")
    else { return nil }
    guard pieces.count == 2 else { return whole * 100 }
    let digits = pieces[1].prefix(2)
    guard !digits.isEmpty, pieces[1].allSatisfy({ 0x30...0x39 ~= $0 }),
      let fraction = Int(String(digits) ?? "")
    else { return nil }
    return whole * 100 + (digits.count == 1 ? fraction * 10 : fraction)
  }

  private static func rating(_ hundredths: Int, outOf scale: Int) -> RatingCell {
    guard hundredths <= scale * 100 else { return .unreadable }
    // Half a quarter is rounded up.
    let quarters = (hundredths * stars * 4 + scale * 50) / (scale * 100)
    return quarters == 0 ? .none : .quarters(quarters)
  }

  /// Quarters of stars as people write them: `4`, `3.5`, `4.25`.
  package static func text(quarters: Int) -> String {
    let whole = quarters / 4
    switch quarters % 4 {
    case 0: return "\(whole)"
    case 1: return "\(whole).25"
    case 2: return "\(whole).5"
    default: return "\(whole).75"
    }
  }
}
