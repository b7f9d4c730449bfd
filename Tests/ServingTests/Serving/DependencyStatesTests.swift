import HTTPTypes
import Testing

@testable import Serving

@Suite struct DependencyStatesTests {
  private typealias Reading = DependencyReading

  @Test func `A state is kept since when it began`() {
    var states = DependencyStates()
    #expect(!states.isReady)
    states.update([Reading("a", .ok, isRequired: true)], now: 10)
    states.update([Reading("a", .ok, isRequired: true)], now: 20)
    #expect(states.entries.map(\.since) == [10])
    #expect(states.isReady)
    states.update([Reading("a", .degraded, detail: "x", isRequired: true)], now: 30)
    states.update([Reading("a", .degraded, detail: "y", isRequired: true)], now: 40)
    #expect(states.entries.map(\.since) == [30])
    #expect(states.entries.first?.reading.detail == "y")
    #expect(states.isReady)
    states.update([Reading("a", .down, isRequired: true)], now: 50)
    #expect(!states.isReady)
    states.update([Reading("b", .down)], now: 60)
    #expect(states.isReady)
    #expect(states.entries.map(\.since) == [60])
  }

  @Test func `No more dependencies than the limit are kept`() {
    var states = DependencyStates()
    states.update((0..<1_000).map { Reading("\($0)", .ok) }, now: 0)
    #expect(states.entries.count == DependencyStates.most)
  }

  @Test func `Operators bear the token or sit at the machine`() {
    func request(_ authority: String, _ fields: HTTPFields = [:]) -> HTTPRequest {
      HTTPRequest(
        method: .get,
        scheme: "http",
        authority: authority,
        path: "/health/ready",
        headerFields: fields
      )
    }
    let open = OperatorAccess(token: nil)
    #expect(open.allows(request("localhost:8080"), isLocal: true))
    #expect(!open.allows(request("localhost:8080"), isLocal: false))
    #expect(!open.allows(request("boards.example"), isLocal: true))
    let closed = OperatorAccess(token: "0123456789abcdef")
    #expect(!closed.allows(request("localhost"), isLocal: true))
    #expect(
      closed.allows(
        request("boards.example", [.authorization: "Bearer 0123456789abcdef"]),
        isLocal: false
      )
    )
    #expect(
      !closed.allows(
        request("localhost", [.authorization: "Bearer 0123456789abcdeX"]),
        isLocal: true
      )
    )
  }
}
