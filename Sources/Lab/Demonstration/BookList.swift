/// A list of invented books as a table that `csv_import` reads, with the blemishes of real lists.
///
/// The same number gives the same list; lists of different numbers have no book in common.
package struct BookList: Hashable, Sendable {
  /// The sizes of a list, in books; the most is what an import takes.
  package static let sizes = 1...10_000

  /// The number of the list, from 1 on.
  package let number: Int
  /// How many books it has.
  package let count: Int

  /// A list.
  package init(number: Int, count: Int) {
    self.number = number
    self.count = count
  }

  /// The name of its file.
  package var name: String { "library-\(number).csv" }

  /// The table: UTF-8, RFC 4180.
  package var text: String {
    var lines = ["Title,Author,ISBN13,My Rating"]
    lines.reserveCapacity(count + 1)
    for place in 0..<count {
      let book = (number - 1) * Self.sizes.upperBound + place
      lines.append("\"\(title(of: book))\",\(author(of: book)),\(isbn(of: book)),\(book % 6)")
    }
    return lines.joined(separator: "\r\n") + "\r\n"
  }

  private static let kinds = [
    "The Garden of", "A History of", "Letters from", "The Last", "Notes on", "Under the",
    "The Book of",
    "A Winter in", "The House of", "Songs of the", "The Map of", "Beyond the",
  ]
  private static let subjects = [
    "Salt", "Rivers", "Lanterns", "the North", "Glass", "Orchards", "Quiet Water", "Swifts",
    "Paper",
    "Lost Islands", "Clay", "Small Hours", "the Harbor", "Bells", "Stone Bridges", "Amber", "Moths",
  ]
  private static let firstNames = [
    "Ada", "Bruno", "Clara", "Davide", "Elin", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Katja",
    "Luca", "Maren",
  ]
  private static let lastNames = [
    "Aebi", "Brandt", "Corti", "Dufour", "Egger", "Favre", "Gerber", "Huber", "Imhof", "Jaquet",
    "Keller", "Lenz", "Meier", "Nadig", "Oberlin", "Pellet", "Rossi",
  ]

  private func title(of book: Int) -> String {
    let kind = Self.kinds[book % Self.kinds.count]
    let subject = Self.subjects[book / Self.kinds.count % Self.subjects.count]
    return "\(kind) \(subject), volume \(book / (Self.kinds.count * Self.subjects.count) + 1)"
  }

  private func author(of book: Int) -> String {
    let first = Self.firstNames[book * 7 % Self.firstNames.count]
    return "\(first) \(Self.lastNames[book * 5 % Self.lastNames.count])"
  }

  /// The number with its check digit; every 40th book has none, and every 97th a wrong digit.
  private func isbn(of book: Int) -> String {
    guard book % 40 != 39 else { return "" }
    let digits = String(978_000_000_000 + book).compactMap(\.wholeNumberValue)
    let sum = digits.enumerated().reduce(0) { $0 + $1.element * ($1.offset % 2 == 0 ? 1 : 3) }
    let check = (10 - sum % 10 + (book % 97 == 96 ? 1 : 0)) % 10
    return digits.map(String.init).joined() + String(check)
  }
}
