import HTTPTypes
import Jobs
import Serving
import StrictJSON

/// The books of an enrichment, checked.
struct BookRequest {
  /// The checked request: `{"books":[{"title","author"?,"isbn"?}]}`.
  private let bytes: [UInt8]

  /// Reads a request.
  ///
  /// - Throws: ``Problem`` 400 that names the book and the field.
  init(_ bytes: [UInt8], _ limits: JobLimits) throws {
    let value: JSONValue
    do throws(JSONReader.Fault) {
      var rules = JSONReader.Rules()
      rules.keepsNumbers = true
      rules.skipsByteOrderMark = true
      rules.longest = limits.booksBytes
      value = try JSONReader.value(of: bytes, rules: rules)
    } catch {
      throw Self.invalid("line \(error.line), column \(error.column): \(error.problem)")
    }
    guard let books = value["books"]?.list ?? value.list else {
      throw Self.invalid("\"books\" is a list of {\"title\", \"author\"?, \"isbn\"?}")
    }
    guard !books.isEmpty else {
      throw JobProblem(.badRequest, .emptyBatch, "\"books\" is empty").problem
    }
    guard books.count <= limits.books else {
      throw JobProblem(
        .badRequest,
        .batchTooLarge,
        "\(books.count) books; at most \(limits.books) in one job"
      ).problem
    }
    let fields = [
      ("title", limits.titleCharacters), ("author", limits.authorCharacters),
      ("isbn", limits.isbnCharacters),
    ]
    var checked: [JSONValue] = []
    for (index, book) in books.enumerated() {
      guard case .object = book else { throw Self.invalid("books[\(index)] is not an object") }
      var members: [String: JSONValue] = [:]
      for (name, most) in fields {
        switch book[name] {
        case nil, .null?: continue
        case .string(let text)?:
          // A combining accent on its own is a character too: a letter may have any number of them.
          guard text.unicodeScalars.count <= most else {
            throw Self.invalid("books[\(index)].\(name) is longer than \(most) characters")
          }
          if text.contains(where: { !$0.isWhitespace }) { members[name] = .string(text) }
        case .some: throw Self.invalid("books[\(index)].\(name) is not a string")
        }
      }
      guard members["title"] != nil || members["isbn"] != nil else {
        throw Self.invalid("books[\(index)] needs a title or an ISBN")
      }
      checked.append(.object(members))
    }
    self.bytes = JSONValue.object(["books": .list(checked)]).bytes
  }

  /// The checked request as the file of a job.
  var file: JobUpload.File {
    JobUpload.File(name: "books.json", mediaType: "application/json", content: bytes)
  }

  private static func invalid(_ detail: String) -> Problem {
    JobProblem(.badRequest, .invalidRequest, detail).problem
  }
}
