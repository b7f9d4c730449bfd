import TolerantDecoding

/// Reads payloads of progress.
enum JobProgressReader {
  private static let processed: MemberName = [
    "processedCount", "processed_count", "processed", "completedCount", "processedItems",
    "processed_items",
  ]
  private static let total: MemberName = [
    "totalCount", "total_count", "totalItems", "total_items", "total",
  ]
  private static let keepAlive: MemberName = ["keepAlive", "keep_alive"]
  private static let current: MemberName = ["currentItem", "current_item", "current"]
  /// What servers of the first generation call the sentence.
  private static let older: MemberName = ["status", "currentStatus", "current_status"]

  static func progress(_ field: DecodeField) -> JobProgress {
    let total = field[total].int(in: 0 ... .max)
    let processed = field[processed].int(in: 0 ... .max)
    var fraction = field[["progress", "percent"]].fraction()
    if fraction == nil, let processed, let total, total > 0 {
      fraction = min(1, Double(processed) / Double(total))
    }
    var report = JobProgress(
      fraction: fraction ?? field["progress"].missing(0),
      processed: processed,
      // A total of 0 is what servers say while they do not know it.
      total: total == 0 ? nil : total,
      phase: field["phase"].string(),
      current: field[current].string(orMember: ["title", "name", "isbn"]),
      sentence: sentence(field),
      isKeepAlive: field[keepAlive].bool() ?? false
    )
    if field["retry"].holdsObject { report.retry = retry(field["retry"]) }
    return report
  }

  /// Another attempt, in an event or beside a state.
  static func retry(_ field: DecodeField) -> JobRetryNotice {
    JobRetryNotice(
      failedAttempts: field["failedAttempts"].int(in: 0 ... .max) ?? 0,
      maxAttempts: field["maxAttempts"].int(in: 0 ... .max),
      runAt: field["runAt"].instant(),
      code: field["code"].string()
    )
  }

  /// The sentence for a person: `statusMessage` where there is one beside `status`.
  private static func sentence(_ field: DecodeField) -> String {
    for name in ["statusMessage", "status_message", "status", "message"] {
      let place = field[MemberName(name)]
      if place.isPresent, let text = place.string() { return text }
    }
    return field[older].string() ?? ""
  }

  static func report(_ field: DecodeField) -> JobStatusReport {
    var report = JobStatusReport(
      progress: progress(field),
      state: field["state"].open(JobState.self),
      updatedAt: field[["lastUpdate", "last_update", "updatedAt"]].instant(),
      isRecovered: field["recovered"].bool(),
      lastSeq: field[["lastSeq", "last_seq"]].int(in: 0 ... .max).map { Int64($0) }
    )
    if report.progress.sentence.isEmpty {
      report.progress.sentence = field["message"].string() ?? ""
    }
    return report
  }

  static func photos(_ field: DecodeField) -> PhotoReport {
    let photos = field[["photos", "photoResults"]].list { photo -> PhotoReport.Photo? in
      guard photo.isObject() else { return nil }
      return self.photo(photo)
    }
    return PhotoReport(
      total: field[["totalPhotos", "total_photos"]].int(in: 0 ... .max),
      current: field[["currentPhoto", "current_photo", "photoIndex"]].int(in: 0 ... .max),
      booksFound: field[["totalBooksFound", "total_books_found", "booksFound"]].int(in: 0 ... .max),
      photos: photos?.elements ?? []
    )
  }

  private static func photo(_ field: DecodeField) -> PhotoReport.Photo {
    PhotoReport.Photo(
      index: field[["photoIndex", "index", "photo_index"]].int(in: 0 ... .max),
      status: field["status"].open(PhotoReport.Status.self),
      booksFound: field[["booksFound", "books_found"]].int(in: 0 ... .max),
      problem: field["error"].string(orMember: ["message"])
    )
  }
}

/// Reads the payload of the start of work.
enum JobStartReader {
  /// Where a duration without a unit in its name turns from seconds to milliseconds.
  private static let leastMilliseconds = 1_000.0

  static func start(_ field: DecodeField) -> JobStart {
    let phases = field[["stages", "phases"]].list { stage -> JobPhase? in
      guard let name = stage.string(orMember: ["name"]) else { return nil }
      return JobPhase(name, weight: stage["weight"].double(in: 0...1_000) ?? 1)
    }
    return JobStart(
      total: field[["totalCount", "totalItems", "total_count", "total_items"]].int(in: 0 ... .max)
        .flatMap { $0 == 0 ? nil : $0 },
      phases: phases?.elements ?? [],
      estimate: estimate(field)
    )
  }

  private static func estimate(_ field: DecodeField) -> Int64? {
    if let whole = field["estimatedDurationMs"].int(in: 0...86_400_000) { return Int64(whole) }
    let place = field[["estimatedDuration", "estimated_duration"]]
    guard let number = place.double(in: 0...86_400_000) else { return nil }
    let isSeconds = number < leastMilliseconds
    place.report(
      .converted,
      .note,
      "a duration without a unit is taken as \(isSeconds ? "seconds" : "milliseconds")"
    )
    return Int64((isSeconds ? number * 1_000 : number).rounded())
  }
}
