public import StrictJSON
public import TolerantDecoding

/// A book of a result, whatever version it came in.
public struct JobBook: Hashable, Sendable {
  /// A source of books.
  public enum Provider: String, CaseIterable, Hashable, Sendable {
    case googleBooks = "google_books"
    case openLibrary = "open_library"
    case isbndb
    case gemini
    case local
  }

  /// How far completing a detected book came.
  public enum Enrichment: String, CaseIterable, Hashable, Sendable {
    case pending
    case success
    case notFound = "not_found"
    case error
  }

  /// Where a book is in a photo, in shares of its width and height from its upper left corner.
  public struct Box: Hashable, Sendable {
    /// The left edge.
    public var x: Double
    /// The upper edge.
    public var y: Double
    /// The width.
    public var width: Double
    /// The height.
    public var height: Double

    /// Creates a box.
    public init(x: Double, y: Double, width: Double, height: Double) {
      self.x = x
      self.y = y
      self.width = width
      self.height = height
    }
  }

  /// The title, as it is written: never escaped for a page.
  public var title: String?
  /// The authors.
  public var authors: [String]
  /// The numbers, ISBN-10 and ISBN-13, as they came.
  public var isbns: [String]
  /// How sure the detection is, 0 to 1.
  public var confidence: Double?
  /// Where it is in its photo.
  public var box: Box?
  /// Whether it succeeded; `nil` if the response does not say.
  public var succeeded: Bool?
  /// Why it failed.
  public var problem: String?
  /// The provider that completed it.
  public var provider: OpenEnum<Provider>?
  /// How far completing it came.
  public var enrichment: OpenEnum<Enrichment>?
  /// Everything as it came.
  public var raw: JSONValue { source.value }
  private let source: RawJSON

  /// Reads a book; `nil` if the field is not an object.
  ///
  /// - Parameter field: The field with the book.
  public init?(_ field: DecodeField) {
    guard field.isObject(), let source = field.raw else { return nil }
    self.source = source
    title = field[Names.title].string()
    authors = Self.texts(field[Names.authors])
    var isbns: [String] = []
    for name in Names.numbers {
      let place = field[name]
      guard place.isPresent else { continue }
      for isbn in Self.texts(place) where !isbn.isEmpty && !isbns.contains(isbn) {
        isbns.append(isbn)
      }
    }
    self.isbns = isbns
    confidence = field["confidence"].fraction()
    box = Self.box(field[Names.boundingBox])
    succeeded = field["success"].bool()
    problem = field[Names.error].string(orMember: ["message"])
    provider = field[Names.provider].open(Provider.self)
    enrichment = field[Names.enrichmentStatus].open(Enrichment.self)
    if title == nil, isbns.isEmpty, problem == nil {
      field.report(.missing, .loss, "a book has neither title nor ISBN")
      return nil
    }
  }

  /// One text or several: both are right.
  private static func texts(_ field: DecodeField) -> [String] {
    guard field.isList else {
      return field.string(orMember: ["name"]).map { [$0] } ?? []
    }
    return field.list { $0.string(orMember: ["name"]) }?.elements ?? []
  }

  /// A box by its corner and size, or by two corners.
  private static func box(_ field: DecodeField) -> Box? {
    guard field.isPresent, field.isObject() else { return nil }
    if let x = field["x"].double(), let y = field["y"].double(),
      let width = field["width"].double(),
      let height = field["height"].double()
    {
      return Box(x: x, y: y, width: width, height: height)
    }
    guard let x1 = field["x1"].double(), let y1 = field["y1"].double(),
      let x2 = field["x2"].double(), let y2 = field["y2"].double()
    else {
      field.report(.invalid, .loss, "neither x, y, width, height nor x1, y1, x2, y2")
      return nil
    }
    field.report(.alias, .note, "two corners are taken as corner and size")
    return Box(x: min(x1, x2), y: min(y1, y2), width: abs(x2 - x1), height: abs(y2 - y1))
  }
}

/// An error, whatever shape it arrived in.
public struct JobWireError: Hashable, Sendable {
  /// A stable code; `unknown` if it says none.
  public var code: String
  /// The reason, for a person.
  public var message: String
  /// Anything else.
  public var details: JSONValue?
  /// Whether trying again may help; `nil` if the response does not say.
  public var isRetryable: Bool?

  /// Creates an error.
  public init(code: String, message: String, details: JSONValue? = nil, isRetryable: Bool? = nil) {
    self.code = code
    self.message = message
    self.details = details
    self.isRetryable = isRetryable
  }

  /// The code of an error that says none.
  public static let unknownCode = "unknown"

  /// Reads an error: flat `{code, message}`, nested `{error: {…}}`, a text, or problem details.
  ///
  /// - Parameter field: The field with the error.
  /// - Returns: The error; `nil` if the field is absent.
  public static func read(_ field: DecodeField) -> JobWireError? {
    guard field.isPresent else { return nil }
    if field.isText { return JobWireError(code: unknownCode, message: field.string() ?? "") }
    guard field.isObject() else { return nil }
    let inner = field["error"]
    let outer = [field["code"], field["errorCode"], field["error_code"]]
    let retryable = field[Names.retryable]
    if inner.holdsObject {
      var error = read(inner)
      if error?.isRetryable == nil { error?.isRetryable = retryable.bool() }
      return error
    }
    if inner.isText, let text = inner.string() {
      // Flat `{error: "sentence", code}`, or problem details, whose `error` is the code.
      if let detail = field[Names.detail].string() {
        return JobWireError(code: text, message: detail, isRetryable: retryable.bool())
      }
      let code = outer.lazy.compactMap { $0.string() }.first ?? unknownCode
      return JobWireError(
        code: code,
        message: text,
        details: field["details"].value,
        isRetryable: retryable.bool()
      )
    }
    let code = outer.lazy.compactMap { $0.string() }.first
    let message = field[Names.message].string()
    guard code != nil || message != nil else { return nil }
    return JobWireError(
      code: code ?? unknownCode,
      message: message ?? code ?? "",
      details: field["details"].value,
      isRetryable: retryable.bool()
    )
  }
}

/// Names of members, made once.
private enum Names {
  static let numbers: [MemberName] = ["isbns", "isbn", "isbn13", "isbn10", "isbn_13", "isbn_10"]
  static let authors: MemberName = ["author", "authors", "authorName", "author_name"]
  static let boundingBox: MemberName = ["boundingBox", "bounding_box"]
  static let detail: MemberName = ["detail", "message"]
  static let enrichmentStatus: MemberName = ["enrichmentStatus", "enrichment_status"]
  static let error: MemberName = ["error", "enrichmentError", "enrichment_error"]
  static let message: MemberName = ["message", "detail", "title", "reason"]
  static let provider: MemberName = ["provider", "primaryProvider", "primary_provider"]
  static let retryable: MemberName = ["retryable", "isRetryable"]
  static let title: MemberName = ["title", "bookTitle", "book_title"]
}
