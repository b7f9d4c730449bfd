import FeedSimulation
import GTFS
import GTFSRealtime
import Timetable

/// A trip update feed as a reader of the GTFS-Realtime reference understands it, stop by stop.
struct PublishedFeed {
  /// What a reader knows of a run of the timetable at a stop.
  struct Stop: Hashable {
    var status: StopGroundTruth.Status
    var arrivalDelay: Int32?
    var departureDelay: Int32?
    var newPlatform: String?
  }

  /// What names a run in a feed.
  struct Name: Hashable {
    var trip: String
    var day: ServiceDate
    /// The start, of runs of a frequency.
    var start: Int32?
  }

  let feed: TripUpdateFeed
  let timetable: Timetable
  /// Trip updates about runs of the timetable, duplicated ones apart.
  private(set) var runs: [Name: TripUpdate] = [:]
  /// Trip updates about other runs, by their new id.
  private(set) var extras: [String: TripUpdate] = [:]

  init(_ bytes: [UInt8], _ timetable: Timetable) throws {
    feed = try TripUpdateFeed(protobuf: bytes)
    self.timetable = timetable
    for trip in feed.trips {
      let id = feed.texts[trip.tripID] ?? ""
      switch trip.relationship {
      case .added, .new: extras["\(id)/\(trip.startDate?.description ?? "")"] = trip
      case .duplicated:
        let new = feed.texts[trip.properties?.tripID] ?? ""
        extras["\(new)/\(trip.properties?.startDate?.description ?? "")"] = trip
      default:
        let found = timetable.trips(id: id).first
        let isFrequency = found.map { timetable.isFrequency($0) } ?? false
        guard let day = trip.startDate else { continue }
        runs[Name(trip: id, day: day, start: isFrequency ? trip.startTime : nil)] = trip
      }
    }
  }

  /// What the feed says of the stops of a run of the timetable.
  func stops(of run: TripRun) -> [Stop] {
    let trip = run.trip
    let count = timetable.callCount(of: trip)
    let name = Name(
      trip: String(decoding: timetable.tripId(of: trip), as: UTF8.self),
      day: run.day,
      start: timetable.isFrequency(trip) ? timetable.start(of: trip) : nil
    )
    guard let update = runs[name] else {
      return [Stop](repeating: Stop(status: .unreported), count: count)
    }
    switch update.relationship {
    case .canceled: return [Stop](repeating: Stop(status: .cancelled), count: count)
    case .deleted: return [Stop](repeating: Stop(status: .deleted), count: count)
    default: return calls(of: run, update)
    }
  }

  private func calls(of run: TripRun, _ update: TripUpdate) -> [Stop] {
    let start = timetable.start(of: run.day)
    let isReplaced = update.relationship == .replacement
    var carried: Int32?
    var carriedStatus = StopGroundTruth.Status.unreported
    return (0..<timetable.callCount(of: run.trip)).map { position in
      let call = timetable.call(position, of: run.trip)
      let stopID = String(decoding: timetable.id(of: call.stop), as: UTF8.self)
      let found = feed.updates(of: update).first { given in
        if let sequence = given.stopSequence { return sequence == call.sequence }
        return feed.texts[given.stopID] == stopID
      }
      guard let given = found else {
        if isReplaced { return Stop(status: .skipped) }
        return Stop(status: carriedStatus, arrivalDelay: carried, departureDelay: carried)
      }
      let scheduled = (
        arrival: scheduled(given, isArrival: true) ?? start + Int64(call.arrival),
        departure: scheduled(given, isArrival: false) ?? start + Int64(call.departure)
      )
      switch given.relationship {
      case .skipped:
        // The delay before it carries over.
        return Stop(status: .skipped)
      case .noData:
        carried = nil
        carriedStatus = .noData
        return Stop(status: .noData)
      default: break
      }
      let arrival = given.arrival.flatMap { delay(of: $0, scheduled.arrival) }
      let departure = given.departure.flatMap { delay(of: $0, scheduled.departure) }
      var stop = Stop(status: .served)
      stop.arrivalDelay = arrival ?? departure
      stop.departureDelay = departure ?? arrival
      let platform = feed.texts[given.assignedStopID] ?? feed.texts[given.stopID]
      stop.newPlatform = platform == stopID ? nil : platform
      carried = stop.departureDelay
      carriedStatus = .served
      return stop
    }
  }

  private func scheduled(_ update: StopTimeUpdate, isArrival: Bool) -> Int64? {
    let details = feed.details(of: update)
    return isArrival ? details?.scheduledArrival : details?.scheduledDeparture
  }

  private func delay(of event: StopTimeEvent, _ scheduled: Int64) -> Int32? {
    event.time.map { Int32($0 - scheduled) } ?? event.delay
  }
}

extension FeedWorld {
  /// A world on the test network.
  static func test(_ scenario: Scenario, seed: UInt64 = 1, period: Int64 = 15_000) -> FeedWorld {
    var options = Options()
    options.scenario = scenario
    options.seed = seed
    options.period = period
    options.agencyIDs = ["A"]
    return FeedWorld(TestNetwork.timetable, options: options)
  }

  /// Every run of the timetable on the days around an instant.
  func allRuns(around instant: Int64) -> [TripRun] {
    let today = ServiceDay(zone: timetable.zone).date(at: instant)
    return (-1...1).flatMap { offset in
      (0..<UInt32(timetable.tripCount)).compactMap { trip in
        timetable.runs(trip, on: today + offset) ? TripRun(trip: trip, day: today + offset) : nil
      }
    }
  }
}
