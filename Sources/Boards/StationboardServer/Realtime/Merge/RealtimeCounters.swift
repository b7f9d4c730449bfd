import GTFS
import GTFSRealtime

/// Counts the trip updates of one feed by outcome: each in exactly one counter.
///
/// ``received`` = ``matched`` + ``added`` + ``withoutEffect``, and that is every entity of the feed with a trip update,
/// those included that cannot be read.
package struct RealtimeCounters: Hashable, Sendable {
  /// Why a trip update has no effect; the raw value is the label of its counter.
  package enum Reason: String, Hashable, Sendable, CaseIterable {
    /// The timetable has no trip of that id.
    case unknownTrip = "unknown_trip"
    /// The trip does not run on that service day.
    case notRunning = "not_running"
    /// A trip of frequencies.txt without a start time, or without a run that starts then.
    case unknownStart = "unknown_start"
    /// Neither a trip id nor route, start time and date.
    case noTrip = "no_trip"
    /// Several trips fit an update, or several updates fit one trip.
    case ambiguous
    /// The only trip that fits is one that another update names by its id.
    case claimed
    /// A duplicated trip without a date to run on.
    case noStart = "no_start"
    /// An added, new or replacement trip without a stop that has a time.
    case noStopTimes = "no_stop_times"
    /// Another trip update is about the same trip on the same day.
    case repeated
    /// A source that comes first has the same trip on the same day.
    case otherSource = "other_source"
    /// An added trip that the feed also contains as a duplicated trip.
    case alsoDuplicated = "also_duplicated"
    /// The trip update is of a trip with trip modifications that the feed lacks, or that do not fit the trip.
    case modifiedTrip = "modified_trip"
    /// `schedule_relationship` is a number that the reference does not define.
    case unknownRelationship = "unknown_relationship"
    /// It names a trip that the timetable has, and no stop of it.
    case unknownStop = "unknown_stop"
    /// It matches a trip, and has nothing that a board or a trip shows: no time, no stop left out, no platform, no headsign.
    case saysNothing = "says_nothing"
    /// The entity cannot be read.
    case unreadable
  }

  /// A trip update without effect, for diagnosis.
  package struct Example: Hashable, Sendable {
    /// Why it has no effect.
    package var reason: Reason
    /// The id of the entity.
    package var entity: String
    /// `trip_id`.
    package var trip: String?
    /// `route_id`.
    package var route: String?
    /// `start_date`, as `YYYY-MM-DD`.
    package var startDate: String?

    init(_ reason: Reason, _ update: TripUpdate, _ texts: TextTable) {
      self.reason = reason
      entity = texts[update.entityID]
      trip = texts[update.tripID]
      route = texts[update.routeID]
      startDate = update.startDate?.description
    }
  }

  /// How many examples are kept; all are counted.
  package static let mostExamples = 20

  /// Trips of the timetable that run, with realtime.
  package internal(set) var applied = 0
  /// New and added trips.
  package internal(set) var added = 0
  /// Duplicated trips.
  package internal(set) var duplicated = 0
  /// Trips that a replacement took the place of.
  package internal(set) var replaced = 0
  /// Cancelled trips, those whose stops are all skipped included.
  package internal(set) var cancelled = 0
  /// Trips that are not to be shown.
  package internal(set) var deleted = 0
  /// Trips that the feed no longer has and that are kept for now.
  package internal(set) var kept = 0
  /// Trip updates without effect, by reason.
  package private(set) var withoutEffect: [Reason: Int] = [:]
  /// The first trip updates without effect.
  package private(set) var examples: [Example] = []
  /// Trips whose stops trip modifications change.
  package internal(set) var modified = 0
  /// Trip modifications and replacement stops that do not fit their trip.
  package internal(set) var unusableModifications = 0
  /// Stop time updates that fit no stop of their trip.
  package internal(set) var unlinkedStops = 0
  /// Times and delays more than a day away from the timetable, which are not used.
  package internal(set) var implausibleTimes = 0

  /// Trip updates that match a trip of another id, by how it was found; those of ``Rung/id`` are not counted.
  package internal(set) var byRung: [Rung: Int] = [:]
  /// The first trips that were found without their id.
  package private(set) var proofs: [Proof] = []
  /// Trip updates that match no single trip, by the number of the route that they name.
  package private(set) var unmatchedByRoute: [Int: Int] = [:]

  /// How a trip was found: the steps of the ladder, in order.
  package enum Rung: String, Hashable, Sendable, CaseIterable {
    /// By its id, or as the reference says without one.
    case id
    /// By its id, of which a part differs as it does in most ids of the feed.
    case affix
    /// By route, start time, start date and last stop.
    case start
  }

  /// A trip that was found without its id, for diagnosis.
  package struct Proof: Hashable, Sendable {
    /// How it was found.
    package var rung: Rung
    /// `trip_id` of the feed.
    package var given: String?
    /// `trip_id` of the timetable.
    package var found: String
  }

  init() {}

  static let reasonsUnmatched: [Reason] = [
    .unknownTrip, .notRunning, .unknownStart, .noTrip, .ambiguous, .claimed, .noStart, .unknownStop,
  ]

  /// The trip updates that match a trip, of those that should; `nil` if none should.
  package var matchedShare: Double? {
    let wanted = matching + unmatched
    return wanted == 0 ? nil : Double(matching) / Double(wanted)
  }

  /// Trip updates that match a trip of the timetable, those included that another source has as well.
  var matching: Int { matched + withoutEffect[.otherSource, default: 0] }

  /// Trip updates that match no single trip of the timetable.
  package var unmatched: Int {
    Self.reasonsUnmatched.reduce(0) { $0 + withoutEffect[$1, default: 0] }
  }

  /// All trip updates of the feed.
  package var received: Int {
    matched + added + withoutEffect.values.reduce(0, +)
  }

  /// Trip updates that match a trip of the timetable and are used.
  package var matched: Int { applied + duplicated + replaced + cancelled + deleted }

  /// How much of a feed matches its timetable.
  package enum Match: Hashable, Sendable {
    /// No trip update that should.
    case nothing
    /// Some trip updates, and others not.
    case some
    /// Every trip update that should.
    case all
  }

  /// How much of the feed matches the timetable.
  package var match: Match { matchesNothing ? .nothing : unmatched > 0 ? .some : .all }

  /// Whether no trip update matches a trip of the timetable, and some should.
  package var matchesNothing: Bool {
    matched == 0 && withoutEffect[.saysNothing] == nil && unmatched > 0
  }

  /// Trip updates that match a trip, or need none, or cannot be read, and are not used.
  package var discarded: Int { withoutEffect.values.reduce(0, +) - unmatched }

  /// Adds the outcomes of the trip updates that follow.
  mutating func append(_ next: RealtimeCounters) {
    applied += next.applied
    added += next.added
    duplicated += next.duplicated
    replaced += next.replaced
    cancelled += next.cancelled
    deleted += next.deleted
    kept += next.kept
    withoutEffect.merge(next.withoutEffect) { $0 + $1 }
    examples += next.examples.prefix(Self.mostExamples - examples.count)
    byRung.merge(next.byRung) { $0 + $1 }
    proofs += next.proofs.prefix(Self.mostExamples - proofs.count)
    unmatchedByRoute.merge(next.unmatchedByRoute) { $0 + $1 }
    modified += next.modified
    unusableModifications += next.unusableModifications
    unlinkedStops += next.unlinkedStops
    implausibleTimes += next.implausibleTimes
  }

  /// Counts entities of trip updates that cannot be read; the reader keeps examples of its own.
  mutating func leaveOutUnreadable(_ count: Int) {
    if count > 0 { withoutEffect[.unreadable, default: 0] += count }
  }

  /// Counts a trip of one source that another one has.
  mutating func leaveToOther(_ kind: RealtimeTrip.Kind, isCopy: Bool) {
    switch kind {
    case .running: applied -= 1
    case .cancelled: cancelled -= 1
    case .deleted: deleted -= 1
    case .replaced: replaced -= 1
    case .extra: if isCopy { duplicated -= 1 } else { added -= 1 }
    }
    withoutEffect[.otherSource, default: 0] += 1
  }

  /// Counts a trip that was found without its id.
  mutating func found(_ rung: Rung, _ proof: () -> Proof) {
    byRung[rung, default: 0] += 1
    if proofs.count < Self.mostExamples { proofs.append(proof()) }
  }

  /// Counts a trip update of a route that matches no single trip.
  mutating func miss(route: Int) { unmatchedByRoute[route, default: 0] += 1 }

  /// Takes back that one has no effect, because what it is of was found otherwise.
  mutating func takeBack(_ reason: Reason) {
    guard let count = withoutEffect[reason], count > 0 else { return }
    withoutEffect[reason] = count == 1 ? nil : count - 1
  }

  /// Counts a trip update without effect.
  mutating func leaveOut(_ reason: Reason, _ example: () -> Example) {
    withoutEffect[reason, default: 0] += 1
    if examples.count < Self.mostExamples { examples.append(example()) }
  }
}
