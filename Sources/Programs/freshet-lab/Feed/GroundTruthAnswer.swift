import ConditionalHTTP
import FeedSimulation
import Foundation
import GTFS
import HTTPTypes
import Hummingbird
import NIOCore
import Serving
import Timetable

/// The ground truth of a simulated feed for a stop: the contents of a correct board.
struct GroundTruthAnswer {
  /// The valid lengths of the window, in minutes; the default is that of boards.
  static let minutes = 1...720

  private let world: FeedWorld
  private let stop: Timetable.Stop
  private let tick: FeedTick
  private let sourceTime: Int64
  private let window: Int64

  /// Reads the parameters: `stop`, and `at` (RFC 3339; now by default) or `source_time` (seconds
  /// since 1970-01-01T00:00:00Z, the timestamp of a feed's header), and `minutes` (210 by default).
  ///
  /// - Throws: ``Problem`` 400 or 404.
  init(_ request: Request, world: FeedWorld, now: Double) throws(Problem) {
    self.world = world
    let query = QueryItems(request)
    guard let id = query["stop"] else {
      throw Problem(.badRequest, "missing_stop", detail: "say which stop: truth.json?stop=ID")
    }
    let timetable = world.timetable
    guard let stop = timetable.stop(id: id) ?? timetable.station(swissId: id) else {
      throw Problem(
        .notFound,
        "stop_not_found",
        detail: "the timetable has no stop \"\(id.prefix(80))\""
      )
    }
    self.stop = stop
    let minutes = try query.integer("minutes") ?? 210
    guard Self.minutes.contains(minutes) else {
      throw QueryItems.invalid("minutes", String(minutes), "1 to 720")
    }
    window = Int64(minutes) * 60
    var instant = now
    if let text = query["at"] {
      guard let asked = InstantText.read(text) else {
        throw QueryItems.invalid("at", text, "an instant like 2026-11-24T07:00:00Z")
      }
      instant = asked
    }
    let asked = try query.integer("source_time")
    if let asked {
      guard (0...7_258_118_400).contains(asked) else {
        throw QueryItems.invalid("source_time", String(asked), "seconds since 1970")
      }
      instant = Double(asked) + 0.999
    }
    tick = world.tick(.tripUpdates, at: Int64((instant * 1_000).rounded(.down)))
    sourceTime = asked.map { Int64($0) } ?? tick.sourceTime
  }

  /// Returns the response, as JSON.
  func response() throws -> Response {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let timetable = world.timetable
    let rows = world.departures(at: stop, at: sourceTime, window: window)
    let body = Body(
      scenario: world.options.scenario.rawValue,
      seed: world.options.seed,
      sourceTime: sourceTime,
      tick: tick.number,
      nextTickAt: Double(tick.nextInstant) / 1_000,
      stopId: Self.text(timetable.id(of: stop)),
      stopName: Self.text(timetable.name(of: stop)),
      departures: rows.map { row($0) }
    )
    return Response(
      status: .ok,
      headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: .init(byteBuffer: ByteBuffer(bytes: try encoder.encode(body)))
    )
  }

  private struct Body: Encodable {
    var scenario: String
    var seed: UInt64
    var sourceTime: Int64
    var tick: Int64
    var nextTickAt: Double
    var stopId: String
    var stopName: String
    var departures: [Row]
  }

  /// Times are seconds since 1970-01-01T00:00:00Z.
  private struct Row: Encodable {
    var tripId: String
    var serviceDate: String
    var startTime: String
    var isExtra: Bool
    var stopId: String
    var stopSequence: UInt32
    var scheduledDeparture: Int64
    var status: String
    var departure: Int64?
    var delay: Int32?
    var platform: String?
    var newPlatform: String?
    var newPlatformStopId: String?
  }

  private func row(_ row: DepartureGroundTruth) -> Row {
    let timetable = world.timetable
    let new = row.truth.newPlatform
    return Row(
      tripId: row.tripID,
      serviceDate: "\(row.run.day)",
      startTime: TimeOfDay.text(Int(row.startTime)),
      isExtra: row.isExtra,
      stopId: Self.text(timetable.id(of: row.stop)),
      stopSequence: row.sequence,
      scheduledDeparture: row.scheduledDeparture,
      status: row.truth.status.rawValue,
      departure: row.truth.departure,
      delay: row.truth.departureDelay,
      platform: timetable.platform(of: row.stop),
      newPlatform: new.flatMap { timetable.platform(of: $0) },
      newPlatformStopId: new.map { Self.text(timetable.id(of: $0)) }
    )
  }

  private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes, as: UTF8.self)
  }
}
