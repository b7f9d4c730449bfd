extension BookRecord {
  /// Takes over what a newer row says about the same book.
  ///
  /// Members that the row lacks stay. An existing title and authors stay, since services spell them differently;
  /// shelves are added.
  ///
  /// - Returns: Whether anything has changed.
  package mutating func update(with newer: BookRecord) -> Bool {
    merge(newer, replaces: true)
  }

  /// Takes over what this record does not say.
  ///
  /// - Returns: Whether anything has changed.
  package mutating func complete(with other: BookRecord) -> Bool {
    merge(other, replaces: false)
  }

  private mutating func merge(_ other: BookRecord, replaces: Bool) -> Bool {
    let before = self
    func chosen<Value>(_ own: Value?, _ theirs: Value?) -> Value? {
      replaces ? theirs ?? own : own ?? theirs
    }
    if title.isEmpty { title = other.title }
    if authors.isEmpty { authors = other.authors }
    isbn = isbn ?? other.isbn
    isbnText = isbn == nil ? isbnText ?? other.isbnText : nil
    if series == nil {
      series = other.series
      seriesNumber = other.seriesNumber
    }
    publisher = publisher ?? other.publisher
    format = format ?? other.format
    pages = pages ?? other.pages
    year = year ?? other.year
    firstYear = firstYear ?? other.firstYear
    language = language ?? other.language
    openLibrary = openLibrary ?? other.openLibrary
    entry = entry ?? other.entry
    status = chosen(status, other.status)
    rating = chosen(rating, other.rating)
    started = chosen(started, other.started)
    finished = chosen(finished, other.finished)
    if replaces ? !other.readings.isEmpty : readings.isEmpty { readings = other.readings }
    added = added ?? other.added
    review = chosen(review, other.review)
    notes = chosen(notes, other.notes)
    readCount = chosen(readCount, other.readCount)
    owned = chosen(owned, other.owned)
    for shelf in other.shelves where !shelves.contains(shelf) { shelves.append(shelf) }
    return self != before
  }
}
