import Testing

@testable import WorktreeWatch

@Suite struct `Looks at a repository at the same time` {
  @Test func `one that began before another counts only if it ends first`() {
    var order = ScanOrder()
    let older = order.begin()
    let newer = order.begin()
    let other = order.begin()
    let newerCounts = order.takes(newer, of: "/a/.git")
    let olderCounts = order.takes(older, of: "/a/.git")
    // Those of another repository are not concerned.
    let otherCounts = order.takes(other, of: "/b/.git")
    #expect((newerCounts, olderCounts, otherCounts) == (true, false, true))
    let next = order.begin()
    let nextCounts = order.takes(next, of: "/a/.git")
    #expect(nextCounts)
  }

  @Test func `in their order all count`() {
    var order = ScanOrder()
    let numbers = (0..<3).map { _ in order.begin() }
    for number in numbers {
      let counts = order.takes(number, of: "/a/.git")
      #expect(counts)
    }
  }
}
