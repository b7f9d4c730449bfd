public import ConditionalHTTP
import Foundation
import HTTPTypes
public import Stationboard
import TolerantDecoding

/// Asks a stationboard server.
public struct BoardClient: Sendable {
  /// The longest wait for a board or a search.
  public static let timeout = Duration.seconds(12)

  /// The server.
  public let server: HTTPAddress
  private let exchange: any HTTPExchange

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - server: The server's address, such as `http://127.0.0.1:8080`.
  ///   - exchange: The transport.
  /// - Throws: ``StationboardFailure`` if the address is not an http or https one.
  public init(server: String, exchange: any HTTPExchange) throws(StationboardFailure) {
    do throws(HTTPAddress.Invalid) {
      self.server = try HTTPAddress(server)
    } catch {
      throw StationboardFailure(.invalidAddress, error.description)
    }
    self.exchange = exchange
  }

  /// The board of a stop.
  ///
  /// - Parameters:
  ///   - stop: stop_id.
  ///   - limit: The most departures.
  ///   - language: `fr`, `de`, `it` or `en`; `nil` for the feed's own names.
  /// - Returns: The board.
  /// - Throws: ``StationboardFailure``.
  public func board(
    stop: String,
    limit: Int,
    language: String? = nil
  ) async throws(StationboardFailure) -> Board {
    let body = try await boardJSON(stop: stop, limit: limit, language: language)
    do throws(DecodeFailure) {
      return try BoardReader().board(body).model
    } catch {
      throw unreadable(error)
    }
  }

  /// The board as the server sent it.
  public func boardJSON(
    stop: String,
    limit: Int,
    language: String? = nil
  ) async throws(StationboardFailure) -> [UInt8] {
    try await send(
      "/api/stationboard",
      [("stop_id", stop), ("limit", "\(limit)"), ("lang", language)]
    )
  }

  /// Stops by name or id, best first.
  public func stops(
    matching query: String,
    limit: Int,
    language: String? = nil
  ) async throws(StationboardFailure) -> [StopMatch] {
    let body = try await send(
      "/api/stops/search",
      [("q", query), ("limit", "\(limit)"), ("lang", language)]
    )
    do throws(DecodeFailure) {
      return try BoardReader().stops(body).model.stops
    } catch {
      throw unreadable(error)
    }
  }

  private func unreadable(_ failure: DecodeFailure) -> StationboardFailure {
    StationboardFailure(
      .unreadable,
      "the answer of \(server.authority) cannot be read: \(failure)"
    )
  }

  private func send(
    _ path: String,
    _ query: [(String, String?)]
  ) async throws(StationboardFailure) -> [UInt8] {
    var request = server.request(path, query: query, fields: BoardResource.fields())
    request.headerFields[.cacheControl] = "no-cache"
    let answer: HTTPExchangeAnswer
    do {
      answer = try await exchange.send(request, timeout: Self.timeout)
    } catch {
      throw StationboardFailure(.unreachable, error.description)
    }
    guard answer.head.status == .ok else { throw failure(answer) }
    return answer.body
  }

  private func failure(_ answer: HTTPExchangeAnswer) -> StationboardFailure {
    let problem = try? JSONDecoder().decode(ProblemDetails.self, from: Data(answer.body))
    let status = answer.head.status.code
    let said = [problem?.detail, problem?.title].compactMap(\.self).first { !$0.isEmpty }
    return StationboardFailure(
      status >= 500 ? .server : .refused,
      said ?? "the server answered \(status)",
      status: status,
      problem: problem
    )
  }
}
