import StrictJSON

// Completions of version 1, which carry the results themselves.
extension JobMessageWriter {
  /// The payload of a completion of version 1.
  func full(_ completion: JobCompletion, _ items: [JobItem]) -> [String: JSONValue] {
    let total = completion.total ?? 0
    let successes = completion.successes ?? 0
    // Blank rows are neither successes nor failures.
    let embedded = items.filter { $0.outcome != .blank }
    var payload: [String: JSONValue]
    switch pipeline {
    case .batchEnrichment:
      payload = Self.members(
        ("totalProcessed", .whole(Int64(total))),
        ("successCount", .whole(Int64(successes))),
        ("failureCount", .whole(Int64(completion.failures ?? 0))),
        ("duration", .whole(completion.duration ?? 0)),
        ("enrichedBooks", .list(embedded.map(enriched)))
      )
    case .aiScan:
      payload = Self.members(
        ("totalDetected", .whole(Int64(completion.detected ?? 0))),
        ("approved", .whole(Int64(completion.approved ?? 0))),
        ("needsReview", .whole(Int64(completion.needsReview ?? 0))),
        ("books", .list(embedded.filter { $0.outcome != .failed }.map(detected))),
        (
          "metadata",
          .object(
            Self.members(
              ("modelUsed", completion.others["modelUsed"] ?? .string("unknown")),
              ("processingTime", .whole(completion.duration ?? 0)),
              ("timestamp", .whole(0))
            )
          )
        )
      )
    default:
      payload = Self.members(
        ("books", .list(embedded.filter { $0.outcome != .failed }.map(parsed))),
        ("errors", .list(embedded.filter { $0.outcome == .failed }.map(importError))),
        ("successRate", .string("\(successes)/\(total)"))
      )
    }
    if embedded.count < total {
      // A client of version 1 that knows nothing of this shows fewer books and the right numbers.
      payload["truncated"] = .bool(true)
    }
    return payload
  }

  private func text(_ item: JobItem, _ names: String...) -> String? {
    for name in names {
      switch item.value?[name] {
      case .string(let text)?: return text
      case .list(let elements)?:
        let texts = elements.compactMap(\.string)
        if !texts.isEmpty { return texts.joined(separator: ", ") }
      default: break
      }
    }
    return nil
  }

  private func parsed(_ item: JobItem) -> JSONValue {
    var book = Self.members(
      ("title", .string(text(item, "title") ?? "")),
      ("author", .string(text(item, "author", "authors") ?? ""))
    )
    book["isbn"] = text(item, "isbn13", "isbn", "isbn10", "isbns").map { .string($0) }
    book["publisher"] = text(item, "publisher").map { .string($0) }
    return .object(book)
  }

  private func importError(_ item: JobItem) -> JSONValue {
    .object(
      Self.members(
        ("title", .string(text(item, "title") ?? "row \(item.number + 1)")),
        ("error", .string(item.problems.first?.message ?? "the row failed"))
      )
    )
  }

  private func enriched(_ item: JobItem) -> JSONValue {
    var book = Self.members(
      ("title", .string(text(item, "title") ?? "")),
      ("success", .bool(item.outcome.isSuccess)),
      ("enriched", item.outcome.isSuccess ? item.value?["enriched"] ?? item.value ?? .null : .null)
    )
    book["author"] = text(item, "author", "authors").map { .string($0) }
    book["isbn"] = text(item, "isbn13", "isbn", "isbn10", "isbns").map { .string($0) }
    book["error"] = item.problems.first.map { .string($0.message) }
    return .object(book)
  }

  private func detected(_ item: JobItem) -> JSONValue {
    var book = Self.members(
      ("confidence", item.value?["confidence"] ?? .whole(0)),
      ("enrichmentStatus", item.value?["enrichmentStatus"] ?? .string("pending"))
    )
    book["title"] = text(item, "title").map { .string($0) }
    book["author"] = text(item, "author", "authors").map { .string($0) }
    book["isbn"] = text(item, "isbn13", "isbn", "isbn10", "isbns").map { .string($0) }
    book["boundingBox"] = item.value?["boundingBox"]
    return .object(book)
  }
}
