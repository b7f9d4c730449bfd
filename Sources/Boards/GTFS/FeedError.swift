/// Why a feed, or a timetable made from one, cannot be used.
///
/// The message is one sentence for the person who runs the import; it names the file and, where
/// there is one, the line.
package struct FeedError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure, stable across releases.
  package enum Code: String, Hashable, Sendable {
    /// The path does not exist or cannot be read.
    case unreadable = "feed_unreadable"
    /// The zip archive is damaged, encrypted or not a zip archive.
    case brokenArchive = "feed_broken_archive"
    /// A size, count or ratio is over its limit (``FeedLimits``).
    case limitExceeded = "feed_limit_exceeded"
    /// A file that the GTFS reference requires is missing.
    case missingFile = "feed_missing_file"
    /// A file has no header.
    case emptyFile = "feed_empty_file"
    /// A column that the GTFS reference requires is missing.
    case missingColumn = "feed_missing_column"
    /// No service runs on any day.
    case emptyCalendar = "feed_empty_calendar"
    /// The agency's time zone is not in the time zone database.
    case unknownTimeZone = "feed_unknown_time_zone"
    /// More rows are malformed than the threshold allows.
    case tooManyRejectedRows = "feed_too_many_rejected_rows"
    /// A value that the whole feed hangs on is wrong.
    case invalid = "feed_invalid"
    /// The disk is full or the folder cannot be written.
    case cannotWrite = "cannot_write"
    /// Another import holds the data folder.
    case busy = "import_running"
    /// The database that shares the timetables cannot be used now.
    case unavailable = "database_unavailable"
    /// The database that shares the timetables has other tables than this program.
    case otherDatabase = "database_of_another_version"
    /// The server of the database that shares the timetables has no database of that name.
    case noDatabase = "database_missing"
    /// The database that shares the timetables does not let this user in, or not this far.
    case databaseRefuses = "database_refuses"
    /// Another process changes the timetables, or the command is about a folder whose timetables a database has.
    case conflict = "timetable_changed_elsewhere"
    /// The database did not say whether it has stored a change for all servers.
    case unknownOutcome = "timetable_change_unknown"
    /// A change is stored for all servers, and is not in place in this data folder.
    case notInPlace = "timetable_not_in_place"
    /// A timetable file is damaged or of another version.
    case damagedTimetable = "timetable_damaged"
  }

  /// The kind of failure.
  package var code: Code
  /// One sentence that says what is wrong and where.
  package var message: String

  /// Creates an error.
  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { message }
}
