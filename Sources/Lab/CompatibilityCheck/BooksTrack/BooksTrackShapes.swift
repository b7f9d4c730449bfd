/// The types of BooksTrack's answers, as its app decodes them: the newest generation, and older ones where they need more.
package enum BooksTrackShapes {
  private static let text = JSONShape.optional(.string)
  private static let count = JSONShape.optional(.integer)

  // MARK: Envelopes

  private static let metadata = JSONShape.object([
    "timestamp": .string, "traceId": text, "processingTime": count, "provider": text,
    "cached": .optional(.bool),
  ])

  /// The envelope of an answer that succeeded.
  package static func envelope(_ data: JSONShape) -> JSONShape {
    .object(["success": .bool, "data": data, "metadata": metadata, "error": .optional(error)])
  }

  /// The envelope of the generation before, whose metadata have a shorter name.
  package static func olderEnvelope(_ data: JSONShape) -> JSONShape {
    .object(["success": .bool, "data": data, "meta": metadata])
  }

  private static let error = JSONShape.object([
    "message": .string, "code": text, "details": .anything, "statusCode": count,
    "retryable": .optional(.bool),
  ])

  /// The envelope of an answer that failed.
  package static let failure = JSONShape.object([
    "success": .bool, "data": .anything, "metadata": metadata, "error": error,
  ])

  // MARK: Starts

  private static let token = JSONShape.first([
    .object(["authToken": .string]), .object(["token": .string]),
  ])

  /// A start of a table, by the first app: its id only.
  package static let firstStart = JSONShape.object(["jobId": .string])
  /// A start with a token, which is called `token`.
  package static let start = JSONShape.object(["jobId": .string, "token": .string])
  /// A start with a token under either name.
  package static let newestStart = JSONShape.all([
    .object(["jobId": .string, "sseUrl": text, "statusUrl": text]), token,
  ])
  /// A start of an enrichment.
  package static let enrichmentStart = JSONShape.all([
    .object(["success": .bool, "processedCount": .integer, "totalCount": .integer]), token,
    .object(["token": .string]),
  ])
  /// A start of a scan, without an envelope.
  package static let scanStart = JSONShape.all([
    .object([
      "jobId": .string, "websocketReady": .bool, "status": text, "sseUrl": text,
      "statusUrl": text, "websocketUrl": text, "estimatedRange": .list(.integer),
      "stages": .list(
        .object(["name": .string, "typicalDuration": .integer, "progress": .number])
      ),
    ]),
    token,
  ])
  /// A start of a scan of several photos, without an envelope.
  package static let photosStart = JSONShape.object([
    "jobId": .string, "totalPhotos": .integer, "status": .string,
  ])

  // MARK: Jobs

  /// The state of an import.
  package static let importStatus = JSONShape.object([
    "jobId": .string,
    "status": .oneOf(["PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"]),
    "progress": .optional(.number), "totalCount": count, "processedCount": count,
    "pipeline": text,
  ])
  /// The data of an event of an import's stream, by the name of the event.
  package static let streamed: [String: JSONShape] = {
    let event = JSONShape.object([
      "jobId": .string, "status": .string, "progress": .number, "processedCount": .integer,
      "totalCount": .integer, "completedAt": text,
    ])
    let failed = JSONShape.object([
      "error": .object([
        "code": .string, "message": .string, "retryable": .optional(.bool), "details": .anything,
      ])
    ])
    return [
      "initialized": event, "processing": event, "completed": event, "failed": failed,
      "error": failed,
    ]
  }()
  /// The state of an import of the generation before.
  package static let tableStatus = JSONShape.object([
    "status": .oneOf(["processing", "completed", "failed"]), "progress": .optional(.number),
    "message": text, "books": .optional(.list(parsedBook)),
    "errors": .optional(.list(importError)), "error": text,
  ])
  /// The state for a returning app, without an envelope.
  package static let jobState = JSONShape.object([
    "pipeline": .string, "totalCount": .integer, "processedCount": .integer,
    "status": .oneOf(["running", "complete", "failed"]), "startTime": .integer,
    "version": .integer, "endTime": count,
  ])
  /// A cancellation.
  package static let cancellation = JSONShape.object([
    "jobId": .string, "status": .string, "message": .string,
    "cleanup": .object(["r2ObjectsDeleted": .integer, "kvCacheCleared": .bool]),
  ])
  /// A new token, without an envelope.
  package static let refresh = JSONShape.object([
    "jobId": .string, "token": .string, "expiresIn": .integer,
  ])

  // MARK: Books

  /// A row of a table.
  package static let parsedBook = JSONShape.object([
    "title": .string, "author": .string, "isbn": text, "coverUrl": text, "publisher": text,
    "publicationYear": count, "enrichmentError": text,
  ])
  /// A row of a table that failed.
  package static let importError = JSONShape.object(["title": .string, "error": .string])

  private static let box = JSONShape.object([
    "x1": .number, "y1": .number, "x2": .number, "y2": .number,
  ])

  private static let ids: [String: JSONShape] = [
    "amazonASINs": .list(.string), "librarythingIDs": .list(.string),
    "googleBooksVolumeIDs": .list(.string), "isbndbQuality": .integer, "primaryProvider": text,
    "contributors": .optional(.list(.string)), "openLibraryID": text, "isbndbID": text,
    "googleBooksVolumeID": text, "goodreadsID": text, "lastISBNDBSync": text,
  ]

  /// A work.
  package static let work = JSONShape.all([
    .object(ids),
    .object([
      "title": .string, "subjectTags": .list(.string), "originalLanguage": text,
      "firstPublicationYear": count, "description": text, "coverImageURL": text,
      "synthetic": .optional(.bool), "openLibraryWorkID": text,
      "goodreadsWorkIDs": .list(.string),
      "reviewStatus": .oneOf(["verified", "needsReview", "userEdited"]),
      "originalImagePath": text,
      "boundingBox": .optional(
        .object(["x": .number, "y": .number, "width": .number, "height": .number])
      ),
    ]),
  ])
  /// An edition.
  package static let edition = JSONShape.all([
    .object(ids),
    .object([
      "isbn": text, "isbns": .list(.string), "title": text, "publisher": text,
      "publicationDate": text, "pageCount": count,
      "format": .oneOf(["Hardcover", "Paperback", "E-book", "Audiobook", "Mass Market"]),
      "coverImageURL": text, "editionTitle": text, "editionDescription": text,
      "language": text, "openLibraryEditionID": text,
    ]),
  ])
  /// An author.
  package static let author = JSONShape.object([
    "name": .string,
    "gender": .oneOf(["Female", "Male", "Non-binary", "Other", "Unknown"]),
    "culturalRegion": .optional(
      .oneOf([
        "Africa", "Asia", "Europe", "North America", "South America", "Oceania", "Middle East",
        "Caribbean", "Central Asia", "Indigenous", "International",
      ])
    ),
    "nationality": text, "birthYear": count, "deathYear": count, "openLibraryID": text,
    "isbndbID": text, "googleBooksID": text, "goodreadsID": text, "bookCount": count,
  ])
  /// A book that was to be completed.
  package static let enrichedBook = JSONShape.object([
    "title": .string, "author": text, "isbn": text, "success": .bool, "error": text,
    "enriched": .optional(
      .object(["work": work, "edition": .optional(edition), "authors": .list(author)])
    ),
  ])
  private static let enrichment = JSONShape.object([
    "status": .string, "work": .optional(work), "editions": .optional(.list(edition)),
    "authors": .optional(.list(author)), "provider": text, "cachedResult": .optional(.bool),
    "error": text, "retryAfterMs": count,
  ])
  /// A book that was found in a photo, in a completion.
  package static let detectedBook = JSONShape.object([
    "title": text, "author": text, "isbn": text, "confidence": .optional(.number),
    "boundingBox": .optional(box), "enrichmentStatus": text, "coverUrl": text,
    "publisher": text, "publicationYear": count, "enrichment": .optional(enrichment),
  ])

  // MARK: Results

  /// The results of an import whose failed rows are objects.
  package static let importResults = JSONShape.all([
    importCounts,
    .object([
      "errors": .list(.object(["row": .integer, "isbn": .string, "error": .string])),
      "books": .optional(.list(parsedBook)),
    ]),
  ])
  /// The results of an import whose failed rows are sentences.
  package static let importSentences = JSONShape.all([
    importCounts,
    .object([
      "errors": .list(.string),
      "books": .optional(
        .list(
          .object([
            "isbn": text, "title": .string, "authors": .optional(.list(.string)),
            "publisher": text, "description": text, "pageCount": count,
            "categories": .optional(.list(.string)), "language": text, "coverUrl": text,
            "averageRating": .optional(.number),
          ])
        )
      ),
    ]),
  ])
  private static let importCounts = JSONShape.object([
    "booksCreated": .integer, "booksUpdated": .integer, "duplicatesSkipped": .integer,
    "enrichmentSucceeded": .integer, "enrichmentFailed": .integer,
  ])
  /// The results of an import of the generation before.
  package static let tableResults = JSONShape.object([
    "books": .list(parsedBook), "errors": .list(importError), "successRate": .string,
  ])
  /// The results of an enrichment.
  package static let enrichmentResults = JSONShape.object([
    "enrichedBooks": .list(enrichedBook)
  ])
  /// The results of a scan.
  package static let scanResults = JSONShape.object([
    "totalDetected": .integer, "approved": .integer, "needsReview": .integer,
    "expiresAt": text,
    "books": .list(
      .object([
        "title": .string, "author": .string, "isbn": text, "format": text,
        "confidence": .number, "boundingBox": box, "enrichment": .optional(enrichment),
      ])
    ),
    "metadata": .object([
      "processingTime": .integer, "enrichedCount": .integer, "timestamp": .string,
      "modelUsed": .string,
    ]),
  ])
}
