import TolerantDecoding

/// Reads results of every shape in circulation: pages of items, and the lists of books of other servers.
enum JobResultReader {
  /// The confidence below which a detected book needs a person's review, unless the result says so
  /// itself.
  private static let leastConfidence = 0.6

  static func page(_ root: DecodeField) -> JobResultPage {
    var data = root["data"].holdsObject ? root["data"] : root
    if data["results"].holdsObject { data = data["results"] }
    var number = 0
    var items = LossyList<JobResult>()
    for name in [Names.items, Names.books] {
      guard items.elements.isEmpty, data[name].isPresent else { continue }
      items = data[name].list { result($0, &number) } ?? LossyList()
    }
    if !data[Names.items].isPresent, data["errors"].isList {
      let failed = data["errors"].list { failure($0, &number) } ?? LossyList()
      items.elements += failed.elements
      items.dropped += failed.dropped
    }
    if !data[Names.items].isPresent, !data[Names.books].isPresent {
      data["items"].report(.missing, .loss, "an answer without a list of results")
    }
    return JobResultPage(
      total: data[Names.total].int(in: 0 ... .max) ?? data[Names.rate].ratio()?.1,
      isPartial: data["partial"].bool(),
      items: items,
      next: data["next"].int(in: -1 ... .max),
      expiresAt: data["expiresAt"].instant()
    )
  }

  private static func result(_ field: DecodeField, _ number: inout Int) -> JobResult? {
    guard field.isObject(), let source = field.raw else { return nil }
    guard !field["outcome"].isPresent, !field["value"].isPresent else {
      let value = field["value"]
      return JobResult(
        number: field["number"].int(in: 0 ... .max) ?? 0,
        outcome: field["outcome"].open(JobOutcome.self) ?? .unknown(""),
        line: field["line"].int(in: 0 ... .max),
        problems: field["problems"].list { JobWireError.read($0) }?.elements ?? [],
        book: value.isPresent ? JobBook(value) : nil,
        source: source
      )
    }
    // This field is the book itself.
    guard let book = JobBook(field) else { return nil }
    defer { number += 1 }
    return JobResult(
      number: field["number"].int(in: 0 ... .max) ?? number,
      outcome: .known(outcome(field, book)),
      line: field["row"].int(in: 0 ... .max),
      problems: book.problem.map {
        [JobWireError(code: JobWireError.unknownCode, message: $0)]
      } ?? [],
      book: book,
      source: source
    )
  }

  /// The outcome of a book that a list contains without one.
  private static func outcome(_ field: DecodeField, _ book: JobBook) -> JobOutcome {
    if let succeeded = book.succeeded { return succeeded ? .enriched : .failed }
    let outcome: JobOutcome
    if let confidence = book.confidence {
      outcome = confidence < leastConfidence ? .needsReview : .approved
    } else {
      outcome = .imported
    }
    field["outcome"].report(.missing, .note, "taken as \(outcome.rawValue)")
    return outcome
  }

  /// A row that failed: an object with a reason, or a sentence.
  private static func failure(_ field: DecodeField, _ number: inout Int) -> JobResult? {
    guard let error = JobWireError.read(field) ?? reason(field), let source = field.raw else {
      return nil
    }
    defer { number += 1 }
    return JobResult(
      number: number,
      outcome: .known(.failed),
      line: field.holdsObject ? field["row"].int(in: 0 ... .max) : nil,
      problems: [error],
      book: field.holdsObject ? JobBook(field) : nil,
      source: source
    )
  }

  private static func reason(_ field: DecodeField) -> JobWireError? {
    guard field.holdsObject else { return nil }
    return field["error"].string().map {
      JobWireError(code: JobWireError.unknownCode, message: $0)
    }
  }
}

/// Names of members, made once.
private enum Names {
  static let books: MemberName = ["books", "enrichedBooks", "enriched_books"]
  static let items: MemberName = ["items", "results"]
  static let rate: MemberName = ["successRate", "success_rate"]
  static let total: MemberName = ["total", "totalResults", "resultCount", "totalProcessed"]
}
