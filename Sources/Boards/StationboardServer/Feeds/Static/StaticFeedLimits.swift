/// Every limit of fetching timetables, in one place.
package enum StaticFeedLimits {
  /// The most bytes of a downloaded feed.
  package static let downloadBytes = 2 << 30
  /// The time for the head of a response, in seconds.
  package static let headSeconds = 30
  /// The longest time without any data of a download, in seconds.
  package static let silenceSeconds = 60
  /// The time for a whole download, in seconds.
  package static let downloadSeconds = 1_800
  /// The seconds between two checks that a source may have.
  package static let intervals = 300.0...604_800.0
  /// The wait after a first failure, in seconds; it doubles with each further one up to the interval.
  package static let firstRetry = 60.0
  /// The longest `Retry-After`, and likewise the longest `max-age`, that is obeyed, in seconds.
  package static let longestRequestedWait = 86_400.0
  /// How far the date of a file may be ahead of the clock of this machine and still count, in seconds.
  package static let dateTolerance = 300.0
  /// How long a file that has arrived waits for other imports of the data folder, in seconds.
  package static let importWaitSeconds = 1_800
  /// How long a command waits for an import of the data folder, in seconds.
  package static let commandWaitSeconds = 60.0
  /// How many intervals pass between two checks of a source that gives no validator.
  package static let intervalsWithoutValidator = 6.0
  /// The share of an interval, and likewise of a retry, by which jitter makes it longer or shorter.
  package static let jitter = 0.1
  /// The most sources that can be added.
  package static let sources = 64
  /// The longest reason of a failure that is kept, in characters.
  package static let reasonLength = 1_000
  /// The days before the end of a timetable from which on it is warned of.
  package static let expiryDays = 7
  /// How long after midnight a new timetable waits at most until trips of the evening before have ended, in seconds.
  package static let longestNight = 10_800
  /// The largest file of a catalogue of feeds, in bytes.
  package static let catalogueBytes = 64 << 20
  /// The most files of a catalogue.
  package static let catalogueFiles = 10_000
  /// The most feeds of a catalogue.
  package static let catalogueFeeds = 100_000
  /// The longest text of a feed of a catalogue, in characters.
  package static let catalogueText = 300
}
