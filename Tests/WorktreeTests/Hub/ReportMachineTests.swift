import Freshness
import Testing
import Workspaces
import WorkspacesClient

@Suite struct ReportMachineTests {
  private typealias Samples = HubSamples
  private typealias Order = ReportMachine.Order

  private func now(
    _ time: Double,
    age: Double = 0,
    random: RandomSample = .lowest
  ) -> ReportMachine.Now {
    ReportMachine.Now(time: time, sourceAge: age, wall: Int64(time * 1_000), random: random)
  }

  private func report(_ orders: [Order]) -> WorkspaceReport? {
    orders.compactMap { if case .send(let report) = $0 { report } else { nil } }.first
  }

  private func wake(_ orders: [Order]) -> Double? {
    orders.compactMap { if case .wake(let time) = $0 { time } else { nil } }.last
  }

  private func told(_ orders: [Order]) -> String? {
    orders.compactMap { if case .log(let text) = $0 { text } else { nil } }.last
  }

  private let accepted = ReportMachine.Event.answered(
    status: 204,
    code: nil,
    detail: nil,
    retryAfter: nil
  )

  private func refused(
    _ status: Int,
    _ code: String? = nil,
    retryAfter: Double? = nil
  ) -> ReportMachine.Event {
    .answered(status: status, code: code, detail: "why", retryAfter: retryAfter)
  }

  /// A machine whose complete report with one worktree was accepted at 0.
  private func settled() -> ReportMachine {
    var machine = ReportMachine(run: "run")
    _ = machine.handle(.listed([Samples.workspace("a")]), now(0))
    _ = machine.handle(accepted, now(0))
    return machine
  }

  @Test func `Nothing is reported before there is a list`() {
    var machine = ReportMachine(run: "run")
    #expect(machine.handle(.woke, now(0)).isEmpty)
    #expect(machine.handle(.ends, now(1)) == [.stop(nil)])
    #expect(machine.handle(.listed([]), now(2)).isEmpty)
  }

  @Test func `Worktrees that a hub shows of other machines are not reported again`() throws {
    var machine = ReportMachine(run: "run")
    var other = Samples.workspace("b")
    other.machine = WorkspaceMachine(name: "box", state: .live)
    let first = try #require(
      report(machine.handle(.listed([Samples.workspace("a"), other]), now(0)))
    )
    #expect(first.changed.map(\.id) == ["id-a"])
    // They belong to other machines: none of this one is left out.
    #expect(first.omitted == 0)
  }

  @Test func `The first report is complete, and later ones have what changed`() throws {
    var machine = ReportMachine(run: "run")
    let (a, b) = (Samples.workspace("a"), Samples.workspace("b"))
    let first = try #require(report(machine.handle(.listed([a, b]), now(5, age: 2.5))))
    #expect(first.base == nil)
    #expect(first.sequence == 1)
    #expect(first.age == 2_500)
    #expect(first.clock == 5_000)
    #expect(first.changed.map(\.id) == ["id-a", "id-b"])
    // One report at a time.
    var other = a
    other.isDirty = true
    #expect(machine.handle(.listed([other]), now(5.2)).isEmpty)
    let orders = machine.handle(accepted, now(5.3))
    #expect(told(orders) == ReportMachine.success)
    #expect(wake(orders) == 6)
    let next = try #require(report(machine.handle(.woke, now(6))))
    #expect(next.base == 1)
    #expect(next.sequence == 2)
    #expect(next.changed == [other])
    #expect(next.removed == ["id-b"])
  }

  @Test func `Without a change there is a heartbeat, and ages alone are not a change`() throws {
    var machine = settled()
    var it = Samples.workspace("a")
    (it.gitAge, it.revision) = (7, 99)
    let orders = machine.handle(.listed([it]), now(3))
    #expect(report(orders) == nil)
    #expect(wake(orders) == ReportLimits.heartbeat)
    let beat = try #require(report(machine.handle(.woke, now(ReportLimits.heartbeat))))
    #expect(beat.changed.isEmpty)
    #expect(beat.removed.isEmpty)
    #expect(beat.base == 1)
    // The wait varies, and is never longer.
    let late = machine.handle(accepted, now(ReportLimits.heartbeat, random: .highest))
    #expect(wake(late) == ReportLimits.heartbeat * 1.9)
  }

  @Test func `An age grows from when it was taken until it is sent`() throws {
    var machine = settled()
    var it = Samples.workspace("b", .working)
    (it.gitAge, it.activityAge) = (1, 10)
    let orders = machine.handle(.listed([Samples.workspace("a"), it]), now(0.5))
    #expect(wake(orders) == 1)
    // The same again, as the list of another change: it is as old as before.
    _ = machine.handle(.listed([Samples.workspace("a"), it]), now(0.9))
    let sent = try #require(report(machine.handle(.woke, now(2))))
    #expect(sent.changed.map(\.activityAge) == [11.5])
    #expect(sent.changed.map(\.gitAge) == [2.5])
  }

  @Test func `A revision of an earlier server is not proof that nothing changed`() throws {
    var machine = settled()
    var it = Samples.workspace("a", .working)
    it.activityAge = 3
    let sent = try #require(report(machine.handle(.listed([it]), now(2))))
    #expect(sent.changed.map(\.activityAge) == [3])
  }

  @Test func `A hub that does not have the base gets everything`() throws {
    var machine = settled()
    _ = machine.handle(.woke, now(15))
    let orders = machine.handle(refused(409, "report_base_unknown"), now(15.1))
    #expect(wake(orders) == 16)
    let whole = try #require(report(machine.handle(.woke, now(16))))
    #expect(whole.base == nil)
    #expect(whole.sequence == 3)
    #expect(whole.changed.map(\.id) == ["id-a"])
    // A hub that does not take that either is not asked without end.
    let again = machine.handle(refused(409, "report_base_unknown"), now(16.1))
    #expect(report(again) == nil)
    #expect(told(again) != nil)
    #expect(wake(again).map { $0 >= 17.1 } == true)
  }

  @Test func `Waits double up to a limit, vary upwards, and obey Retry-After`() throws {
    var machine = settled()
    var time = 15.0
    var waits: [Double] = []
    for _ in 0..<9 {
      #expect(report(machine.handle(.woke, now(time))) != nil)
      let orders = machine.handle(.unanswered("refused"), now(time))
      let next = try #require(wake(orders))
      waits.append(next - time)
      time = next
    }
    // Nothing has changed, so the heartbeat is the least wait.
    #expect(waits == [15, 15, 15, 15, 16, 32, 60, 60, 60])
    _ = machine.handle(.woke, now(time))
    let highest = machine.handle(.unanswered("refused"), now(time, random: .highest))
    #expect(wake(highest) == time + 90)
    time += 90
    _ = machine.handle(.woke, now(time))
    let asked = machine.handle(refused(503, "busy", retryAfter: 200), now(time))
    #expect(wake(asked) == time + 200)
    time += 200
    _ = machine.handle(.woke, now(time))
    let long = machine.handle(refused(429, "busy", retryAfter: 1e9), now(time))
    #expect(wake(long) == time + ReportLimits.longestRetryAfter)
    time += ReportLimits.longestRetryAfter
    _ = machine.handle(.woke, now(time))
    // A success ends it, and news go out at once again.
    _ = machine.handle(accepted, now(time))
    let orders = machine.handle(.listed([Samples.workspace("b")]), now(time + 1))
    #expect(report(orders) != nil)
  }

  @Test func `News do not shorten a wait`() throws {
    var machine = settled()
    _ = machine.handle(.woke, now(15))
    _ = machine.handle(refused(503, "busy", retryAfter: 100), now(15))
    let orders = machine.handle(.listed([Samples.workspace("b")]), now(20))
    #expect(report(orders) == nil)
    #expect(wake(orders) == 115)
  }

  @Test func `What the hub may have got without a response is not what it has`() throws {
    var machine = settled()
    let lost = try #require(report(machine.handle(.listed([Samples.workspace("b")]), now(2))))
    _ = machine.handle(.unanswered("timeout"), now(12))
    let next = try #require(report(machine.handle(.woke, now(14))))
    #expect(next.base == 1)
    #expect(next.sequence == 3)
    #expect(next.changed == lost.changed)
    #expect(next.removed == ["id-a"])
  }

  @Test(arguments: [400, 401, 403, 404, 413])
  func `A refusal at the start ends it, and one later does not`(_ status: Int) throws {
    var fresh = ReportMachine(run: "run")
    _ = fresh.handle(.listed([]), now(0))
    #expect(fresh.handle(refused(status), now(0)) == [.stop("the hub refuses (\(status)): why")])
    #expect(fresh.handle(.woke, now(1_000)).isEmpty)
    var machine = settled()
    _ = machine.handle(.woke, now(15))
    let orders = machine.handle(refused(status), now(15))
    #expect(wake(orders) == 75)
    #expect(told(orders) == "the hub refuses (\(status)): why")
    _ = machine.handle(.woke, now(75))
    #expect(told(machine.handle(refused(status), now(75))) == nil, "it was told")
    _ = machine.handle(.woke, now(135))
    #expect(told(machine.handle(accepted, now(135))) == ReportMachine.success)
  }

  @Test func `Two reporters of one name take turns, and not often`() throws {
    var machine = settled()
    _ = machine.handle(.woke, now(15))
    let orders = machine.handle(refused(409, "reporter_replaced"), now(15))
    #expect(told(orders) == "another reporter reports under the same name")
    #expect(wake(orders) == 75)
    let whole = try #require(report(machine.handle(.woke, now(75))))
    #expect(whole.instance == "run-1")
    #expect(whole.sequence == 1)
    #expect(whole.base == nil)
  }

  @Test func `The end is told to a hub that listens`() throws {
    var machine = settled()
    let last = try #require(report(machine.handle(.ends, now(3))))
    #expect(last.isLast)
    #expect(machine.handle(accepted, now(3)) == [.stop(nil)])
    // After what is in flight.
    var busy = settled()
    _ = busy.handle(.woke, now(15))
    #expect(busy.handle(.ends, now(15.1)).isEmpty)
    #expect(report(busy.handle(accepted, now(15.2)))?.isLast == true)
    // Without a response it waits for none.
    var alone = settled()
    _ = alone.handle(.woke, now(15))
    #expect(alone.handle(.ends, now(15.1)).isEmpty)
    #expect(alone.handle(.unanswered("refused"), now(15.2)).contains(.stop(nil)))
  }

  @Test func `More than a hub takes is counted, not sent`() throws {
    var machine = ReportMachine(run: "run")
    let many = (0..<ReportLimits.worktrees + 3).map { Samples.workspace("w\($0)") }
    let first = try #require(report(machine.handle(.listed(many), now(0))))
    #expect(first.changed.count == ReportLimits.worktrees)
    #expect(first.omitted == 3)
    var long = Samples.workspace("long")
    long.branch = String(repeating: "x", count: ReportLimits.pathBytes + 1)
    var other = ReportMachine(run: "run")
    let sent = try #require(report(other.handle(.listed([long]), now(0))))
    #expect(sent.changed.isEmpty)
    #expect(sent.omitted == 1)
  }
}
