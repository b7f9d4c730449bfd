import Demonstration
import FeedSimulation
import Testing

@Suite struct BreakageTests {
  /// Every combination of faults.
  private static let all: [Breakage] = (0..<1 << Fault.allCases.count).map { bits in
    Breakage(
      Set(Fault.allCases.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element))
    )
  }

  /// What the parts of a demonstration do, as a driver that carries out steps leaves them.
  private struct Parts: Equatable {
    var producer: FeedTrouble?
    var areAgentsFrozen = false
    var gitHangs = false
    var isCut = false
    var server = Breakage.Server.running

    init(_ steps: [Breakage.Step] = []) { for step in steps { carryOut(step) } }

    mutating func carryOut(_ step: Breakage.Step) {
      switch step {
      case .producer(let trouble): producer = trouble
      case .agents(let areFrozen): areAgentsFrozen = areFrozen
      case .git(let hangs): gitHangs = hangs
      case .network(let isCut): self.isCut = isCut
      case .server(let server): self.server = server
      }
    }
  }

  @Test func `Nothing is broken at first, and nothing is to be done`() {
    let whole = Breakage()
    #expect(whole.faults.isEmpty)
    #expect(whole.producer == nil)
    #expect(whole.server == .running)
    #expect(whole.reachesPages)
    #expect(whole.steps(from: whole).isEmpty)
  }

  @Test func `The steps between any two states lead from one to the other, each part at most once`()
  {
    for before in Self.all {
      let parts = Parts(before.steps(from: Breakage()))
      // A prime stride visits pairs of every kind without all 262,144.
      for after in stride(from: 0, to: Self.all.count, by: 7).map({ Self.all[$0] }) {
        let steps = after.steps(from: before)
        var moved = parts
        for step in steps { moved.carryOut(step) }
        #expect(moved == Parts(after.steps(from: Breakage())))
        #expect(steps.count <= 5)
      }
    }
  }

  @Test func `Mending everything mends everything`() {
    for state in Self.all {
      var parts = Parts(state.steps(from: Breakage()))
      for step in Breakage().steps(from: state) { parts.carryOut(step) }
      #expect(parts == Parts())
    }
  }

  @Test func `The worst trouble of a producer counts, and mending it uncovers the next`() {
    var state = Breakage([.producerDown, .halfFeed, .producerClock])
    #expect(state.producer == .unavailable)
    state.set(.producerDown, isBroken: false)
    #expect(state.producer == .half)
    state.set(.halfFeed, isBroken: false)
    #expect(state.producer == .ahead(86_400))
    state.set(.producerClock, isBroken: false)
    #expect(state.producer == nil)
  }

  @Test func `A slow server that is killed starts slow again`() {
    var state = Breakage([.serverSlow])
    let slow = state
    state.set(.serverKilled, isBroken: true)
    #expect(state.steps(from: slow) == [.server(.killed)])
    #expect(slow.steps(from: state) == [.server(.slow)])
  }

  @Test func `What breaks the way to the page comes last, and is mended first`() {
    let whole = Breakage()
    let broken = Breakage([.producerDown, .networkCut, .serverKilled])
    #expect(
      broken.steps(from: whole) == [
        .producer(.unavailable), .server(.killed), .network(isCut: true),
      ]
    )
    #expect(
      whole.steps(from: broken) == [.server(.running), .network(isCut: false), .producer(nil)]
    )
  }

  @Test func `Every fault is on a page, and its text says what is broken and what to see`() {
    for fault in Fault.allCases {
      #expect(!fault.pages.isEmpty)
      for page in fault.pages {
        let text = fault.text(on: page)
        #expect(!text.title.isEmpty)
        #expect(text.what.hasSuffix("."))
        #expect(text.see.hasSuffix("."))
      }
    }
    for page in DemoPage.allCases {
      #expect(Fault.allCases.filter { $0.pages.contains(page) }.count >= 4)
    }
  }
}
