/// The types of BooksTrack's messages, by the generation of the app.
package enum BooksTrackGeneration: String, CaseIterable, Hashable, Sendable {
  /// Completions carry everything; which kind they are is found by trying one type after the other.
  case full = "v1"
  /// Completions are a summary, and when the results expire must be there.
  case summary = "v2"
  /// The same, and when the results expire may be missing.
  case hotfix

  private static let pipelines = ["batch_enrichment", "csv_import", "ai_scan"]

  /// A message.
  package var message: JSONShape {
    .object([
      "type": .oneOf([
        "ready", "ready_ack", "reconnected", "job_started", "job_progress", "job_complete", "error",
        "ping", "pong", "batch-init", "batch-progress", "batch-complete", "batch-canceling",
      ]),
      "jobId": .string, "pipeline": .oneOf(Self.pipelines), "timestamp": .integer,
      "version": .string,
      "payload": .tagged(
        by: "type",
        [
          "ready_ack": .object(["timestamp": .integer]),
          "reconnected": .object([
            "progress": .number, "status": .string, "processed_count": .integer,
            "total_count": .integer, "last_update": .optional(.integer), "message": .string,
          ]),
          "job_started": .object([
            "totalCount": .optional(.integer), "estimatedDuration": .optional(.integer),
          ]),
          "job_progress": .object([
            "progress": .number, "status": .string, "processedCount": .optional(.integer),
            "totalCount": .optional(.integer), "currentItem": .optional(.string),
            "keepAlive": .optional(.bool),
          ]),
          "job_complete": completion,
          "error": .object([
            "code": .string, "message": .string, "details": .anything,
            "retryable": .optional(.bool),
          ]),
          "ping": .object(["timestamp": .integer]),
          "pong": .object(["timestamp": .integer, "latency": .optional(.integer)]),
        ]
      ),
    ])
  }

  /// A completion, as the app reads one.
  private var completion: JSONShape {
    switch self {
    case .full, .hotfix: .first(Self.trials.map { completion(of: $0) })
    case .summary:
      .tagged(
        by: "pipeline",
        Dictionary(uniqueKeysWithValues: Self.pipelines.map { ($0, completion(of: $0)) })
      )
    }
  }

  /// The pipelines in the order in which the app tries them.
  package static let trials = ["ai_scan", "batch_enrichment", "csv_import"]

  /// A completion of one kind.
  ///
  /// - Parameter pipeline: The kind.
  /// - Returns: Its payload.
  package func completion(of pipeline: String) -> JSONShape {
    let head = JSONShape.object(["type": .string, "pipeline": .string])
    switch self {
    case .full: return .all([head, Self.full(pipeline)])
    case .summary, .hotfix:
      var members: [String: JSONShape] = [
        "totalProcessed": .integer, "successCount": .integer, "failureCount": .integer,
        "duration": .integer, "resourceId": .optional(.string),
      ]
      if pipeline == "ai_scan" {
        for name in ["totalDetected", "approved", "needsReview"] {
          members[name] = .optional(.integer)
        }
      }
      let expiry: JSONShape =
        self == .summary ? .date(.fractions) : .optional(.date(.fractions))
      return .all([head, .object(["summary": .object(members), "expiresAt": expiry])])
    }
  }

  private static func full(_ pipeline: String) -> JSONShape {
    switch pipeline {
    case "ai_scan":
      .object([
        "total_detected": .integer, "approved": .integer, "needs_review": .integer,
        "results_url": .optional(.string),
        "books": .optional(.list(BooksTrackShapes.detectedBook)),
        "metadata": .optional(
          .object([
            "model_used": .optional(.string), "processing_time": .optional(.integer),
          ])
        ),
      ])
    case "batch_enrichment":
      .object([
        "totalProcessed": .integer, "successCount": .integer, "failureCount": .integer,
        "duration": .integer, "enrichedBooks": .list(BooksTrackShapes.enrichedBook),
      ])
    default:
      .object([
        "books": .list(BooksTrackShapes.parsedBook),
        "errors": .list(BooksTrackShapes.importError), "successRate": .string,
      ])
    }
  }

  /// A message as the oldest part of the app reads it, from another member; it ignores what it cannot read.
  package static let older = JSONShape.object([
    "type": .string, "jobId": .string, "timestamp": .integer,
    "data": .object([
      "progress": .number, "processedItems": .integer, "totalItems": .integer,
      "currentStatus": .string, "currentWorkId": .optional(.string), "error": .optional(.string),
      "keepAlive": .optional(.bool), "result": .optional(BooksTrackShapes.scanResults),
    ]),
  ])
}
