extension BookRecord {
  /// Takes over what a source has changed since it was asked last, and keeps what a person has changed here.
  ///
  /// A member that the source says as before stays as it is. One that it changed, or removed, is changed here if it
  /// still is what a source has said; otherwise a person has changed it, and it stays. What one source removes and
  /// another still says stays too. The number of the book is not changed: that depends on other books.
  ///
  /// - Parameters:
  ///   - newer: The current record of the source.
  ///   - base: Its previous record.
  ///   - others: The records of other sources.
  /// - Returns: The names of the members that the source and a person have changed to different values.
  package mutating func sync(
    with newer: BookRecord,
    base: BookRecord,
    others: [BookRecord] = []
  ) -> [String] {
    var kept: [String] = []
    for member in Self.members where !member.sync(&self, newer, base, others) {
      kept.append(member.name)
    }
    let removed = Set(base.shelves).subtracting(newer.shelves)
      .subtracting(others.flatMap(\.shelves))
    shelves.removeAll(where: removed.contains)
    let known = Set(shelves).union(base.shelves)
    shelves += newer.shelves.filter { !known.contains($0) }
    if Set(shelves) == Set(newer.shelves) { shelves = newer.shelves }
    return kept
  }

  /// The names of the members of the owner's that another record of the same book says differently.
  package func differences(from other: BookRecord) -> [String] {
    Self.members.filter { $0.isOwners && $0.differs(self, other) }.map(\.name)
  }

  /// Whether this is what a source said of a book, except for numbers and identifiers.
  package func says(whatIsSaidBy source: BookRecord) -> Bool {
    shelves == source.shelves && Self.members.allSatisfy { $0.isSame(self, source) }
  }

  /// A member and how two values of it are put together.
  private struct Member: Sendable {
    var name: String
    /// Whether it is about the owner, not about the book.
    var isOwners: Bool
    /// Whether both have the same value.
    var isSame: @Sendable (BookRecord, BookRecord) -> Bool
    /// Whether both have a value, and not the same.
    var differs: @Sendable (BookRecord, BookRecord) -> Bool
    /// Takes over a change; false if it is kept out.
    var sync: @Sendable (inout BookRecord, BookRecord, BookRecord, [BookRecord]) -> Bool

    init<Value: Equatable>(
      _ name: String,
      _ path: any WritableKeyPath<BookRecord, Value> & Sendable,
      nothing: Value,
      isOwners: Bool = false
    ) where Value: Sendable {
      self.name = name
      self.isOwners = isOwners
      isSame = { $0[keyPath: path] == $1[keyPath: path] }
      differs = { first, second in
        let (own, other) = (first[keyPath: path], second[keyPath: path])
        return own != other && own != nothing && other != nothing
      }
      sync = { record, newer, base, others in
        let (own, new, old) = (record[keyPath: path], newer[keyPath: path], base[keyPath: path])
        guard new != old, new != own else { return true }
        let isOthers = others.contains { $0[keyPath: path] == own }
        if new == nothing, isOthers, own != nothing { return true }
        guard own == old || isOthers else { return false }
        record[keyPath: path] = new
        return true
      }
    }
  }

  private static let members: [Member] = [
    Member("title", \.title, nothing: ""), Member("authors", \.authors, nothing: []),
    Member("series", \.series, nothing: nil), Member("series number", \.seriesNumber, nothing: nil),
    Member("publisher", \.publisher, nothing: nil), Member("format", \.format, nothing: nil),
    Member("pages", \.pages, nothing: nil), Member("year", \.year, nothing: nil),
    Member("first year", \.firstYear, nothing: nil), Member("language", \.language, nothing: nil),
    Member("status", \.status, nothing: nil, isOwners: true),
    Member("rating", \.rating, nothing: nil, isOwners: true),
    Member("started", \.started, nothing: nil, isOwners: true),
    Member("finished", \.finished, nothing: nil, isOwners: true),
    Member("readings", \.readings, nothing: [], isOwners: true),
    Member("added", \.added, nothing: nil),
    Member("review", \.review, nothing: nil, isOwners: true),
    Member("notes", \.notes, nothing: nil, isOwners: true),
    Member("read count", \.readCount, nothing: nil, isOwners: true),
    Member("owned", \.owned, nothing: nil, isOwners: true),
    Member("Open Library", \.openLibrary, nothing: nil),
  ]
}

extension BookRecord {
  /// Whether this is another book than one with the same number.
  ///
  /// Titles with different numbers and titles that are not alike are those of different books; a title that is missing
  /// says nothing.
  package func isOther(than other: BookRecord) -> Bool {
    guard !title.isEmpty, !other.title.isEmpty else { return false }
    return TitleComparison(title, other.title) == .otherNumber
      || BookMatch.titleSimilarity(title, other.title) < Self.leastAlike
  }

  /// Below this titles are those of different books.
  private static let leastAlike = 0.4

  /// Whether this is another book than one with the same title: both are of a series, and not of the same one, or not
  /// the same volume.
  package func hasOtherSeries(than other: BookRecord) -> Bool {
    guard let series, let otherSeries = other.series else { return false }
    if let seriesNumber, let otherNumber = other.seriesNumber, seriesNumber != otherNumber {
      return true
    }
    // "Dune" and "Dune Chronicles" are one.
    let words = Set(BookKey.words(series)).subtracting(["the", "a", "of", "series", "saga"])
    let otherWords = Set(BookKey.words(otherSeries))
    return !words.isEmpty && !otherWords.isEmpty && words.isDisjoint(with: otherWords)
  }
}
