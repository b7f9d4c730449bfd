/// What stands in a cell where a rating is expected.
package enum RatingCell: Hashable, Sendable {
  /// No rating; Goodreads writes 0 for that.
  case none
  /// Stars in quarters, 1 for a quarter of a star, 20 for five stars.
  case quarters(Int)
  /// Something else.
  case unreadable

  /// Reads a number of stars, 0 to 5, with a point or a comma.
  package init(_ cell: String) {
    let text = CellText.withoutBrackets(cell)
    guard !text.isEmpty else {
      self = .none
      return
    }
    let mark: UInt8 = text.utf8.contains(0x2E) ? 0x2E : 0x2C
    let pieces = text.utf8.split(separator: mark, omittingEmptySubsequences: false)
    guard pieces.count <= 2, let whole = Int(String(pieces[0]) ?? ""), 0...5 ~= whole else {
      self = .unreadable
      return
    }
    var hundredths = whole * 100
    if pieces.count == 2 {
      let digits = pieces[1].prefix(2)
      guard !digits.isEmpty, pieces[1].allSatisfy({ 0x30...0x39 ~= $0 }),
        let fraction = Int(String(digits) ?? "")
      else {
        self = .unreadable
        return
      }
      hundredths += digits.count == 1 ? fraction * 10 : fraction
    }
    guard hundredths <= 500 else {
      self = .unreadable
      return
    }
    let quarters = (hundredths + 12) / 25
    self = quarters == 0 ? .none : .quarters(quarters)
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
