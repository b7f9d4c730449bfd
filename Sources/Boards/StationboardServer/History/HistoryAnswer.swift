import ConditionalHTTP
import Foundation
import GTFS
import HTTPTypes
import Hashing
import Hummingbird
import NIOCore
import Serving

/// What the bodies of the history have.
extension HistoryEndpoint {
  /// The basis of a punctuality: the last report before a departure, not a measurement.
  static let basis = "last_known"

  struct LinesAnswer: Encodable {
    var from: String
    var to: String
    var basis: String
    /// The lower bounds of the ranges of `delays` but the first, in seconds.
    var delayBoundsSec = DelayHistogram.bounds
    var isCut: Bool
    var lines: [LineEntry]
  }

  struct SourceEntry: Encodable {
    var source: Int
    var summary: LineSummary

    enum Keys: CodingKey { case source }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(source, forKey: .source)
      try summary.encode(to: encoder)
    }
  }

  struct DayEntry: Encodable {
    var day: String
    var summary: LineSummary
    var sources: [SourceEntry]

    enum Keys: CodingKey { case day, sources }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(day, forKey: .day)
      try container.encode(sources, forKey: .sources)
      try summary.encode(to: encoder)
    }
  }

  struct LineAnswer: Encodable {
    var name: LineName
    var from: String
    var to: String
    var basis: String
    var total: LineSummary
    var days: [DayEntry]

    enum Keys: CodingKey { case from, to, basis, delayBoundsSec, total, days }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(from, forKey: .from)
      try container.encode(to, forKey: .to)
      try container.encode(basis, forKey: .basis)
      try container.encode(DelayHistogram.bounds, forKey: .delayBoundsSec)
      try container.encode(total, forKey: .total)
      try container.encode(days, forKey: .days)
      try name.encode(to: encoder)
    }
  }

  struct PointsAnswer: Encodable {
    var from: String
    var to: String
    var step: Int
    var series: [SeriesEntry]
  }

  /// The points of one source, of what clients saw, or of what was counted.
  struct SeriesEntry: Encodable {
    var feed: String
    var kind: String
    var number: Int
    var points: [PointEntry]

    init(_ subject: HistorySubject, _ points: [(start: Int64, point: HistoryPoint)]) {
      feed = subject.feed
      kind = subject.kind
      number = subject.number
      self.points = points.map { PointEntry($0.start, $0.point, subject.kind) }
    }
  }

  /// A point; what does not belong to its kind is absent.
  struct PointEntry: Encodable {
    var at: String
    var ageMinSec: Double?
    var ageMeanSec: Double?
    var ageMaxSec: Double?
    var ageMedianSec: Double?
    var ageP90Sec: Double?
    var answers: Int?
    var polls: Int?
    var pollsFailed: Int?
    var matchedPercent: Double?
    var early: Int?
    var onTime: Int?
    var upTo3: Int?
    var upTo5: Int?
    var upTo10: Int?
    var over10: Int?
    var cancelled: Int?
    var unpredicted: Int?
    var unobserved: Int?
    var tripsMissing: Int?

    init(_ start: Int64, _ point: HistoryPoint, _ kind: String) {
      at = InstantText.write(Double(start))
      ageMeanSec = point.mean.map(Self.tenths)
      switch kind {
      case "departures":
        early = point.delays.count(.early)
        onTime = point.delays.count(.onTime)
        upTo3 = point.delays.count(.upTo3)
        upTo5 = point.delays.count(.upTo5)
        upTo10 = point.delays.count(.upTo10)
        over10 = point.delays.count(.over10)
        cancelled = point.cancelled
        unpredicted = point.unpredicted
        unobserved = point.unobserved
        tripsMissing = point.missing
      case "served":
        answers = point.good
        ageMedianSec = point.answeredAge(0.5).map(Self.tenths)
        ageP90Sec = point.answeredAge(0.9).map(Self.tenths)
      default:
        if point.seconds > 0 {
          ageMinSec = Self.tenths(point.least)
          ageMaxSec = Self.tenths(point.most)
        }
        polls = point.good + point.bad
        pollsFailed = point.bad
        matchedPercent = LineSummary.percent(point.matched, of: point.matched + point.unmatched)
      }
    }

    private static func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }

    /// The names and values of a row of CSV, in order.
    var columns: [(String, String)] {
      func text<Value>(_ value: Value?) -> String { value.map { "\($0)" } ?? "" }
      return [
        ("at", at), ("ageMinSec", text(ageMinSec)), ("ageMeanSec", text(ageMeanSec)),
        ("ageMaxSec", text(ageMaxSec)), ("ageMedianSec", text(ageMedianSec)),
        ("ageP90Sec", text(ageP90Sec)), ("answers", text(answers)), ("polls", text(polls)),
        ("pollsFailed", text(pollsFailed)), ("matchedPercent", text(matchedPercent)),
        ("early", text(early)), ("onTime", text(onTime)), ("upTo3", text(upTo3)),
        ("upTo5", text(upTo5)), ("upTo10", text(upTo10)), ("over10", text(over10)),
        ("cancelled", text(cancelled)), ("unpredicted", text(unpredicted)),
        ("unobserved", text(unobserved)), ("tripsMissing", text(tripsMissing)),
      ]
    }
  }

  // MARK: Responses

  /// A service day as answers have it.
  static func text(_ day: Int) -> String { ServiceDate(daysSinceEpoch: day).description }

  /// Whether a client wants CSV: it says so in the query, or prefers it to JSON.
  static func wantsCSV(_ request: Request, _ query: QueryItems) throws(Problem) -> Bool {
    if let format = query["format"] {
      guard ["csv", "json"].contains(format) else {
        throw QueryItems.invalid("format", String(format.prefix(80)), "csv or json")
      }
      return format == "csv"
    }
    guard let accepted = request.headers[.accept]?.lowercased() else { return false }
    guard let csv = accepted.range(of: "text/csv") else { return false }
    guard let json = accepted.range(of: "application/json") else { return true }
    return csv.lowerBound < json.lowerBound
  }

  static func json(_ request: Request, _ answer: some Encodable) throws -> Response {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return response(request, Array(try encoder.encode(answer)), "application/json; charset=utf-8")
  }

  static func csv(
    _ request: Request,
    _ names: [String],
    _ rows: [(values: [String], summary: LineSummary)]
  ) -> Response {
    let columns = LineSummary(LineCounts()).columns.map(\.0)
    let lines = [names + columns] + rows.map { $0.values + $0.summary.columns.map(\.1) }
    return csv(request, lines)
  }

  static func pointsCSV(_ request: Request, _ series: [SeriesEntry]) -> Response {
    var lines: [[String]] = []
    for entry in series {
      for point in entry.points {
        if lines.isEmpty { lines.append(["feed", "kind", "number"] + point.columns.map(\.0)) }
        lines.append([entry.feed, entry.kind, "\(entry.number)"] + point.columns.map(\.1))
      }
    }
    return csv(request, lines)
  }

  private static func csv(_ request: Request, _ lines: [[String]]) -> Response {
    let text = lines.map { $0.map(field).joined(separator: ",") + "\r\n" }.joined()
    return response(request, Array(text.utf8), "text/csv; charset=utf-8; header=present")
  }

  /// A field of CSV (RFC 4180); one that a spreadsheet would take for a formula becomes text.
  private static func field(_ value: String) -> String {
    var value = value
    if let first = value.first, "=+-@\t".contains(first), Double(value) == nil {
      value = "'" + value
    }
    guard value.contains(where: { "\",\r\n".contains($0) || $0 == "\r\n" }) else { return value }
    return "\"" + value.replacing("\"", with: "\"\"") + "\""
  }

  /// 200 with a tag of the bytes, or 304 if the client has them.
  private static func response(_ request: Request, _ body: [UInt8], _ type: String) -> Response {
    let tag = EntityTag(String(FNV1a.hash(body), radix: 36))
    var headers: HTTPFields = [
      .eTag: tag.description, .cacheControl: "no-cache", .vary: "Accept, Accept-Encoding",
    ]
    if let known = request.headers[.ifNoneMatch], tag.matches(ifNoneMatch: known) {
      return Response(withoutContent: .notModified, headers)
    }
    headers[.contentType] = type
    return Response(
      status: .ok,
      headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: body))
    )
  }
}
