import Jobs
import StrictJSON

/// Results of a job in the shapes of BooksTrack: every member that one of the app's structures needs, by its kind.
enum BooksTrackBooks {
  /// A row of a table that is a book.
  static func parsed(_ item: JobItem) -> JSONValue {
    let author = text(item.value, "author", "authors") ?? ""
    var book: [String: JSONValue] = [
      "title": .string(text(item.value, "title") ?? ""), "author": .string(author),
      "authors": .list(author.isEmpty ? [] : [.string(author)]),
    ]
    book["isbn"] = isbn(item.value).map { .string($0) }
    return .object(book)
  }

  /// A row of a table that failed.
  static func importError(_ item: JobItem) -> JSONValue {
    .object([
      "title": .string(text(item.value, "title") ?? "row \(item.number + 1)"),
      "row": item.value?["row"] ?? .whole(Int64(item.number) + 1),
      "isbn": .string(isbn(item.value) ?? ""), "error": .string(reason(item)),
    ])
  }

  /// A row of a table that failed, as a sentence.
  static func importSentence(_ item: JobItem) -> JSONValue {
    let row = item.value?["row"]?.int64 ?? Int64(item.number) + 1
    return .string("row \(row): \(reason(item))")
  }

  /// A book that was to be completed.
  static func enriched(_ item: JobItem) -> JSONValue {
    let isFound = item.outcome.isSuccess && item.value?["enriched"]?.object != nil
    var book: [String: JSONValue] = [
      "title": .string(text(item.value, "title") ?? isbn(item.value) ?? ""),
      "success": .bool(isFound),
    ]
    book["author"] = text(item.value, "author", "authors").map { .string($0) }
    book["isbn"] = isbn(item.value).map { .string($0) }
    if let found = item.value?["enriched"], isFound {
      book["enriched"] = .object([
        "work": work(found, item), "edition": edition(found, item), "authors": authors(found),
      ])
    } else {
      book["error"] = .string(reason(item))
    }
    return .object(book)
  }

  /// A book that was found in a photo.
  static func detected(_ item: JobItem) -> JSONValue {
    var book: [String: JSONValue] = [
      "title": .string(text(item.value, "title", "text") ?? ""),
      "author": .string(text(item.value, "author", "authors") ?? ""),
      "confidence": item.value?["confidence"] ?? .whole(0),
      "boundingBox": corners(item.value?["boundingBox"]),
    ]
    book["isbn"] = isbn(item.value).map { .string($0) }
    let found = item.value?["enriched"]
    var enrichment: [String: JSONValue] = ["status": .string("not_found")]
    if let found, found.object != nil {
      enrichment = [
        "status": .string("success"), "work": work(found, item),
        "editions": .list([edition(found, item)]), "authors": authors(found),
      ]
      enrichment["provider"] = provider(item.value).map { .string($0) }
      book["coverUrl"] = text(found, "coverImageURL").map { .string($0) }
      book["publisher"] = text(found, "publisher").map { .string($0) }
      book["publicationYear"] = number(found["publicationYear"])
    } else {
      enrichment["error"] = item.problems.first.map { .string($0.message) }
    }
    book["enrichmentStatus"] = enrichment["status"]
    book["enrichment"] = .object(enrichment)
    return .object(book)
  }

  // MARK: Canonical books

  private static func work(_ book: JSONValue, _ item: JobItem) -> JSONValue {
    var work: [String: JSONValue] = [
      "title": .string(text(book, "title") ?? text(item.value, "title") ?? ""),
      "subjectTags": .list(book["subjects"]?.list?.filter { $0.string != nil } ?? []),
      "goodreadsWorkIDs": .list([]), "amazonASINs": .list([]), "librarythingIDs": .list([]),
      "googleBooksVolumeIDs": .list([]), "isbndbQuality": .whole(0),
      "reviewStatus": .string(item.outcome == .needsReview ? "needsReview" : "verified"),
    ]
    work["originalLanguage"] = text(book, "language").map { .string($0) }
    work["firstPublicationYear"] =
      number(book["firstPublicationYear"]) ?? number(book["publicationYear"])
    work["coverImageURL"] = text(book, "coverImageURL").map { .string($0) }
    work["openLibraryWorkID"] = text(book, "openLibraryWorkID").map { .string($0) }
    work["primaryProvider"] = provider(item.value).map { .string($0) }
    return .object(work)
  }

  private static func edition(_ book: JSONValue, _ item: JobItem) -> JSONValue {
    let number = text(book, "isbn") ?? isbn(item.value)
    var edition: [String: JSONValue] = [
      "isbns": .list(number.map { [.string($0)] } ?? []),
      "format": .string(format(text(book, "format"))), "amazonASINs": .list([]),
      "googleBooksVolumeIDs": .list([]), "librarythingIDs": .list([]), "isbndbQuality": .whole(0),
    ]
    edition["isbn"] = number.map { .string($0) }
    for (name, source) in [
      ("title", "title"), ("publisher", "publisher"), ("language", "language"),
      ("editionTitle", "subtitle"), ("coverImageURL", "coverImageURL"),
      ("openLibraryEditionID", "openLibraryEditionID"),
    ] {
      edition[name] = text(book, source).map { .string($0) }
    }
    edition["publicationDate"] = book["publicationYear"]?.int64.map { .string(String($0)) }
    edition["pageCount"] = self.number(book["pageCount"])
    edition["primaryProvider"] = provider(item.value).map { .string($0) }
    return .object(edition)
  }

  private static func authors(_ book: JSONValue) -> JSONValue {
    .list(
      (book["authors"]?.list ?? []).compactMap(\.string).map {
        .object(["name": .string($0), "gender": .string("Unknown")])
      }
    )
  }

  /// The format among the five that the app knows; a book is a paperback where nothing else is said.
  private static func format(_ text: String?) -> String {
    let word = text?.lowercased() ?? ""
    if word.contains("audio") { return "Audiobook" }
    if ["e-book", "ebook", "kindle", "electronic"].contains(where: word.contains) {
      return "E-book"
    }
    if word.contains("mass") { return "Mass Market" }
    return word.contains("hard") ? "Hardcover" : "Paperback"
  }

  /// The provider that completed it, in BooksTrack's terms.
  private static func provider(_ value: JSONValue?) -> String? {
    switch text(value, "provider") {
    case "dump", "open_library": "openlibrary"
    case "google_books": "google-books"
    case let other: other
    }
  }

  /// A place in a photo by two corners; the whole photo where none is known.
  private static func corners(_ box: JSONValue?) -> JSONValue {
    guard let x = box?["x"]?.double, let y = box?["y"]?.double, let width = box?["width"]?.double,
      let height = box?["height"]?.double
    else {
      return .object(["x1": .whole(0), "y1": .whole(0), "x2": .whole(1), "y2": .whole(1)])
    }
    return .object([
      "x1": JSONValue(x), "y1": JSONValue(y), "x2": JSONValue(x + width),
      "y2": JSONValue(y + height),
    ])
  }

  private static func reason(_ item: JobItem) -> String {
    item.problems.first?.message ?? "no reason given"
  }

  private static func isbn(_ value: JSONValue?) -> String? {
    text(value, "isbn13", "isbn", "isbn10", "isbns")
  }

  private static func number(_ value: JSONValue?) -> JSONValue? {
    value?.int64.map { .whole($0) }
  }

  private static func text(_ value: JSONValue?, _ names: String...) -> String? {
    for name in names {
      switch value?[name] {
      case .string(let text)? where !text.isEmpty: return text
      case .list(let elements)?:
        let texts = elements.compactMap(\.string)
        if !texts.isEmpty { return texts.joined(separator: ", ") }
      default: break
      }
    }
    return nil
  }
}

/// What a job came to, in the members that the app's structures of results and completions have.
struct BooksTrackResults {
  let pipeline: PipelineName
  let items: [JobItem]
  let completion: JobCompletion?

  private func count(_ outcome: JobOutcome) -> JSONValue {
    .whole(Int64(items.count { $0.outcome == outcome }))
  }

  /// The books of a table, and its failed rows.
  ///
  /// - Parameter areSentences: Whether failed rows are sentences.
  /// - Returns: The members.
  func table(areSentences: Bool = false) -> [String: JSONValue] {
    let failed = items.filter { $0.outcome == .failed }
    let books = items.filter { [.imported, .updated, .duplicate].contains($0.outcome) }
    return [
      "books": .list(books.map(BooksTrackBooks.parsed)),
      "errors": .list(
        failed.map(areSentences ? BooksTrackBooks.importSentence : BooksTrackBooks.importError)
      ),
      "successRate": .string("\(books.count)/\(books.count + failed.count)"),
      "booksCreated": count(.imported), "booksUpdated": count(.updated),
      "duplicatesSkipped": count(.duplicate), "enrichmentSucceeded": .whole(0),
      "enrichmentFailed": .whole(0),
    ]
  }

  /// The completed books.
  var enrichment: [String: JSONValue] {
    let books = items.filter { $0.outcome != .blank }.map(BooksTrackBooks.enriched)
    let successes = books.count { $0["success"] == .bool(true) }
    return [
      "enrichedBooks": .list(books), "totalProcessed": .whole(Int64(books.count)),
      "successCount": .whole(Int64(successes)),
      "failureCount": .whole(Int64(books.count - successes)),
      "duration": .whole(completion?.duration ?? 0),
      "enrichmentSucceeded": .whole(Int64(successes)),
      "enrichmentFailed": .whole(Int64(books.count - successes)), "errors": .list([]),
      "booksCreated": .whole(0), "booksUpdated": .whole(0), "duplicatesSkipped": .whole(0),
    ]
  }

  /// The books of photos; members have the names of both generations.
  ///
  /// - Parameter instant: When, in milliseconds since 1970-01-01T00:00:00Z.
  /// - Returns: The members.
  func scan(at instant: Int64) -> [String: JSONValue] {
    let books = items.filter { [.approved, .needsReview].contains($0.outcome) }
    let enriched = books.count { $0.value?["enriched"]?.object != nil }
    let took = JSONValue.whole(completion?.duration ?? 0)
    let review = count(.needsReview)
    return [
      "books": .list(books.map(BooksTrackBooks.detected)),
      "totalDetected": .whole(Int64(books.count)), "total_detected": .whole(Int64(books.count)),
      "approved": count(.approved), "needsReview": review, "needs_review": review,
      "metadata": .object([
        "processingTime": took, "processing_time": took,
        "enrichedCount": .whole(Int64(enriched)), "timestamp": .string(JobInstant.text(instant)),
        "modelUsed": .string("freshet"), "model_used": .string("freshet"),
      ]),
    ]
  }

  /// The members of its kind.
  func members(at instant: Int64, areSentences: Bool = false) -> [String: JSONValue] {
    switch pipeline {
    case .batchEnrichment: enrichment
    case .aiScan: scan(at: instant)
    default: table(areSentences: areSentences)
    }
  }
}
