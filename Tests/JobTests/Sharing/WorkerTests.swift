import Jobs
import Testing

@testable import JobsServer

@Suite struct `A worker of a shared store` {
  private var limits: JobLimits {
    var limits = JobLimits()
    limits.runningJobs = 3
    (limits.leaseSeconds, limits.lockedSeconds) = (9, 60)
    return limits
  }

  private func lease(_ job: String, _ fence: Int64 = 1) -> JobLease {
    JobLease(job: job, fence: fence)
  }

  @Test func `takes no more than it has room for, and looks again when it was told meanwhile`() {
    var worker = LeasedJobs(limits, at: .zero)
    #expect(worker.wanted() == LeasedJobs.Search(most: 3, besides: []))
    #expect(worker.wanted() == nil, "a search is under way")
    let found = worker.granted([lease("a"), lease("b")])
    #expect(found.begun.map(\.job) == ["a", "b"] && found.returned.isEmpty)
    #expect(worker.searched() == LeasedJobs.Search(most: 1, besides: ["a", "b"]))
    _ = worker.granted([lease("c")])
    #expect(worker.searched() == nil)
    #expect(worker.wanted() == nil, "there is no room")
    // What was wanted without room is looked for when there is some.
    worker.stopped("b")
    #expect(worker.wanted() == LeasedJobs.Search(most: 1, besides: ["a", "c"]))
    worker.searchFailed()
    #expect(worker.wanted() == LeasedJobs.Search(most: 1, besides: ["a", "c"]))
    worker.close()
    #expect(worker.granted([lease("d")]).returned == [lease("d")])
    #expect(worker.searched() == nil)
    #expect(worker.wanted() == nil)
  }

  @Test func `renews at a third of a lease, and stops what it lost once`() {
    var worker = LeasedJobs(limits, at: .seconds(5))
    _ = worker.wanted()
    _ = worker.granted([lease("a"), lease("b", 7)])
    #expect(worker.wakesAt == .seconds(8))
    let held = worker.renewal(at: .seconds(9))
    #expect(held == [lease("a"), lease("b", 7)])
    #expect(worker.wakesAt == .seconds(12), "counted from when the renewal was sent")
    #expect(worker.renewed(held, [lease("a")]) == [lease("b", 7)])
    #expect(worker.renewed(held, [lease("a")]) == [], "it is lost already")
    #expect(worker.lose(lease("b", 7)) == false)
    #expect(worker.renewal(at: .seconds(12)) == [lease("a")])
    // Its work may go on for a moment, in which it is not leased again.
    #expect(worker.searched() == nil)
    #expect(worker.wanted() == LeasedJobs.Search(most: 1, besides: ["a", "b"]))
    #expect(worker.lose(lease("a", 2)) == false)
    #expect(worker.lose(lease("a")) == true)
  }

  @Test func `waits for a database as long as nothing is stored, and then lets the job go`() {
    var patience = JobPatience(limits)
    #expect(patience.failed(isReachable: false, hasProgressed: false, at: .seconds(1)) == .retry)
    #expect(patience.failed(isReachable: false, hasProgressed: false, at: .seconds(60)) == .retry)
    #expect(patience.failed(isReachable: false, hasProgressed: true, at: .seconds(61)) == .retry)
    #expect(patience.failed(isReachable: false, hasProgressed: false, at: .seconds(120)) == .retry)
    #expect(patience.failed(isReachable: false, hasProgressed: false, at: .seconds(121)) == .letGo)
    #expect(patience.failed(isReachable: true, hasProgressed: false, at: .seconds(121)) == .fail)
  }

  @Test func `is done with a job over which too many ended`() {
    #expect(!JobLeaseState.isHopeless(crashes: limits.crashesOfJob - 1, limits))
    #expect(JobLeaseState.isHopeless(crashes: limits.crashesOfJob, limits))
  }
}

@Suite struct `Positions of relays` {
  @Test func `read on after what was relayed, whatever is announced`() {
    var positions = RelayPositions()
    #expect(positions.announced("a", 3) == nil, "no follower")
    positions.follow("a")
    // Its subscriber reads what was stored before.
    #expect(positions.announced("a", 3) == RelayPositions.Read(job: "a", after: 2))
    #expect(
      positions.announced("a", 5) == RelayPositions.Read(job: "a", after: 2),
      "3 is not relayed"
    )
    #expect(positions.relayed("a", 3) && positions.relayed("a", 4) && positions.relayed("a", 5))
    #expect(positions.announced("a", 5) == nil && positions.announced("a", 4) == nil)
    #expect(positions.announced("a", 8) == RelayPositions.Read(job: "a", after: 5))
    // A second subscriber changes nothing.
    positions.follow("a")
    #expect(positions.announced("a", 8) == RelayPositions.Read(job: "a", after: 5))
  }

  @Test func `read everything after a gap, and again while that fails`() {
    var positions = RelayPositions()
    positions.follow("a")
    positions.follow("b")
    _ = positions.relayed("b", 4)
    let reads = [RelayPositions.Read(job: "a", after: 0), RelayPositions.Read(job: "b", after: 4)]
    #expect(positions.missed() == reads)
    #expect(positions.retry() == [])
    positions.failed()
    #expect(positions.announced("a", 9) == reads[0], "what was missed comes first")
    #expect(positions.retry() == reads)
    #expect(positions.retry() == [])
    positions.unfollow("b")
    #expect(positions.relayed("b", 5) == false)
    #expect(positions.missed() == [reads[0]])
  }
}
