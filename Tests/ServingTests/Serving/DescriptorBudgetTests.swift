import Testing

@testable import Serving

@Suite struct `The budget of descriptors` {
  @Test(arguments: [(20_000, 4_096), (4_288, 4_096), (1_024, 832), (256, 64), (64, 16), (1, 1)])
  func `leaves a reserve, and a quarter where there are few`(descriptors: Int, connections: Int) {
    #expect(DescriptorBudget(descriptors: descriptors).connections(4_096) == connections)
  }

  @Test func `counts the event loops first`() {
    #expect(DescriptorBudget(descriptors: 1_024, loops: 64).connections(4_096) == 576)
    #expect(DescriptorBudget(descriptors: 128, loops: 2).connections(4_096) == 30)
  }

  @Test func `is refused where it is too small, with what it takes`() {
    let least = DescriptorBudget.leastOfServer
    #expect(DescriptorBudget(descriptors: 120, loops: 2).shortage(least) == nil)
    let shortage = DescriptorBudget(descriptors: 119, loops: 2).shortage(least)
    #expect(shortage?.contains("only 119 open files; it needs at least 120 (ulimit -n)") == true)
    #expect(DescriptorBudget(descriptors: 0, loops: 2).shortage(least) != nil)
  }

  @Test func `never gives more than wanted`() {
    #expect(DescriptorBudget(descriptors: 20_000).connections(7) == 7)
  }

  @Test func `is that of the process, raised as far as it may`() {
    let first = DescriptorBudget.raised()
    #expect(first.descriptors > 0 && first.descriptors <= DescriptorBudget.most)
    #expect(DescriptorBudget.raised() == first)
  }
}
