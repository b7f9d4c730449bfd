import ConditionalHTTP
import Freshness
import HTTPTypes
import Testing

@testable import FreshnessRuntime

@Suite("The resources of a client") struct ClientRegistryTests {
  /// A resource at one of a few servers.
  private struct Item: FreshResource {
    let number: Int
    let server: Int

    func request(since known: Int?) -> HTTPRequest {
      let authority = "s\(server).example"
      return HTTPRequest(method: .get, scheme: "https", authority: authority, path: "/\(number)")
    }

    func read(
      _ answer: HTTPExchangeAnswer,
      since known: Int?
    ) throws(UnreadableAnswer) -> Reading<Int> { Reading(answer.body.count) }
  }

  @Test func `R39: observed resources are counted by origin while observers come and go`() {
    var registry = ClientRegistry(policy: .steady, random: RandomSource())
    let items = (0..<12).map { Item(number: $0, server: $0 % 3) }
    let keys = items.map { registry.open(ResourceOpening($0), at: .start) }
    // Which observers each resource has, counted here by itself.
    var observers = [Set<Int64>](repeating: [], count: items.count)
    var random = SystemRandomNumberGenerator()
    for number in 1...2_000 as ClosedRange<Int64> {
      let place = Int.random(in: 0..<items.count, using: &random)
      if let one = observers[place].randomElement(using: &random), Bool.random(using: &random) {
        observers[place].remove(one)
        let isLast = registry.leave(one, key: keys[place])
        #expect(isLast == observers[place].isEmpty)
        // It has left; leaving again changes nothing.
        let again = registry.leave(one, key: keys[place])
        #expect(!again)
      } else {
        let isFirst = observers[place].insert(number).inserted && observers[place].count == 1
        let joined = registry.join(number, interval: nil, key: keys[place])
        #expect(joined == isFirst)
      }
      for server in 0..<3 {
        let count = items.indices.count { items[$0].server == server && !observers[$0].isEmpty }
        #expect(registry.observed(of: "https://s\(server).example") == Int32(count))
      }
    }
    #expect(registry.observed(of: "https://elsewhere.example") == 0)
  }
}
