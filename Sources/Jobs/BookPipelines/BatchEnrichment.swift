package import BookLibrary
import Books
import Foundation
package import Jobs
import StrictJSON

/// Completes a list of books from catalogues.
///
/// Several books are looked up at once; identical requests are sent once. A book that no provider knows, or only with
/// doubt, is a failed item that says so and names the best candidate; it is never replaced by another book.
///
/// Options: none.
package struct BatchEnrichment: JobPipeline {
  /// How many books are looked up at once.
  package static let lookupsAtOnce = 4
  /// How often a job that waits for providers reports that it lives and asks whether to continue.
  package static let heartbeat = Duration.milliseconds(400)
  /// The factor by which a stored list may be longer than received: `\b` is written `\u0008`.
  private static let mostGrowth = 3
  /// The most bytes that storing adds to a list that was not an object.
  private static let wrapping = 64

  /// Its name.
  package let name = PipelineName.batchEnrichment
  /// Looking up.
  package let phases = [JobPhase("looking_up", weight: 1)]

  private let lookup: BookLookup
  private let longestInput: Int

  /// Creates a pipeline.
  ///
  /// - Parameters:
  ///   - lookup: Asks the catalogues.
  ///   - booksBytes: The longest list that a request may bring, in bytes.
  package init(lookup: BookLookup, booksBytes: Int = JobLimits().booksBytes) {
    self.lookup = lookup
    longestInput = booksBytes * Self.mostGrowth + Self.wrapping
  }

  /// Looks up the books of a job, or the rest of them.
  package func run(_ work: JobWork, steps: any JobSteps) async throws {
    let books = try books(of: work)
    lookup.renew()
    var next = work.checkpoint.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
    guard try await steps.commit(step([], next, books)) == .proceed else { return }
    guard next < books.count else { return }

    var questions: [BookLookup.Question] = []
    var numbers: [BookLookup.Question: Int] = [:]
    for book in books[next...] where numbers[book.question] == nil {
      numbers[book.question] = questions.count
      questions.append(book.question)
    }
    try await withThrowingTaskGroup(of: (Int, BookLookup.Answer)?.self) { group in
      var answers: [Int: BookLookup.Answer] = [:]
      var asked = 0
      func ask() {
        guard asked < questions.count else { return }
        let number = asked
        let question = questions[number]
        asked += 1
        group.addTask { (number, try await lookup.find(question)) }
      }
      func beat() {
        group.addTask {
          try await Task.sleep(for: Self.heartbeat)
          return nil
        }
      }
      for _ in 0..<Self.lookupsAtOnce { ask() }
      beat()
      defer { group.cancelAll() }
      while next < books.count, let event = try await group.next() {
        var items: [JobItem] = []
        if let (number, answer) = event {
          answers[number] = answer
          ask()
          while next < books.count, let number = numbers[books[next].question],
            let answer = answers[number]
          {
            if case .failed(let error) = answer, error.passesSoon, work.attemptsLeft > 0 {
              // What is done is kept, and the next attempt begins with this book.
              _ = try await steps.commit(step(items, next, books))
              throw JobFailure(
                code: error.code.rawValue,
                message: "\(books[next].title.prefix(100)): \(error.description)",
                isRetryable: true
              )
            }
            items.append(Self.item(next, books[next], answer))
            next += 1
          }
        } else {
          beat()
        }
        guard try await steps.commit(step(items, next, books)) == .proceed else { return }
      }
    }
  }

  private struct Book {
    var title: String
    var author: String?
    var isbn: String?

    /// A broken number is not asked for.
    var question: BookLookup.Question {
      BookLookup.Question(title: title, author: author, isbn: isbn.flatMap { ISBN($0) })
    }
  }

  private func books(of work: JobWork) throws -> [Book] {
    func unreadable(_ problem: String) -> JobFailure {
      JobFailure(code: "list_unreadable", message: problem, isRetryable: false)
    }
    guard let input = work.inputs.first, let data = FileManager.default.contents(atPath: input.path)
    else { throw unreadable("the list of books is not there") }
    guard data.count <= longestInput else { throw unreadable("the list is too long") }
    let value: JSONValue
    do {
      var rules = JSONReader.Rules()
      rules.longest = longestInput
      value = try JSONReader.value(of: Array(data), rules: rules)
    } catch {
      throw unreadable("line \(error.line), column \(error.column): \(error.problem)")
    }
    guard let list = value["books"]?.list else { throw unreadable("there is no list \"books\"") }
    return try list.enumerated().map { index, book in
      guard book.object != nil else { throw unreadable("books[\(index)] is not an object") }
      let title = book["title"]?.string ?? ""
      let isbn = book["isbn"]?.string
      guard !title.isEmpty || isbn != nil else {
        throw unreadable("books[\(index)] has neither a title nor an ISBN")
      }
      return Book(title: title, author: book["author"]?.string, isbn: isbn)
    }
  }

  private func step(_ items: [JobItem], _ next: Int, _ books: [Book]) -> JobStep {
    JobStep(
      items: items,
      phase: "looking_up",
      fraction: Double(next) / Double(max(1, books.count)),
      processed: next,
      total: books.count,
      current: next < books.count ? books[next].title : nil,
      checkpoint: items.isEmpty ? nil : Array(String(next).utf8)
    )
  }

  private static func item(_ number: Int, _ book: Book, _ answer: BookLookup.Answer) -> JobItem {
    var value: [String: JSONValue] = ["title": .string(book.title)]
    if let author = book.author { value["author"] = .string(author) }
    if let isbn = book.isbn { value["isbn"] = .string(isbn) }
    var problems: [JobItem.Problem] = []
    if let isbn = book.isbn, ISBN(isbn) == nil {
      let reason =
        switch ISBNCell(isbn) {
        case .placeholder, .empty: "is a placeholder"
        case .broken(.music): "is the number of printed music"
        case .broken(.prefix): "is not the number of a book"
        default: "has a wrong check digit or length"
        }
      problems.append(
        JobItem.Problem(
          code: "isbn_invalid",
          message: "the ISBN \(isbn.prefix(40)) \(reason) and was not used",
          field: "isbn"
        )
      )
    }
    let found = MatchValue.describe(answer)
    value["success"] = .bool(found.isFound)
    for (name, member) in found.members { value[name] = member }
    if let problem = found.problem { problems.insert(problem, at: 0) }
    return JobItem(
      number: number,
      outcome: found.isFound ? .enriched : .failed,
      problems: problems,
      value: .object(value)
    )
  }
}
