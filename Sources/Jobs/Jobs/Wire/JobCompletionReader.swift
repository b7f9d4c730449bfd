import StrictJSON
import TolerantDecoding

/// Reads completions of every shape into one model.
enum JobCompletionReader {
  private static let whole = 0...Int.max

  /// Members that are understood, in the payload or in its summary.
  private static let known: Set<String> = [
    "type", "pipeline", "summary", "result", "counts", "status", "partial", "expiresAt",
    "expires_at",
    "books", "errors", "enrichedBooks", "enriched_books", "successRate", "success_rate",
    "resultsUrl",
    "results_url", "booksCount", "totalProcessed", "total_processed", "successCount",
    "success_count",
    "failureCount", "failure_count", "duration", "durationMs", "resourceId", "resource_id",
    "totalDetected", "total_detected", "approved", "needsReview", "needs_review", "photosProcessed",
    "booksDetected", "booksUnique", "booksEnriched", "metadata", "jobId", "timestamp", "error",
    "code",
    "message", "details", "retryable", "data", "totalBooks", "photoResults", "results", "truncated",
  ]

  /// Reads the payload of a completion.
  ///
  /// - Parameters:
  ///   - payload: The field with the completion.
  ///   - pipeline: The kind of job, which decides the meaning of its numbers.
  /// - Returns: The completion.
  static func completion(_ payload: DecodeField, pipeline: PipelineName?) -> JobCompletion {
    // Some nest everything one level deeper.
    let field = deepest(payload)
    let summary = field["summary"]
    let result = field["result"]
    let carrier: DecodeField
    if summary.isPresent, summary.isObject() {
      carrier = summary
    } else if result.isPresent, result.isObject() {
      carrier = result
    } else {
      carrier = field
    }
    var completion = JobCompletion()
    completion.ending = ending(field["status"])
    completion.isPartial = field["partial"].bool() ?? false
    numbers(carrier, field, &completion)
    lists(carrier, field, &completion)
    completion.resourceId = carrier[Names.resourceId].string()
    completion.resultsURL = field[Names.resultsUrl].string()
    completion.expiresAt =
      field[Names.expiresAt].instant() ?? expiry(besides: field, in: carrier)
    completion.shape = shape(field, carrier, completion)
    completion.others = field.members(besides: known)
    derive(&completion, pipeline)
    return completion
  }

  /// Reads the payload of a failure.
  static func failure(_ payload: DecodeField, root: DecodeField) -> JobCompletion {
    var completion = completion(payload, pipeline: nil)
    completion.ending = .known(.failed)
    completion.failure = JobWireError.read(payload) ?? JobWireError.read(root["error"])
    if completion.failure == nil {
      payload["error"].report(.missing, .warning, "an error without code and message")
      completion.failure = JobWireError(code: JobWireError.unknownCode, message: "")
    }
    // Older servers report a cancellation as an error with this code.
    if ["CANCELED", "CANCELLED", "JOB_CANCELED"].contains(completion.failure?.code.uppercased()) {
      completion.ending = .known(.canceled)
      completion.isPartial = true
    }
    return completion
  }

  private static func deepest(_ payload: DecodeField) -> DecodeField {
    let inner = payload["data"]
    guard inner.holdsObject, inner.count > 0, !payload["summary"].isPresent,
      !payload["books"].isPresent
    else { return payload }
    inner.report(.alias, .note, "the completion is one level deeper")
    return inner
  }

  private static func expiry(besides field: DecodeField, in carrier: DecodeField) -> Int64? {
    carrier.isSame(as: field) ? nil : carrier[Names.expiresAt].instant()
  }

  /// How it ended; a sentence for a person in the same place says nothing of it.
  private static func ending(_ field: DecodeField) -> OpenEnum<JobEnding> {
    guard let text = field.string() else { return .known(.succeeded) }
    switch text.lowercased() {
    case "succeeded", "completed", "complete", "success": return .known(.succeeded)
    case "canceled", "cancelled": return .known(.canceled)
    case "failed", "error": return .known(.failed)
    default:
      if text.contains(" ") { return .known(.succeeded) }
      field.report(.unknownValue, .note, "\"\(text.prefix(60))\" is not a known ending")
      return .unknown(text)
    }
  }

  private static func numbers(
    _ carrier: DecodeField,
    _ field: DecodeField,
    _ completion: inout JobCompletion
  ) {
    completion.total = carrier[Names.totalProcessed].int(in: whole)
    completion.successes = carrier[Names.successCount].int(in: whole)
    completion.failures = carrier[Names.failureCount].int(in: whole)
    completion.duration = carrier[Names.duration].int(in: whole)
      .map { Int64($0) }
    completion.detected = carrier[Names.totalDetected]
      .int(in: whole)
    completion.approved = carrier["approved"].int(in: whole)
    completion.needsReview = carrier[Names.needsReview].int(in: whole)
    completion.photos = carrier["photosProcessed"].int(in: whole)
    if completion.duration == nil {
      completion.duration = field["metadata"][Names.processingTime].int(in: whole)
        .map { Int64($0) }
    }
    for (name, value) in field["counts"].members(besides: []) {
      guard let count = value.int64 else { continue }
      completion.counts[name] = Int(clamping: count)
    }
    let rate = carrier[Names.successRate]
    if rate.isPresent, let (part, all) = rate.ratio() {
      completion.total = completion.total ?? all
      completion.successes = completion.successes ?? part
      completion.failures = completion.failures ?? (all - part)
    }
    if completion.successes == nil {
      completion.successes = carrier["booksCount"].int(in: whole)
    }
  }

  private static func lists(
    _ carrier: DecodeField,
    _ field: DecodeField,
    _ completion: inout JobCompletion
  ) {
    for place in [field, carrier] {
      let books = place[Names.books]
      if books.isPresent, completion.books.elements.isEmpty {
        completion.books = books.list { JobBook($0) } ?? LossyList()
      }
      let errors = place["errors"]
      if errors.isPresent, completion.errors.elements.isEmpty {
        completion.errors = errors.list { JobWireError.read($0) } ?? LossyList()
      }
      if place.isSame(as: carrier) { break }
    }
  }

  private static func shape(
    _ field: DecodeField,
    _ carrier: DecodeField,
    _ completion: JobCompletion
  ) -> CompletionShape {
    if field["summary"].isPresent {
      if completion.total == nil, carrier["booksDetected"].isPresent { return .photoSummary }
      return completion.expiresAt == nil ? .summary : .summaryWithExpiry
    }
    if field["result"].isPresent { return .result }
    if completion.resultsURL != nil { return .resultsURL }
    let isFull =
      ["books", "errors", "enrichedBooks", "successRate", "successCount", "totalDetected"]
      .contains { field[MemberName($0)].isPresent }
    return isFull ? .full : .bare
  }

  /// Derives missing numbers from the ones present.
  private static func derive(_ completion: inout JobCompletion, _ pipeline: PipelineName?) {
    if completion.total == nil {
      if let successes = completion.successes, let failures = completion.failures {
        completion.total = successes + failures
      } else if let detected = completion.detected {
        completion.total = detected
        completion.successes = completion.successes ?? detected
      } else if pipeline != .aiScan, !completion.books.elements.isEmpty {
        completion.total =
          completion.books.elements.count + completion.books.dropped
          + completion.errors.elements.count + completion.errors.dropped
      }
    }
    guard let total = completion.total else { return }
    if completion.successes == nil, let failures = completion.failures {
      completion.successes = max(0, total - failures)
    }
    if completion.failures == nil, let successes = completion.successes {
      completion.failures = max(0, total - successes)
    }
  }
}

/// Names of members, made once.
private enum Names {
  static let books: MemberName = ["books", "enrichedBooks", "enriched_books"]
  static let duration: MemberName = ["duration", "durationMs", "duration_ms"]
  static let expiresAt: MemberName = ["expiresAt", "expires_at"]
  static let failureCount: MemberName = ["failureCount", "failure_count"]
  static let needsReview: MemberName = ["needsReview", "needs_review"]
  static let processingTime: MemberName = ["processingTime", "processing_time"]
  static let resourceId: MemberName = ["resourceId", "resource_id"]
  static let resultsUrl: MemberName = ["resultsUrl", "results_url", "resultsURL"]
  static let successCount: MemberName = ["successCount", "success_count"]
  static let successRate: MemberName = ["successRate", "success_rate"]
  static let totalDetected: MemberName = ["totalDetected", "booksDetected", "total_detected"]
  static let totalProcessed: MemberName = ["totalProcessed", "total_processed"]
}
