/// The sections of a timetable file, by their number in its table of contents.
///
/// Documentation/timetable-file.md draws the whole file.
enum TimetableSection: UInt32, CaseIterable {
  /// ``TimetableMetadata`` as JSON.
  case metadata = 1
  /// Where each text starts in ``textBytes``, `UInt32`; one more than there are texts.
  case textStarts = 2
  /// All texts, UTF-8. Text 0 is empty.
  case textBytes = 3
  /// ``AgencyRecord``.
  case agencies = 4
  /// ``StopRecord``, in the order of stops.txt.
  case stops = 5
  /// Stop numbers ordered by the bytes of their ids, `UInt32`.
  case stopsById = 6
  /// Stop numbers ordered by the bytes of their original ids, `UInt32`; only those that have one.
  case stopsByOriginalId = 7
  /// ``StopNumberRecord``: Swiss station numbers, ordered.
  case stopNumbers = 8
  /// Where each stop's descendants start in ``descendants``, `UInt32`; one more than stops.
  case descendantStarts = 9
  /// For each stop itself and all stops below it that have departures, `UInt32`.
  case descendants = 10
  /// ``RouteRecord``, in the order of routes.txt.
  case routes = 11
  /// ``PatternRecord``: distinct sequences of stops.
  case patterns = 12
  /// The stop numbers of all patterns, `UInt32`.
  case patternStops = 13
  /// The stop_sequence values of all patterns, `UInt32`.
  case patternSequences = 14
  /// ``StopTimeAttributes`` of all patterns, `UInt8`.
  case patternAttributes = 15
  /// The stop_headsign texts of all patterns, `UInt32`.
  case patternHeadsigns = 16
  /// ``ProfileTime`` of all running-time profiles.
  case profileTimes = 17
  /// ``TripRecord``, ordered by the bytes of the trip id, then by start.
  case trips = 18
  /// Where each trip's id starts in ``tripIdBytes``, `UInt32`; one more than trips.
  case tripIdStarts = 19
  /// All trip ids, UTF-8.
  case tripIdBytes = 20
  /// Sets of service days, `UInt64` words; bit 0 of word 0 is the first day of service.
  case daySets = 21
  /// Where each stop's departures start in ``departures``, `UInt32`; one more than stops.
  case departureStarts = 22
  /// ``DepartureEntry`` of every stop, ordered by time.
  case departures = 23
  /// ``TranslationRecord``, ordered.
  case translations = 24
  /// For each text the number of the first text that names the same place (``PlaceName``), `UInt32`.
  case textPlaces = 25
  /// ``ContinuationRecord``, by the trip that ends. Files of programs that did not read block_id lack it.
  case continuations = 26
  /// The numbers of all continuations by the trip that begins, `UInt32`; lacking likewise.
  case continuationsByTarget = 27

  /// Whether a file is complete without the section.
  var isOptional: Bool { self == .continuations || self == .continuationsByTarget }
}
