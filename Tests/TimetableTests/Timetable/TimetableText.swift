import Foundation
import GTFS
import Testing
import Timetable

/// Instants and answers of a timetable as texts, so that a test reads like a board.
extension Timetable {
  /// The departures of a stop as "instant stop trip#sequence".
  func board(
    _ stop: String,
    _ from: String = "2026-06-01T00:00:00Z",
    _ until: String = "2026-07-02T00:00:00Z",
    limit: Int = 10_000
  ) throws -> [String] {
    let number = try #require(self.stop(id: stop), "no stop \(stop)")
    return departures(
      at: number,
      from: try Instant.read(from),
      until: try Instant.read(until),
      limit: limit
    )
    .map { departure in
      "\(Instant.text(departure.time)) \(text(id(of: departure.stop)))"
        + " \(text(tripId(of: departure.trip)))#\(sequence(departure.position, of: departure.trip))"
    }
  }

  /// The boards of all stops, each of a day.
  func allBoards(_ from: String, _ until: String) throws -> [String: [String]] {
    var boards: [String: [String]] = [:]
    for stop in 0..<UInt32(stopCount) {
      let id = text(id(of: stop))
      boards[id] = try board(id, from, until)
    }
    return boards
  }

  /// The stops of a trip's run as "sequence stop arrival departure", "~" marking interpolated times.
  func calls(_ trip: String, run: Int = 0) throws -> [String] {
    let runs = trips(id: trip)
    try #require(runs.count > run, "no trip \(trip)")
    let number = runs.lowerBound + UInt32(run)
    return (0..<callCount(of: number)).map { position in
      let call = call(position, of: number)
      return "\(call.sequence) \(text(id(of: call.stop)))"
        + " \(TimeOfDay.text(Int(call.arrival))) \(TimeOfDay.text(Int(call.departure)))"
        + (call.isInterpolated ? " ~" : "")
    }
  }

  /// The destination of a trip's departure at a place of the trip.
  func destination(
    _ trip: String,
    at position: Int = 0,
    language tag: String? = nil
  ) throws -> String {
    let number = try #require(trips(id: trip).first, "no trip \(trip)")
    return text(destination(of: number, at: position, language: tag.flatMap { language($0) }))
  }

  /// The name of a stop.
  func name(_ stop: String, language tag: String? = nil) throws -> String {
    let number = try #require(self.stop(id: stop), "no stop \(stop)")
    return text(name(of: number, language: tag.flatMap { language($0) }))
  }

  func text(_ bytes: UnsafeRawBufferPointer) -> String { String(decoding: bytes, as: UTF8.self) }
}

/// Instants as RFC 3339 texts.
enum Instant {
  static func read(_ text: String) throws -> Int64 {
    Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970)
  }

  static func text(_ instant: Int64) -> String {
    Date(timeIntervalSince1970: TimeInterval(instant)).formatted(.iso8601)
  }
}
