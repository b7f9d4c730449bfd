import GTFS
import Testing

@testable import Timetable

/// Files whose checksums are right and whose contents are not, as a faulty writer would make them.
@Suite struct TimetableCheckTests {
  private static let file = Result { try TimetableBytes(.manyTrips) }

  struct Fault: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var make: @Sendable (inout TimetableBytes) -> Void

    init(_ name: String, _ make: @escaping @Sendable (inout TimetableBytes) -> Void) {
      testDescription = name
      self.make = make
    }
  }

  private static let none: UInt32 = 1_000_000

  static let faults: [Fault] = [
    Fault("texts run backwards") { $0.swap(.textStarts, 3, 4, as: UInt32.self) },
    Fault("texts do not start at 0") { $0.edit(.textStarts, 0, as: UInt32.self) { $0 = 1 } },
    Fault("a text's place") { $0.edit(.textPlaces, 2, as: UInt32.self) { $0 = none } },
    Fault("an agency's name") { $0.edit(.agencies, 0, as: AgencyRecord.self) { $0.name = none } },
    Fault("a stop's name") { $0.edit(.stops, 1, as: StopRecord.self) { $0.name = none } },
    Fault("a stop's original id") {
      $0.edit(.stops, 1, as: StopRecord.self) { $0.originalId = none }
    },
    Fault("a stop's parent") { $0.edit(.stops, 1, as: StopRecord.self) { $0.parent = none } },
    Fault("a stop's station") { $0.edit(.stops, 1, as: StopRecord.self) { $0.root = none } },
    Fault("an ordered stop") { $0.edit(.stopsById, 1, as: UInt32.self) { $0 = none } },
    Fault("the order of stops by id") { $0.swap(.stopsById, 0, 1, as: UInt32.self) },
    Fault("the order of stops by original id") {
      $0.swap(.stopsByOriginalId, 0, 1, as: UInt32.self)
    },
    Fault("a stop of the original ids") {
      $0.edit(.stopsByOriginalId, 0, as: UInt32.self) { $0 = none }
    },
    Fault("a numbered stop") {
      $0.edit(.stopNumbers, 0, as: StopNumberRecord.self) { $0.stop = none }
    },
    Fault("the order of Swiss numbers") { $0.swap(.stopNumbers, 0, 1, as: StopNumberRecord.self) },
    Fault("descendants run backwards") {
      $0.edit(.descendantStarts, 2, as: UInt32.self) { $0 = 0 }
    },
    Fault("a descendant") { $0.edit(.descendants, 0, as: UInt32.self) { $0 = none } },
    Fault("a route's name") { $0.edit(.routes, 0, as: RouteRecord.self) { $0.longName = none } },
    Fault("a route's agency") { $0.edit(.routes, 0, as: RouteRecord.self) { $0.agency = 7 } },
    Fault("an empty pattern") { $0.edit(.patterns, 0, as: PatternRecord.self) { $0.count = 0 } },
    Fault("a pattern that ends late") {
      $0.edit(.patterns, 0, as: PatternRecord.self) { $0.count = none }
    },
    Fault("a pattern that starts late") {
      $0.edit(.patterns, 0, as: PatternRecord.self) { $0.first = .max }
    },
    Fault("a pattern's stop") { $0.edit(.patternStops, 0, as: UInt32.self) { $0 = none } },
    Fault("a stop headsign") { $0.edit(.patternHeadsigns, 0, as: UInt32.self) { $0 = none } },
    Fault("a trip's pattern") { $0.edit(.trips, 0, as: TripRecord.self) { $0.pattern = none } },
    Fault("a trip's profile") { $0.edit(.trips, 0, as: TripRecord.self) { $0.profile = none } },
    Fault("a trip's days") { $0.edit(.trips, 0, as: TripRecord.self) { $0.daySet = 99 } },
    Fault("a trip's route") { $0.edit(.trips, 0, as: TripRecord.self) { $0.route = 99 } },
    Fault("a trip's headsign") { $0.edit(.trips, 0, as: TripRecord.self) { $0.headsign = none } },
    Fault("a trip's start") { $0.edit(.trips, 0, as: TripRecord.self) { $0.start += 1 } },
    Fault("trip ids run backwards") { $0.swap(.tripIdStarts, 1, 2, as: UInt32.self) },
    Fault("the order of trip ids") { $0.edit(.tripIdBytes, 0, as: UInt8.self) { $0 = 0xFF } },
    Fault("departures run backwards") { $0.edit(.departureStarts, 2, as: UInt32.self) { $0 = 0 } },
    Fault("the order of departures") { $0.swap(.departures, 0, 1, as: UInt64.self) },
    Fault("a departure's trip") {
      $0.edit(.departures, 0, as: DepartureEntry.self) { $0.key |= 0x07FF_FFFF << 16 }
    },
    Fault("a departure's position") {
      $0.edit(.departures, 0, as: DepartureEntry.self) { $0.key |= 0xFFFF }
    },
    Fault("a running time") {
      $0.edit(.profileTimes, 0, as: ProfileTime.self) { $0.departure += 1 }
    },
    Fault("a translation's text") {
      $0.edit(.translations, 0, as: TranslationRecord.self) { $0.text = none }
    },
    Fault("the order of translations") { $0.swap(.translations, 0, 1, as: TranslationRecord.self) },
    Fault("a continuation's trip") {
      $0.edit(.continuations, 0, as: ContinuationRecord.self) { $0.to = none }
    },
    Fault("a continuation's flags") {
      $0.edit(.continuations, 0, as: ContinuationRecord.self) { $0.flags = .init(rawValue: 8) }
    },
    Fault("the order of continuations") {
      $0.swap(.continuations, 0, 1, as: ContinuationRecord.self)
    },
    Fault("an ordered continuation") {
      $0.edit(.continuationsByTarget, 0, as: UInt32.self) { $0 = none }
    },
    Fault("the order of continuations by their second trip") {
      $0.swap(.continuationsByTarget, 0, 1, as: UInt32.self)
    },
    Fault("the latest departure") { file in
      let key = Array("\"latestTime\":".utf8)
      guard let place = file.bytes.firstRange(of: key)?.upperBound else { return }
      file.bytes[place] = 0x31
      file.bytes[place + 1] = 0x30
    },
  ]

  @Test(arguments: faults)
  func `a number or an order that is wrong is noticed`(fault: Fault) throws {
    var file = try Self.file.get()
    try file.open().check()
    let before = file.bytes
    fault.make(&file)
    file.seal()
    #expect(file.bytes != before)
    let timetable = try file.open()
    let error = #expect(throws: FeedError.self) { try timetable.check() }
    #expect(error?.code == .damagedTimetable)
  }

  @Test func `a start that no time can be added to is noticed and does not trap`() async {
    await #expect(processExitsWith: .success) {
      var file = try TimetableBytes(.manyTrips)
      for trip in 0..<60 { file.edit(.trips, trip, as: TripRecord.self) { $0.start = .max } }
      let times = file.range(.profileTimes).count / MemoryLayout<ProfileTime>.stride
      for time in 0..<times {
        file.edit(.profileTimes, time, as: ProfileTime.self) { $0.departure += 1 }
      }
      file.seal()
      let timetable = try file.open()
      #expect(throws: FeedError.self) { try timetable.check() }
    }
  }

  @Test func `a negative number of days is noticed and does not trap`() async {
    await #expect(processExitsWith: .success) {
      var file = try TimetableBytes(.manyTrips)
      let count = try #require(file.bytes.firstRange(of: Array("\"dayCount\":30".utf8)))
      file.bytes[count.upperBound - 2] = UInt8(ascii: "-")
      file.bytes[count.upperBound - 1] = UInt8(ascii: "3")
      file.seal()
      #expect(throws: FeedError.self) { try file.open() }
    }
  }
}
