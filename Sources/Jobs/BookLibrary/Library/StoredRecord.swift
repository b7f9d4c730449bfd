import Books
import StrictJSON

/// A record as JSON, as it is kept of what a source said of a book, and of books that were removed.
enum StoredRecord {
  /// The text of a record; members without a value are left out.
  static func text(_ book: BookRecord) -> String {
    var members: [String: JSONValue] = ["title": .string(book.title)]
    func put(_ name: String, _ text: String?) { if let text { members[name] = .string(text) } }
    func put(_ name: String, _ number: Int?) {
      if let number { members[name] = .whole(Int64(number)) }
    }
    func put(_ name: String, _ texts: [String]) {
      if !texts.isEmpty { members[name] = .list(texts.map(JSONValue.string)) }
    }
    put("authors", book.authors)
    put("isbn", book.isbn?.description)
    put("isbnText", book.isbnText)
    put("series", book.series)
    put("seriesNumber", book.seriesNumber)
    put("publisher", book.publisher)
    put("format", book.format)
    put("pages", book.pages)
    put("year", book.year)
    put("firstYear", book.firstYear)
    put("language", book.language)
    put("status", book.status?.rawValue)
    put("rating", book.rating)
    put("started", book.started?.description)
    put("finished", book.finished?.description)
    put("readings", book.readings.map(\.description))
    put("added", book.added?.description)
    put("shelves", book.shelves)
    put("review", book.review)
    put("notes", book.notes)
    put("readCount", book.readCount)
    put("owned", book.owned)
    put("entry", book.entry)
    put("openLibrary", book.openLibrary)
    return String(decoding: JSONValue.object(members).bytes, as: UTF8.self)
  }

  /// The record in a string; `nil` if the string is not a record.
  static func record(_ text: String) -> BookRecord? {
    guard let value = try? JSONReader.value(of: Array(text.utf8), rules: .lenient),
      let title = value["title"]?.string
    else { return nil }
    func number(_ name: String) -> Int? { value[name]?.int64.flatMap { Int(exactly: $0) } }
    func texts(_ name: String) -> [String] { value[name]?.list?.compactMap(\.string) ?? [] }
    func date(_ name: String) -> BookDate? {
      guard let text = value[name]?.string, case .date(let date) = BookDate.read(text) else {
        return nil
      }
      return date
    }
    var book = BookRecord(title: title)
    book.authors = texts("authors")
    book.isbn = value["isbn"]?.string.flatMap { ISBN($0) }
    book.isbnText = value["isbnText"]?.string
    book.series = value["series"]?.string
    book.seriesNumber = value["seriesNumber"]?.string
    book.publisher = value["publisher"]?.string
    book.format = value["format"]?.string
    book.pages = number("pages")
    book.year = number("year")
    book.firstYear = number("firstYear")
    book.language = value["language"]?.string
    book.status = value["status"]?.string.flatMap { ReadingStatus(rawValue: $0) }
    book.rating = number("rating")
    book.started = date("started")
    book.finished = date("finished")
    book.readings = texts("readings").compactMap { ReadingPeriod($0) }
    book.added = date("added")
    book.shelves = texts("shelves")
    book.review = value["review"]?.string
    book.notes = value["notes"]?.string
    book.readCount = number("readCount")
    book.owned = number("owned")
    book.entry = value["entry"]?.string
    book.openLibrary = value["openLibrary"]?.string
    return book
  }
}
