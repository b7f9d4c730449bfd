import ConditionalHTTP
import Foundation
import Freshness
import FreshnessRuntime
import HTTPTypes
import Testing

/// R37 with the clock of the machine: a server whose only clock is `Date`.
@Suite("FreshnessClient: Date in whole seconds", .timeLimit(.minutes(2)))
struct DateTests {
  private struct Measured: Codable, Equatable, Sendable {
    var made: Double
  }

  /// Data made in the last tenth of the previous second, each time later, under a `Date` in whole
  /// seconds.
  private struct DatedExchange: HTTPExchange {
    func send(
      _ request: HTTPRequest,
      timeout: Duration
    ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
      let now = Date.now.timeIntervalSince1970
      let second = now.rounded(.down)
      let made = ((second - 0.1 + (now - second) / 10) * 1_000).rounded(.down) / 1_000
      let date = HTTPDate(secondsSince1970: Int64(second))
      return HTTPExchangeAnswer(
        head: HTTPResponse(status: .ok, headerFields: [.date: date.description]),
        body: Array(#"{"made":\#(made)}"#.utf8)
      )
    }
  }

  @Test
  func `R37: the age is never below the truth, and a second above it at most`() async throws {
    let url = try #require(URL(string: "http://dated.example/"))
    let resource = JSONResource(url, as: Measured.self).made { measured in
      Date(timeIntervalSince1970: measured.made)
    }
    var policy = Policy(every: .milliseconds(130))
    policy.jitter = .none
    policy.leastInterval = .milliseconds(100)
    let client = FreshnessClient(exchange: DatedExchange(), policy: policy)
    var values = client.values(of: resource).makeAsyncIterator()
    var answers: Set<Double> = []
    while answers.count < 12 {
      let made = try #require(await values.next()).value.made
      // The truth first: the age, which is read after it, can only be greater.
      let truth = (Date.now.timeIntervalSince1970 - made) * 1_000
      let age = try #require(client.freshness(of: resource)?.label.age?.milliseconds)
      let after = (Date.now.timeIntervalSince1970 - made) * 1_000
      // The age is that of a later answer if one has come in between.
      guard client.value(of: resource)?.made == made else { continue }
      // Clocks in whole milliseconds are off by a few.
      #expect(Double(age) >= truth - 5)
      #expect(Double(age) <= after + 999 + 5 + Self.mostDelay)
      answers.insert(made)
    }
  }

  /// The delay of a response on a busy machine, in milliseconds.
  private static let mostDelay = 10_000.0
}
