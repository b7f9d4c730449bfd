/// Every limit of the history of punctuality, in one place.
package enum HistoryLimits {
  /// How many days of lines are kept if nothing is said.
  package static let usualDays = 90
  /// The days of lines that may be kept; 0 turns the history off.
  package static let days = 0...400
  /// How many days the points of five minutes are kept; those of an hour are kept as long as the lines.
  package static let detailDays = 14
  /// The length of a point, in seconds.
  package static let pointSeconds: Int64 = 300
  /// The length of a point of later days, in seconds.
  package static let hourSeconds: Int64 = 3_600
  /// The most rows of lines; beyond, the oldest days are removed.
  package static let lineRows = 400_000
  /// The most rows of points; beyond, the oldest are removed.
  package static let pointRows = 400_000
  /// The time between two writes, in seconds of the service clock.
  package static let writeSeconds = 60.0
  /// The least time between two writes, in seconds, for clocks that run fast.
  package static let leastWriteSeconds = 1.0
  /// How long after the last known departure a call is counted, in seconds.
  package static let settleSeconds: Int64 = 60
  /// How long before a departure the last report about it still counts, in seconds.
  package static let memorySeconds: Int64 = 900
  /// How long after its last planned departure a trip is followed, in seconds.
  package static let longestDelay: Int64 = 21_600
  /// How far back a server that was away counts what it missed, in seconds.
  package static let longestAbsence: Int64 = 86_400
  /// How long a recorder that continues waits for the first realtime before it counts without, in seconds.
  package static let resumeSeconds = 300.0
  /// The most trips under way that are followed.
  package static let openTrips = 200_000
  /// The most added trips of a day that are told apart.
  package static let addedTrips = 10_000
  /// The most periods with realtime that are told apart; beyond, the oldest are forgotten.
  package static let livePeriods = 200
  /// How long after a publication it is counted, in seconds of the service clock: boards of this and of other servers on the
  /// machine have it first.
  package static let countAfterSeconds = 1.0
  /// The most publications that wait to be counted; beyond, those between are left out.
  package static let waitingPublications = 16
  /// The most days of one answer about a line.
  package static let answerDays = 400
  /// The most lines of one answer.
  package static let answerLines = 5_000
  /// The most points of one answer.
  package static let answerPoints = 20_000
  /// The lines that `/api/status` names.
  package static let namedLines = 12
  /// The stations that `/api/status` names of a timetable that is held back.
  package static let namedStations = 12
  /// The longest name of a line that a request may give, in characters.
  package static let longestName = 200
}
