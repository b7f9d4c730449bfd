/// The metadata of a timetable file.
package struct TimetableMetadata: Codable, Hashable, Sendable {
  /// agency_timezone, such as `Europe/Zurich`; the first one if the agencies have several.
  package var timeZone: String
  /// The time zones of the agencies, if they have several; `timeZone` is the first.
  package var timeZones: [String]?
  /// For each agency, in the order of their section, the place of its zone in ``timeZones``; `nil` without that.
  package var agencyZones: [Int]?
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
  /// Whether the attributes of stop times say what timepoint says; `nil` in files of programs that did not read it.
  package var hasTimepoints: Bool?

  /// Creates the metadata.
  package init(
    timeZone: String,
    timeZones: [String]? = nil,
    agencyZones: [Int]? = nil,
    firstDay: Int,
    dayCount: Int,
    latestTime: Int,
    publisher: String?,
    version: String?,
    language: String?,
    importedAt: Double,
    languages: [String],
    hasTimepoints: Bool? = true
  ) {
    self.timeZone = timeZone
    self.timeZones = timeZones
    self.agencyZones = agencyZones
    self.firstDay = firstDay
    self.dayCount = dayCount
    self.latestTime = latestTime
    self.publisher = publisher
    self.version = version
    self.language = language
    self.importedAt = importedAt
    self.languages = languages
    self.hasTimepoints = hasTimepoints
  }
}
