import BookLibrary
import Books
import Jobs
import StrictJSON

/// A catalogue's match for a book, as written in a result.
struct MatchValue {
  /// Whether the book was found.
  var isFound: Bool
  /// `enriched` or `candidate`, `confidence`, `provider`.
  var members: [String: JSONValue]
  /// Why it was not found, or what a person should know.
  var problem: JobItem.Problem?

  /// Describes an answer.
  static func describe(_ answer: BookLookup.Answer) -> MatchValue {
    switch answer {
    case .found(let match):
      var problem: JobItem.Problem?
      if match.titleDiffers {
        problem = JobItem.Problem(
          code: "title_differs",
          message: "the ISBN is that of \"\(match.book.title)\"",
          field: "title"
        )
      }
      return MatchValue(isFound: true, members: members(match, "enriched"), problem: problem)
    case .unsure(let match):
      return MatchValue(
        isFound: false,
        members: members(match, "candidate"),
        problem: JobItem.Problem(
          code: "match_unsure",
          message:
            "the best match, \"\(match.book.title)\", "
            + (match.doubt.map(\.explanation) ?? "is not sure enough")
        )
      )
    case .notFound:
      return MatchValue(
        isFound: false,
        members: [:],
        problem: JobItem.Problem(code: "not_found", message: "no catalogue knows the book")
      )
    case .failed(let error):
      return MatchValue(
        isFound: false,
        members: [:],
        problem: JobItem.Problem(
          code: error.code.rawValue,
          message: error.description,
          isRetryable: error.isRetryable
        )
      )
    }
  }

  private static func members(_ match: BookLookup.Match, _ name: String) -> [String: JSONValue] {
    [
      name: value(match.book), "confidence": number(match.confidence),
      "provider": .string(match.provider),
    ]
  }

  /// A number from 0 to 1 with three decimals.
  static func number(_ value: Double) -> JSONValue {
    let thousandths = Int((value * 1_000).rounded())
    if thousandths % 1_000 == 0 { return .whole(Int64(thousandths / 1_000)) }
    var digits = String(thousandths % 1_000)
    digits = String(repeating: "0", count: 3 - digits.count) + digits
    while digits.last == "0" { digits.removeLast() }
    return .decimal("\(thousandths / 1_000).\(digits)")
  }

  /// A book of a catalogue.
  static func value(_ book: CatalogueBook) -> JSONValue {
    var members: [String: JSONValue] = [
      "title": .string(book.title), "authors": .list(book.authors.map(JSONValue.string)),
    ]
    func put(_ name: String, _ text: String?) { if let text { members[name] = .string(text) } }
    func put(_ name: String, _ number: Int?) {
      if let number { members[name] = .whole(Int64(number)) }
    }
    put("subtitle", book.subtitle)
    put("isbn", book.isbn?.description)
    put("publisher", book.publisher)
    put("publicationYear", book.year)
    put("firstPublicationYear", book.firstYear)
    put("pageCount", book.pages)
    put("language", book.language)
    put("format", book.format)
    put("coverImageURL", book.coverAddress)
    put("openLibraryWorkID", book.work)
    put("openLibraryEditionID", book.edition)
    if !book.subjects.isEmpty { members["subjects"] = .list(book.subjects.map(JSONValue.string)) }
    return .object(members)
  }
}
