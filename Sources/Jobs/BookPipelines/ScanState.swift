import BookScan
import Books
import Jobs
import StrictJSON

/// A book of a photo after the catalogues were asked.
struct ScannedBook {
  var photo: Int
  var sighting: Sighting
  var title = ""
  var author: String?
  var isbn: ISBN?
  var confidence = 0.0
  var isApproved = false
  var members: [String: JSONValue] = [:]
  var problem: JobItem.Problem?

  init(photo: Int, sighting: Sighting) {
    self.photo = photo
    self.sighting = sighting
  }

  func item(_ number: Int) -> JobItem {
    var value = members
    value["photo"] = .whole(Int64(photo))
    value["recognisedBy"] = .string(sighting.kind.rawValue)
    if !title.isEmpty { value["title"] = .string(title) }
    if let author { value["author"] = .string(author) }
    if let isbn { value["isbn"] = .string(isbn.description) }
    if sighting.kind == .text { value["text"] = .string(sighting.title) }
    value["confidence"] = MatchValue.number(confidence)
    if let box = sighting.box {
      value["boundingBox"] = .object([
        "x": MatchValue.number(box.x), "y": MatchValue.number(box.y),
        "width": MatchValue.number(box.width), "height": MatchValue.number(box.height),
      ])
    }
    return JobItem(
      number: number,
      outcome: isApproved ? .approved : .needsReview,
      problems: problem.map { [$0] } ?? [],
      value: .object(value)
    )
  }
}

/// How far a scan is, and which books it has; small enough to be a checkpoint.
struct ScanState {
  /// The next photo.
  var photo = 0
  /// The next item number.
  var next = 0
  /// How many photos could be read.
  var photosRead = 0
  /// Why the last photo that failed could not be read.
  var lastError: ScanError?

  private struct Known {
    var number: Int
    var isbn: ISBN?
    /// Whether the ISBN was read in a photo, rather than found in the catalogue by title.
    var isRead: Bool
    var key: String
    var confidence: Double
  }
  private var known: [Known] = []

  /// Reads a checkpoint; one that cannot be read means the beginning.
  init(_ checkpoint: [UInt8]?) {
    guard let checkpoint else { return }
    var rules = JSONReader.Rules()
    rules.keepsNumbers = true
    guard let value = try? JSONReader.value(of: checkpoint, rules: rules),
      let photo = value["photo"]?.int64, let next = value["next"]?.int64,
      let photosRead = value["photosRead"]?.int64, let books = value["books"]?.list
    else { return }
    self.photo = Int(photo)
    self.next = Int(next)
    self.photosRead = Int(photosRead)
    if let code = value["error"]?.string.flatMap({ ScanError.Code(rawValue: $0) }) {
      lastError = ScanError(code, value["reason"]?.string ?? "")
    }
    known = books.compactMap { book in
      guard let number = book["number"]?.int64 else { return nil }
      return Known(
        number: Int(number),
        isbn: book["isbn"]?.string.flatMap { ISBN($0) },
        isRead: book["isRead"]?.bool ?? false,
        key: book["key"]?.string ?? "",
        confidence: book["confidence"]?.double ?? 0
      )
    }
  }

  /// The checkpoint.
  var bytes: [UInt8] {
    var members: [String: JSONValue] = [
      "photo": .whole(Int64(photo)), "next": .whole(Int64(next)),
      "photosRead": .whole(Int64(photosRead)),
      "books": .list(
        known.map { book in
          var members: [String: JSONValue] = [
            "number": .whole(Int64(book.number)), "key": .string(book.key),
            "confidence": MatchValue.number(book.confidence), "isRead": .bool(book.isRead),
          ]
          if let isbn = book.isbn { members["isbn"] = .string(isbn.description) }
          return .object(members)
        }
      ),
    ]
    if let lastError {
      members["error"] = .string(lastError.code.rawValue)
      members["reason"] = .string(lastError.description)
    }
    return JSONValue.object(members).bytes
  }

  /// Adds a book and returns its item; `nil` if the same book is known with at least this confidence.
  ///
  /// Two ISBNs that were read are two books, whatever their titles. One that the catalogue has for a title may be
  /// that of any edition: it gives way to one that was read.
  mutating func add(_ book: ScannedBook) -> JobItem? {
    var book = book
    let key = Self.key(book)
    let isRead = book.sighting.isbn != nil
    guard let index = index(of: book, key, isRead: isRead) else {
      known.append(
        Known(
          number: next,
          isbn: book.isbn,
          isRead: isRead,
          key: key,
          confidence: book.confidence
        )
      )
      next += 1
      return book.item(next - 1)
    }
    let other = known[index]
    let isCompleted = isRead && !other.isRead
    if isCompleted || !other.isRead && book.confidence > other.confidence {
      known[index].isbn = book.isbn ?? other.isbn
      known[index].isRead = isRead
    } else if other.isRead {
      book.isbn = other.isbn
    }
    // A number that was read is the book's, also where no catalogue knows it.
    guard book.confidence > other.confidence || isCompleted else { return nil }
    known[index].confidence = book.confidence
    return book.item(other.number)
  }

  /// The same book: by its number, else by title and author where at most one number was read.
  private func index(of book: ScannedBook, _ key: String, isRead: Bool) -> Int? {
    if let isbn = book.isbn, let index = known.firstIndex(where: { $0.isbn == isbn }) {
      return index
    }
    guard !key.isEmpty else { return nil }
    return known.firstIndex { $0.key == key && !(isRead && $0.isRead) }
  }

  /// Handles a photo that could not be read.
  mutating func addFailure(_ error: ScanError, photo: Int, name: String) -> JobItem {
    next += 1
    return JobItem(
      number: next - 1,
      outcome: .failed,
      problems: [
        JobItem.Problem(
          code: error.code.rawValue,
          message: "photo \(photo + 1): \(error.description)",
          isRetryable: error.isRetryable
        )
      ],
      value: .object(["photo": .whole(Int64(photo)), "name": .string(name)])
    )
  }

  private static func key(_ book: ScannedBook) -> String {
    guard !book.title.isEmpty else { return "" }
    return BookKey.title(book.title) + "|" + (book.author.map(BookKey.author) ?? "")
  }
}
