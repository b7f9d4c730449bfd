package import GTFS

/// Turns a GTFS feed into a timetable file.
package enum FeedImport {
  /// Reads a feed and writes its timetable.
  ///
  /// - Parameters:
  ///   - path: The feed: a zip archive or a folder.
  ///   - prefix: The prefix of its ids, for the report.
  ///   - target: The timetable file, which must not exist. A failed import leaves a useless part of
  ///     it behind; the caller owns the folder.
  ///   - now: The instant of the import in seconds since 1970-01-01T00:00:00Z.
  ///   - limit: Which files refuse the import because of their rejected rows.
  ///   - encoding: The encoding of the files, if it is known; files that show another one by their first bytes have that.
  ///     Without it texts that are not UTF-8 are read in the code page that explains all texts of the feed best.
  ///   - progress: Called as the files are read.
  ///   - onDemand: Called with the services that run on demand, if there are any.
  /// - Returns: The report of rows read, rejected and written.
  /// - Throws: ``FeedError`` that says what is wrong and where.
  package static func run(
    path: String,
    prefix: String?,
    target: String,
    now: Double,
    limit: RejectedRowLimit = .usual,
    encoding: TextEncoding? = nil,
    progress: @escaping (ImportProgress) -> Void = { _ in },
    onDemand: (OnDemandServices) -> Void = { _ in }
  ) throws(FeedError) -> ImportReport {
    let clock = ContinuousClock()
    let began = clock.now
    let reader = FeedReader(
      source: try FeedSource.open(path),
      report: ImportReport(source: path, prefix: prefix),
      encoding: encoding,
      progress: progress
    )
    try reader.readAll()
    let today = Int((now / 86_400).rounded(.down))
    let services = reader.onDemand.services(reader.tables, today: today)
    if !services.isEmpty { onDemand(services) }
    var report = reader.report
    report.phases["read"] = (clock.now - began).seconds
    let builder = TimetableBuilder(
      reader.releaseTables(),
      reader.budget,
      limit: limit,
      importedAt: now
    )
    try builder.write(to: target, report: &report, progress: progress)
    return report
  }
}
