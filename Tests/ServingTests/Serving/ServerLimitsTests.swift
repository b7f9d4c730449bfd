import Testing

@testable import Serving

@Suite struct `The limits of a server` {
  @Test func `have names, all of them`() {
    let usual = ServerLimits()
    #expect(ServerLimits.names.count == Set(ServerLimits.names).count)
    #expect(ServerLimits.names.count == Mirror(reflecting: usual).children.count)
    for name in ServerLimits.names {
      var limits = usual
      let isSet = limits.set(name, to: 7)
      #expect(isSet)
      let changed = zip(Mirror(reflecting: usual).children, Mirror(reflecting: limits).children)
        .filter { "\($0.value)" != "\($1.value)" }
      #expect(changed.map { $0.0.label } == [name])
      let isNothing = limits.set(name, to: 0)
      #expect(!isNothing)
    }
    var limits = usual
    let isUnknown = limits.set("conections", to: 1)
    #expect(!isUnknown)
    #expect(ServerLimits.bounds(of: "conections") == nil)
    #expect(ServerLimits.bounds(of: "networkPercent") == 1...100)
    let isTooMuch = limits.set("networkPercent", to: 101)
    #expect(!isTooMuch)
  }

  @Test func `give waits and streams more time than they need between two signs of life`() {
    // A stream says something every 15 seconds, and one that is silent has nothing waiting.
    #expect(ServerLimits().stalledSeconds > 2 * 15)
  }
}
