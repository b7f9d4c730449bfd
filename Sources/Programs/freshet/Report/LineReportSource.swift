import Commands
import ConditionalHTTP
import Foundation
import GTFS
import HTTPTypes
import NIOTransport
import StationboardServer

/// Why there is no report.
struct LineReportError: Error, CustomStringConvertible {
  let description: String
  let exit: ProgramExit

  init(_ description: String, _ exit: ProgramExit = .negative) {
    self.description = description
    self.exit = exit
  }
}

/// Where the numbers of a report come from: a server, or the history of a data folder.
struct LineReportSource {
  private enum Place {
    case server(HTTPAddress, HTTPRequest, NIOExchange)
    case file(HistoryStore)
  }

  /// The time for an answer of the server, in seconds.
  private static let patience = 30

  private let place: Place

  /// Opens the file, or names the server; nothing is asked yet.
  ///
  /// - Throws: ``LineReportError``.
  init(server: ServerOption, data: String?) throws {
    if let data {
      do throws(HistoryFailure) {
        place = .file(try HistoryStore.openForReading(in: DataFolder(path: data)))
      } catch {
        throw LineReportError(error.description, .noInput)
      }
      return
    }
    let address = try server.address
    do throws(WatchAddressError) {
      let request = try WatchAddress.request(address.description, fields: [:])
      place = .server(address, request, try Self.exchange())
    } catch {
      throw LineReportError("--server \(error.description)", .usage)
    }
  }

  private static func exchange() throws(WatchAddressError) -> NIOExchange {
    do {
      return try NIOExchange()
    } catch {
      throw WatchAddressError("cannot be asked: \(error)")
    }
  }

  /// Ends the connections.
  func close() async {
    if case .server(_, _, let exchange) = place { await exchange.shutdown() }
  }

  /// The lines with a name or a route_id of which something was counted.
  func lines(_ line: String, from: String?, to: String?) async throws -> [LineName] {
    switch place {
    case .server:
      struct Answer: Decodable { var lines: [LineEntry] }
      let named = try await get(Answer.self, "/api/history/lines", from, to, ["line": line])
      if let named, !named.lines.isEmpty { return named.lines.map(\.name) }
      let path = "/api/history/lines/\(Self.escaped(line))"
      return try await get(LineName.self, path, from, to, [:]).map { [$0] } ?? []
    case .file(let store):
      let rows = try await rows(store, from, to)
      let named = rows.filter { $0.line.name.lowercased() == line.lowercased() }
      let found =
        named.isEmpty
        ? rows.filter { LineName($0.line, idPrefix: Self.prefix($0.line)).routeID == line } : named
      return Set(found.map { LineName($0.line, idPrefix: Self.prefix($0.line)) })
        .sorted { $0.routeID < $1.routeID }
    }
  }

  /// What was counted of some lines together, by day.
  ///
  /// - Parameters:
  ///   - lines: The lines.
  ///   - from: The first day; the last one if `nil`.
  ///   - to: The last day; today if `nil`.
  ///   - progress: Called with the number of lines that a server has been asked about.
  /// - Returns: The counts of each day.
  /// - Throws: ``LineReportError``.
  func days(
    of lines: [LineName],
    from: String?,
    to: String?,
    progress: (Int) -> Void = { _ in }
  ) async throws -> [ServiceDate: LineCounts] {
    var days: [ServiceDate: LineCounts] = [:]
    switch place {
    case .server:
      for (number, line) in lines.enumerated() {
        progress(number)
        let path = "/api/history/lines/\(Self.escaped(line.routeID))"
        guard let answer = try await get(Days.self, path, from, to, [:]) else { continue }
        for entry in answer.days {
          guard let day = ServiceDate(entry.day), let counts = entry.summary.counts else {
            throw LineReportError(
              "the server's answer cannot be read: it is of another version",
              .contract
            )
          }
          days[day, default: LineCounts()].add(counts)
        }
      }
    case .file(let store):
      let wanted = Set(lines.map(\.routeID))
      for row in try await rows(store, from, to)
      where wanted.contains(LineName(row.line, idPrefix: Self.prefix(row.line)).routeID) {
        days[ServiceDate(daysSinceEpoch: row.day), default: LineCounts()].add(row.counts)
      }
    }
    return days
  }

  // MARK: The file

  private func rows(
    _ store: HistoryStore,
    _ from: String?,
    _ to: String?
  ) async throws -> [HistoryStore.LineRow] {
    do {
      // Without a clock, today is the last day of which something was counted.
      guard let span = try await store.span() else { return [] }
      let last = to.flatMap { ServiceDate($0) }?.daysSinceEpoch ?? span.upperBound
      let first = from.flatMap { ServiceDate($0) }?.daysSinceEpoch ?? last
      guard first <= last else { return [] }
      return try await store.lines(HistoryStore.Selection(days: first...last))
    } catch let failure as HistoryFailure {
      throw LineReportError(failure.description, .badData)
    }
  }

  /// The prefix of the ids of a line's feed.
  private static func prefix(_ line: HistoryStore.Line) -> String {
    line.feed == FeedManifest.defaultKey ? "" : line.feed + ":"
  }

  // MARK: The server

  /// The days of an answer about a line.
  private struct Days: Decodable {
    struct Day: Decodable {
      var day: String
      var summary: LineSummary

      enum Keys: CodingKey { case day }

      init(from decoder: any Decoder) throws {
        day = try decoder.container(keyedBy: Keys.self).decode(String.self, forKey: .day)
        summary = try LineSummary(from: decoder)
      }
    }

    var days: [Day]
  }

  private static func escaped(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
  }

  /// Asks the server; `nil` if it knows nothing of it.
  private func get<Answer: Decodable>(
    _ type: Answer.Type,
    _ path: String,
    _ from: String?,
    _ to: String?,
    _ items: [String: String]
  ) async throws -> Answer? {
    guard case .server(let address, var request, let exchange) = place else { return nil }
    var items = items
    items["from"] = from
    items["to"] = to
    let query = items.sorted { $0.key < $1.key }
      .map { "\($0.key)=\(Self.escaped($0.value))" }.joined(separator: "&")
    // A server may be below a path of its address.
    let base = request.path.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 } ?? ""
    request.path = base + path + (query.isEmpty ? "" : "?" + query)
    let answer: HTTPExchangeAnswer
    do throws(HTTPExchangeError) {
      answer = try await exchange.send(request, timeout: .seconds(Self.patience))
    } catch {
      throw LineReportError(
        "\(error.description)\(ServerOption.advice(for: address))",
        .unavailable
      )
    }
    let problem = try? JSONDecoder().decode(ProblemText.self, from: Data(answer.body))
    switch answer.head.status.code {
    case 200: break
    case 404 where problem?.error == "unknown_line": return nil
    default:
      throw LineReportError(
        "the server says \(answer.head.status.code): "
          + Terminal.plain(problem?.detail ?? "nothing that can be read"),
        answer.head.status.code >= 500
          ? .unavailable : ProgramExit(refusal: answer.head.status.code)
      )
    }
    do {
      return try JSONDecoder().decode(Answer.self, from: Data(answer.body))
    } catch {
      throw LineReportError(
        "the server's answer cannot be read: it is of another version",
        .contract
      )
    }
  }

  private struct ProblemText: Decodable {
    var error: String
    var detail: String
  }
}
