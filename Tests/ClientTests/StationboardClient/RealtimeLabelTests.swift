import Foundation
import Freshness
import Stationboard
import StationboardClient
import Testing

/// What a board rests on in one word, and how old its predictions are shown.
@Suite struct RealtimeLabelTests {
  private func coverage(
    _ departures: Int,
    _ live: Int,
    _ old: Int = 0,
    updates: Int = 25,
    matched: Int = 20
  ) throws -> Board.Coverage {
    let json = """
      {"departures":\(departures),"live":\(live),"old":\(old),"tripUpdates":\(updates),"matched":\(matched)}
      """
    return try JSONDecoder().decode(Board.Coverage.self, from: Data(json.utf8))
  }

  @Test func `live is what carries realtime, counted where it is not all`() throws {
    #expect(RealtimeLabel(.applied, try coverage(15, 15), isEmpty: false) == .live)
    let some = RealtimeLabel(.applied, try coverage(15, 12), isEmpty: false)
    #expect(some == .liveFor(live: 12, departures: 15))
    #expect(RealtimeLabel(.applied, try coverage(0, 0), isEmpty: true) == .live)
    #expect(RealtimeLabel(.applied, try coverage(0, 0), isEmpty: false) == .notYet)
    #expect(RealtimeLabel(.partial, try coverage(4, 0), isEmpty: false) == .missing)
    let unmatched = try coverage(4, 0, matched: 0)
    #expect(RealtimeLabel(.partial, unmatched, isEmpty: false) == .noMatch)
  }

  @Test func `old predictions are old, never the timetable`() throws {
    #expect(RealtimeLabel(.staleCache, try coverage(5, 0, 3), isEmpty: false) == .old)
    #expect(RealtimeLabel(.guardedError, try coverage(5, 2, 1), isEmpty: false) == .oldInError)
    #expect(RealtimeLabel(.staleCache, try coverage(5, 0), isEmpty: false) == nil)
    let oldAndUnmatched = try coverage(5, 0, matched: 0)
    #expect(RealtimeLabel(.staleCache, oldAndUnmatched, isEmpty: false) == .noMatch)
    #expect(RealtimeLabel(.guardedError, oldAndUnmatched, isEmpty: false) == nil)
    let oldPredictions = try coverage(5, 0, 3, matched: 0)
    #expect(RealtimeLabel(.staleCache, oldPredictions, isEmpty: false) == .old)
    for status in [RealtimeStatus.disabled, .missingCache, .skippedBudget, .unknown] {
      #expect(RealtimeLabel(status, try coverage(5, 3), isEmpty: false) == nil)
    }
    #expect(RealtimeLabel(.applied, nil, isEmpty: false) == nil)
  }

  @Test func `a prediction ages at the client too, and never gets younger`() throws {
    func departure(_ freshness: String, cancelled: Bool = false) throws -> Departure {
      let json = """
        {"scheduledDeparture":"2026-11-24T08:00:00Z","realtimeDeparture":"2026-11-24T08:01:00Z",\
        "realtimeAt":"2026-11-24T07:00:00Z","realtimeFreshness":"\(freshness)","cancelled":\(cancelled)}
        """
      return try JSONDecoder().decode(Departure.self, from: Data(json.utf8))
    }
    let known = 1_795_503_600.0
    let words = try [0.0, 45, 46, 180, 181].map {
      PredictionAge(try departure("fresh"), at: known + $0)
    }
    #expect(words == [.fresh, .fresh, .ageing, .ageing, .stale])
    #expect(PredictionAge(try departure("ageing"), at: known) == .ageing)
    #expect(PredictionAge(try departure("stale"), at: known) == .stale)
    #expect(PredictionAge(try departure("fresh", cancelled: true), at: known) == nil)
  }
}
