import ConditionalHTTP
import Testing
import Workspaces

@testable import WorkspacesServer

/// What the time that a report takes, and the clocks of machines, do to ages (WH5 and WH6).
@Suite struct MachineTimeTests {
  private typealias Samples = HubSamples

  @Test func `A report that takes long makes nothing younger`() throws {
    var table = Samples.table("laptop")
    var list = ShownList()
    var it = Samples.workspace("a", .working)
    (it.activity.since, it.activityAge, it.gitAge) = (InstantText.write(Samples.wall + 70), 30, 5)
    let report = Samples.report(1, at: 100, age: 40, [it])
    list.apply(
      try table.handle(
        report,
        from: "laptop",
        at: Samples.instant(100),
        until: Samples.instant(104)
      )
    )
    #expect(table.statuses(at: Samples.instant(104)).map(\.age) == [44_000])
    var shown = try #require(list.named("laptop:shop/a"))
    #expect(shown.machine?.state == .live)
    #expect(shown.gitAge == 9)
    #expect(list.starts[shown.id] == Samples.wall + 70)
    // It is too old when all of it has come, though it was not when it was sent.
    let late = Samples.report(2, after: 1, at: 110, age: 40)
    list.apply(
      try table.handle(late, from: "laptop", at: Samples.instant(110), until: Samples.instant(116))
    )
    shown = try #require(list.named("laptop:shop/a"))
    #expect(shown.machine?.state == .unreachable)
    #expect(shown.machine?.unreachableSince == InstantText.write(Samples.wall + 70))
  }

  @Test func `A machine that was not yet found to be unreachable is not called live`() throws {
    var table = Samples.table("laptop")
    _ = try table.handle(Samples.report(1, at: 0), from: "laptop", at: Samples.instant(0))
    let after = ReportLimits.unreachableAfter
    let states = [after, after + 1].map { table.statuses(at: Samples.instant($0))[0] }
    #expect(states.map(\.state) == [.live, .unreachable])
    #expect(states[1].unreachableSince == InstantText.write(Samples.wall))
    #expect(states[1].detail == "its reporter is not heard of")
    _ = table.expire(at: Samples.instant(after + 1))
    #expect(table.statuses(at: Samples.instant(after + 1))[0] == states[1])
  }

  @Test func `Nothing of an unreachable machine is in progress, until it is back`() throws {
    var table = Samples.table("laptop")
    var list = ShownList()
    var it = Samples.workspace("a", .working)
    let states: [Todo.Status] = [.completed, .inProgress, .pending, .cancelled]
    it.todos = states.map { Todo(id: $0.rawValue, content: "step", status: $0) }
    list.apply(
      try table.handle(Samples.report(1, at: 0, [it]), from: "laptop", at: Samples.instant(0))
    )
    #expect(list.named("laptop:shop/a")?.todos.map(\.status) == states)
    list.apply(table.expire(at: Samples.instant(60)))
    #expect(
      list.named("laptop:shop/a")?.todos.map(\.status) == [
        .completed, .pending, .pending, .cancelled,
      ]
    )
    let heartbeat = Samples.report(2, after: 1, at: 70)
    list.apply(try table.handle(heartbeat, from: "laptop", at: Samples.instant(70)))
    #expect(list.named("laptop:shop/a")?.todos.map(\.status) == states)
  }

  @Test func `Worktrees and their machine are unreachable since the same instant`() throws {
    var table = Samples.table("laptop")
    var list = ShownList()
    let both = [Samples.workspace("a"), Samples.workspace("b")]
    var reports = [Samples.report(1, at: 0, both)]
    // The reporter does not reach its server; its measurements vary a little.
    for (index, age) in [60.0, 75.1, 89.7, 30.0 + 75, 50].enumerated() {
      let time = 60 + 15 * Double(index)
      let sequence = Int64(index + 2)
      reports.append(
        Samples.report(
          sequence,
          after: sequence - 1,
          at: time,
          age: age,
          index % 2 == 0 ? [Samples.workspace("a", .working)] : []
        )
      )
    }
    for (index, report) in reports.enumerated() {
      let now = Samples.instant(index == 0 ? 0 : 45 + 15 * Double(index))
      let changes = try table.handle(report, from: "laptop", at: now)
      list.apply(changes)
      let status = try #require(table.statuses(at: now).first)
      #expect(
        list.worktrees.values.allSatisfy {
          $0.machine?.unreachableSince == status.unreachableSince
        }
      )
      // What was right at another instant is one change of both; what varies is not.
      #expect(changes.count == [2, 2, 0, 1, 0, 2][index], "\(index)")
    }
    #expect(
      list.named("laptop:shop/b")?.machine?.unreachableSince == InstantText.write(Samples.wall + 70)
    )
  }

  /// What is shown of an instant that a machine wrote, 100 s after the hub's start by the machine's clock.
  private func shown(
    _ table: inout MachineTable,
    _ sequence: Int64,
    of instance: String = "a",
    at time: Double,
    transit: Double,
    offset: Double
  ) throws -> Double {
    var it = Samples.workspace("a")
    it.lastAccessed = InstantText.write(Samples.wall + offset + 100)
    it.commitCount = Int(sequence)
    var report = Samples.report(of: instance, sequence, at: time, [it])
    report.clock += Int64(offset * 1_000)
    var list = ShownList()
    list.apply(try table.handle(report, from: "laptop", at: Samples.instant(time + transit)))
    let text = try #require(list.named("laptop:shop/a")).lastAccessed
    return try #require(InstantText.read(text)) - Samples.wall - 100
  }

  @Test func `Time in transit is not an error of a clock for longer than a report`() throws {
    var table = Samples.table("laptop")
    #expect(try shown(&table, 1, at: 200, transit: 8, offset: 0) == 8)
    #expect(try shown(&table, 2, at: 210, transit: 0.1, offset: 0) == 0)
    #expect(try shown(&table, 3, at: 220, transit: 8, offset: 0) == 0)
  }

  @Test(arguments: [3_600.0, -3_600])
  func `A clock that is set is measured again`(_ offset: Double) throws {
    var table = Samples.table("laptop")
    #expect(try abs(shown(&table, 1, at: 200, transit: 0.1, offset: offset)) < 1)
    #expect(try abs(shown(&table, 2, at: 210, transit: 5, offset: offset)) < 1)
    #expect(try shown(&table, 3, at: 220, transit: 0.1, offset: 0) == 0)
    #expect(try abs(shown(&table, 4, at: 230, transit: 0.1, offset: offset)) < 1)
    #expect(try shown(&table, 1, of: "b", at: 240, transit: 1.5, offset: 0) == 0)
  }
}
