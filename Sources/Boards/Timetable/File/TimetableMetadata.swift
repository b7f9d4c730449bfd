/// The metadata of a timetable file.
package struct TimetableMetadata: Codable, Hashable, Sendable {
  /// agency_timezone, such as `Europe/Zurich`.
  package var timeZone: String
  /// The first day of service, as days since 1970-01-01.
  package var firstDay: Int
  /// The number of days of service, first and last included.
  package var dayCount: Int
  /// The latest departure in seconds after 0:00 of its service day.
  package var latestTime: Int
  /// feed_publisher_name.
  package var publisher: String?
  /// feed_version.
  package var version: String?
  /// default_lang, feed_lang or agency_lang.
  package var language: String?
  /// When the import began, seconds since 1970-01-01T00:00:00Z.
  package var importedAt: Double
  /// The languages of the translations.
  package var languages: [String]

  /// Creates the metadata.
  package init(
    timeZone: String,
    firstDay: Int,
    dayCount: Int,
    latestTime: Int,
    publisher: String?,
    version: String?,
    language: String?,
    importedAt: Double,
    languages: [String]
  ) {
    self.timeZone = timeZone
    self.firstDay = firstDay
    self.dayCount = dayCount
    self.latestTime = latestTime
    self.publisher = publisher
    self.version = version
    self.language = language
    self.importedAt = importedAt
    self.languages = languages
  }
}
