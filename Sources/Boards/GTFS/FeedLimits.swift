/// Every limit of reading a feed, in one place.
///
/// The Swiss feed of 2026 (2.6 GB of stop_times.txt, 1.9 million trips) fits with room to spare.
package enum FeedLimits {
  /// The most bytes one file may have once inflated.
  package static let fileBytes = 16 << 30
  /// The most bytes all files that are read may have once inflated.
  package static let feedBytes = 24 << 30
  /// The largest ratio of inflated to stored bytes of one file, once it is over ``ratioFloorBytes``.
  ///
  /// GTFS text deflates by 5 to 30; a zip bomb by 1,000 and more.
  package static let inflationRatio = 250
  /// Inflated bytes below which the ratio is not checked.
  package static let ratioFloorBytes = 64 << 20
  /// The most entries of an archive.
  package static let archiveEntries = 10_000
  /// The most bytes of an archive within the archive; it is read into memory.
  package static let nestedArchiveBytes = 256 << 20
  /// The most bytes of one CSV record.
  package static let recordBytes = 1 << 20
  /// The most columns of a file.
  package static let columns = 256
  /// The most bytes of one stored text (a name, an id).
  package static let textBytes = 4_096
  /// The most bytes of all stored texts together.
  package static let allTextBytes = 3 << 30
  /// The bytes that an import may keep of any feed, however small, in memory and in its timetable.
  package static let keptBytes = 32 << 20
  /// The bytes that it may keep beyond that for each byte that the feed is stored in.
  ///
  /// Of real feeds it keeps 1 to 10: without this limit an archive of some kilobytes whose rows all say nearly the
  /// same would take hundreds of megabytes.
  package static let keptRatio = 64
  /// The most stops, and likewise routes, agencies and services.
  package static let entities = 8_000_000
  /// The most time zones of the agencies of a feed; Russia has 11.
  package static let timeZones = 32
  /// The most trips, frequency departures included; 27 bits in the departure index.
  package static let trips = 1 << 27
  /// The most departures of one trip that its rows in frequencies.txt may give: one every 30 s for a day.
  package static let runsPerTrip = 2_880
  /// The most bytes that the runs of frequencies.txt may take in the timetable file.
  ///
  /// A row of 30 bytes gives up to ``runsPerTrip`` runs. The largest networks that run by frequencies take 80 MB.
  package static let frequencyBytes = 256 << 20
  /// How many trips are examined to find those that a vehicle may run after a trip of its block, and the most that
  /// transfers.txt may link to it.
  package static let continuationsPerTrip = 64
  /// The most trips, of all days together, that continue as one trip.
  package static let predecessorsPerTrip = 1_000
  /// The most stop times of one trip; 16 bits in the departure index.
  package static let stopTimesPerTrip = 1 << 16
  /// The latest time of day in seconds (14 days; the Trans-Siberian needs 7).
  package static let latestTime = 14 * 86_400
  /// The latest departure of a run of a frequency in seconds; 21 bits in the departure index.
  package static let latestDeparture = latestTime + 86_400
  /// The most departures that one feed may hold.
  package static let departures = 1 << 31
  /// The most bytes that the days of all services may take in the timetable file.
  package static let serviceBytes = 256 << 20
  /// The most days between the first and the last day of service.
  package static let serviceDays = 36_525
  /// The bytes of each file that are read to find the code page of a feed whose texts are not UTF-8.
  package static let sampledBytes = 16 << 20
  /// How many rejected rows are kept with line, column and reason; all are counted.
  package static let keptProblems = 100
  /// Bytes of one read-ahead block.
  package static let blockBytes = 1 << 20
}
