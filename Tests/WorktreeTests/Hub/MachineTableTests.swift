import ConditionalHTTP
import Testing
import Workspaces

@testable import WorkspacesServer

@Suite struct MachineTableTests {
  private typealias Samples = HubSamples

  private func refusal(
    _ table: inout MachineTable,
    _ report: WorkspaceReport,
    from name: String = "laptop",
    at time: Double = 1
  ) -> ReportProblem? {
    do throws(MachineTable.Refusal) {
      _ = try table.handle(report, from: name, at: Samples.instant(time))
      return nil
    } catch {
      return error.problem
    }
  }

  @Test func `A complete report, then what changed, is one list`() throws {
    var table = Samples.table("laptop")
    var list = ShownList()
    let first = Samples.report(
      1,
      at: 0,
      [Samples.workspace("a", .working), Samples.workspace("b")]
    )
    list.apply(try table.handle(first, from: "laptop", at: Samples.instant(0)))
    #expect(list.names == ["laptop:shop/a", "laptop:shop/b"])
    #expect(list.named("laptop:shop/a")?.machine == WorkspaceMachine(name: "laptop", state: .live))
    #expect(list.named("laptop:shop/a")?.activity.state == .working)
    let next = Samples.report(
      2,
      after: 1,
      at: 3,
      [Samples.workspace("c")],
      removed: ["id-b", "id-none"]
    )
    list.apply(try table.handle(next, from: "laptop", at: Samples.instant(3)))
    #expect(list.names == ["laptop:shop/a", "laptop:shop/c"])
    // A complete report says what is gone by leaving it out.
    let whole = Samples.report(3, at: 4, [Samples.workspace("c")])
    list.apply(try table.handle(whole, from: "laptop", at: Samples.instant(4)))
    #expect(list.names == ["laptop:shop/c"])
  }

  @Test func `A report without news changes nothing of the list`() throws {
    var table = Samples.table("laptop")
    let first = Samples.report(1, at: 0, [Samples.workspace("a")])
    _ = try table.handle(first, from: "laptop", at: Samples.instant(0))
    let changes = try table.handle(
      Samples.report(2, after: 1, at: 15),
      from: "laptop",
      at: Samples.instant(15)
    )
    #expect(changes.isEmpty)
    #expect(table.statuses(at: Samples.instant(16)).map(\.age) == [1_000])
  }

  @Test func `A report that is late never replaces a newer one`() throws {
    var table = Samples.table("laptop")
    let newest = Samples.report(7, at: 0, [Samples.workspace("a")])
    #expect(refusal(&table, newest) == nil)
    for sequence in [Int64(1), 6, 7] {
      let late = Samples.report(sequence, at: 0, [Samples.workspace("old")])
      #expect(refusal(&table, late) == .outOfDate)
    }
    #expect(refusal(&table, Samples.report(8, after: 6, at: 0)) == .baseUnknown)
    #expect(refusal(&table, Samples.report(of: "b", 9, after: 7, at: 0)) == .baseUnknown)
    #expect(table.statuses(at: Samples.instant(1)).map(\.worktrees) == [1])
    #expect(refusal(&table, Samples.report(8, after: 7, at: 0)) == nil)
  }

  @Test func `A reporter that another one replaced changes nothing any more`() throws {
    var table = Samples.table("laptop")
    var list = ShownList()
    list.apply(
      try table.handle(
        Samples.report(of: "a", 5, at: 0, [Samples.workspace("a")]),
        from: "laptop",
        at: Samples.instant(0)
      )
    )
    list.apply(
      try table.handle(
        Samples.report(of: "b", 1, at: 1, [Samples.workspace("b")]),
        from: "laptop",
        at: Samples.instant(1)
      )
    )
    #expect(list.names == ["laptop:shop/b"])
    #expect(refusal(&table, Samples.report(of: "a", 6, after: 5, at: 2)) == .replaced)
    #expect(
      refusal(&table, Samples.report(of: "a", 6, at: 2, [Samples.workspace("a")])) == .replaced
    )
    #expect(table.statuses(at: Samples.instant(2)).map(\.worktrees) == [1])
  }

  @Test func `A machine without reports is unreachable since the last right one, and comes back`()
    throws
  {
    var table = Samples.table("laptop", "box")
    var list = ShownList()
    for name in ["laptop", "box"] {
      let report = Samples.report(1, at: 0, [Samples.workspace("a", .working)])
      list.apply(try table.handle(report, from: name, at: Samples.instant(0)))
    }
    let heartbeat = Samples.report(2, after: 1, at: 40)
    list.apply(try table.handle(heartbeat, from: "box", at: Samples.instant(40)))
    #expect(table.deadline == ReportLimits.unreachableAfter)
    #expect(table.expire(at: Samples.instant(ReportLimits.unreachableAfter)).isEmpty)
    let gone = Samples.instant(ReportLimits.unreachableAfter + 1)
    list.apply(table.expire(at: gone))
    let silent = try #require(list.named("laptop:shop/a"))
    #expect(silent.machine?.state == .unreachable)
    #expect(silent.machine?.unreachableSince == InstantText.write(Samples.wall))
    #expect(silent.activity.state == .unknown)
    #expect(silent.activity.agents.isEmpty)
    #expect(!silent.hasActiveClaudeSession)
    #expect(silent.claudeActivityState == .inactive)
    #expect(silent.activity.reason?.contains("unreachable since") == true)
    #expect(list.starts[silent.id] == Samples.wall)
    #expect(list.named("box:shop/a")?.activity.state == .working)
    let statuses = table.statuses(at: gone)
    #expect(statuses.map(\.name) == ["box", "laptop"])
    #expect(statuses.map(\.state) == [.live, .unreachable])
    #expect(statuses.map(\.age) == [6_000, 46_000])
    // It was only stopped: what was reported is still right.
    let again = Samples.report(2, after: 1, at: 90)
    list.apply(try table.handle(again, from: "laptop", at: Samples.instant(90)))
    #expect(list.named("laptop:shop/a")?.activity.state == .working)
    #expect(list.named("laptop:shop/a")?.machine?.state == .live)
  }

  @Test func `What a reporter says of its own age counts`() throws {
    var table = Samples.table("laptop")
    var list = ShownList()
    let old = Samples.report(1, at: 100, age: 44, [Samples.workspace("a", .working)])
    list.apply(try table.handle(old, from: "laptop", at: Samples.instant(100)))
    #expect(table.statuses(at: Samples.instant(100)).map(\.age) == [44_000])
    #expect(list.named("laptop:shop/a")?.machine?.state == .live)
    #expect(table.deadline == 100 - 44 + ReportLimits.unreachableAfter)
    // The reporter is heard of, and does not reach its server.
    let older = Samples.report(2, after: 1, at: 110, age: 54)
    list.apply(try table.handle(older, from: "laptop", at: Samples.instant(110)))
    let shown = try #require(list.named("laptop:shop/a"))
    #expect(shown.machine?.state == .unreachable)
    #expect(shown.machine?.unreachableSince == InstantText.write(Samples.wall + 56))
    let status = try #require(table.statuses(at: Samples.instant(110)).first)
    #expect(status.detail == "its reporter does not reach the server on that machine")
  }

  @Test func `A reporter that ends says so at once`() throws {
    var table = Samples.table("laptop")
    var list = ShownList()
    let first = Samples.report(1, at: 0, [Samples.workspace("a", .working)])
    list.apply(try table.handle(first, from: "laptop", at: Samples.instant(0)))
    let last = Samples.report(2, after: 1, at: 5, isLast: true)
    list.apply(try table.handle(last, from: "laptop", at: Samples.instant(5)))
    #expect(list.named("laptop:shop/a")?.machine?.state == .unreachable)
    #expect(table.statuses(at: Samples.instant(6)).map(\.detail) == ["its reporter has ended"])
    #expect(table.deadline == nil)
  }

  @Test(arguments: [0.0, 172_800, -172_800, 1.5])
  func `No clock of a machine says how old something is`(_ offset: Double) throws {
    var table = Samples.table("laptop")
    var list = ShownList()
    func workspace(began: Double, age: Double) -> Workspace {
      var it = Samples.workspace("a", .working)
      it.activity.since = InstantText.write(Samples.wall + offset + began)
      it.activity.agents = [
        AgentPresence(
          agent: "tester",
          state: .working,
          source: "neutral_log",
          since: it.activity.since
        )
      ]
      it.activityAge = age
      it.lastAccessed = InstantText.write(Samples.wall + offset + began)
      return it
    }
    var report = Samples.report(1, at: 100, [workspace(began: 70, age: 30)])
    report.clock += Int64(offset * 1_000)
    list.apply(try table.handle(report, from: "laptop", at: Samples.instant(100)))
    var shown = try #require(list.named("laptop:shop/a"))
    let since = try #require(list.starts[shown.id])
    #expect(abs(since - Samples.wall - 70) <= 2)
    #expect(InstantText.read(shown.activity.since ?? "").map { abs($0 - since) < 0.01 } == true)
    #expect(
      InstantText.read(shown.activity.agents[0].since ?? "").map { abs($0 - since) < 0.01 } == true
    )
    #expect(
      InstantText.read(shown.lastAccessed).map { abs($0 - Samples.wall - 70) <= 2.5 } == true
    )
    // The clock is set right in between: the activity began when it began.
    var next = workspace(began: 70, age: 40 + offset)
    next.isDirty = true
    let later = Samples.report(2, after: 1, at: 110, [next])
    list.apply(try table.handle(later, from: "laptop", at: Samples.instant(110)))
    shown = try #require(list.named("laptop:shop/a"))
    #expect(shown.isDirty)
    #expect(list.starts[shown.id] == since)
  }

  @Test func `Nothing begins after now, whatever a machine says`() throws {
    var table = Samples.table("laptop")
    var list = ShownList()
    var it = Samples.workspace("a", .working)
    it.activity.since = "2199-01-01T00:00:00.000Z"
    it.activityAge = -1e300
    list.apply(
      try table.handle(Samples.report(1, at: 9, [it]), from: "laptop", at: Samples.instant(9))
    )
    let shown = try #require(list.named("laptop:shop/a"))
    #expect(list.starts[shown.id] == Samples.wall + 9)
  }

  @Test func `One machine cannot write another's entries`() throws {
    var table = Samples.table("laptop", "box")
    var list = ShownList()
    let report = Samples.report(1, at: 0, [Samples.workspace("a")])
    list.apply(try table.handle(report, from: "laptop", at: Samples.instant(0)))
    let id = try #require(list.named("laptop:shop/a")).id
    // The same id, the id on the hub, and both as removed.
    var forged = Samples.workspace("b")
    forged.id = id
    let other = Samples.report(of: "x", 1, at: 0, [forged, Samples.workspace("a")], removed: [id])
    list.apply(try table.handle(other, from: "box", at: Samples.instant(0)))
    #expect(list.names == ["box:shop/a", "box:shop/b", "laptop:shop/a"])
    #expect(list.worktrees[id]?.machine?.name == "laptop")
    #expect(list.named("box:shop/b")?.machine?.name == "box")
    let next = Samples.report(of: "x", 2, after: 1, at: 1, removed: [id, "id-a"])
    list.apply(try table.handle(next, from: "box", at: Samples.instant(1)))
    #expect(list.names == ["laptop:shop/a"])
    #expect(refusal(&table, report, from: "nobody") == .machineForbidden)
  }

  @Test func `A worktree of another machine is not taken`() throws {
    var table = Samples.table("laptop")
    var list = ShownList()
    var other = Samples.workspace("b")
    other.machine = WorkspaceMachine(name: "box", state: .live)
    let report = Samples.report(1, at: 0, [Samples.workspace("a"), other])
    list.apply(try table.handle(report, from: "laptop", at: Samples.instant(0)))
    #expect(list.names == ["laptop:shop/a"])
    #expect(table.statuses(at: Samples.instant(0)).map(\.omitted) == [1])
  }

  @Test func `A machine that reports too much changes nothing`() throws {
    var table = Samples.table("laptop")
    #expect(refusal(&table, Samples.report(1, at: 0, [Samples.workspace("a")])) == nil)
    let many = (0...ReportLimits.worktrees).map { Samples.workspace("w\($0)") }
    #expect(refusal(&table, Samples.report(2, at: 0, many)) == .tooLarge)
    let long = (0..<600).map { number in
      var it = Samples.workspace("w\(number)")
      it.latestClaudeMessage = String(repeating: "x", count: 2 * ReportLimits.textBytes)
      return it
    }
    #expect(refusal(&table, Samples.report(2, at: 0, long)) == .tooLarge)
    #expect(table.statuses(at: Samples.instant(1)).map(\.worktrees) == [1])
    // Small pieces do not circumvent it.
    var sequence: Int64 = 1
    var problem: ReportProblem?
    for part in 0..<600 where problem == nil {
      let report = Samples.report(sequence + 1, after: sequence, at: 0, [long[part]])
      problem = refusal(&table, report)
      sequence += 1
    }
    #expect(problem == .tooLarge)
    // The same worktree again and again does not count twice.
    var one = Samples.table("laptop")
    for number in 1...700 {
      let report = Samples.report(
        Int64(number),
        after: number == 1 ? nil : Int64(number - 1),
        at: 0,
        [long[0]]
      )
      #expect(refusal(&one, report) == nil)
    }
  }

  @Test func `Names that are too long are left out, and texts are cut`() throws {
    var table = Samples.table("laptop")
    var list = ShownList()
    var long = Samples.workspace("a")
    long.path = "/" + String(repeating: "x", count: ReportLimits.pathBytes)
    var wordy = Samples.workspace("b")
    wordy.latestUserPrompt = String(repeating: "é", count: ReportLimits.textBytes)
    list.apply(
      try table.handle(
        Samples.report(1, at: 0, [long, wordy]),
        from: "laptop",
        at: Samples.instant(0)
      )
    )
    #expect(list.names == ["laptop:shop/b"])
    let prompt = try #require(list.named("laptop:shop/b")?.latestUserPrompt)
    #expect(prompt.utf8.count == ReportLimits.textBytes)
    #expect(prompt.allSatisfy { $0 == "é" })
    #expect(table.statuses(at: Samples.instant(0)).map(\.omitted) == [1])
  }

  @Test func `A machine may send a few reports at once, and not many`() {
    var table = Samples.table("laptop")
    func allows(at time: Double) -> Bool {
      defer { table.endReading("laptop") }
      return table.allows("laptop", at: Samples.instant(time))
    }
    let burst = (0..<100).count { _ in allows(at: 0) }
    #expect(burst == Int(ReportLimits.burst))
    let second = (0..<100).count { _ in allows(at: 1) }
    #expect(second == Int(ReportLimits.reportsPerSecond))
    #expect((0..<200).allSatisfy { allows(at: 100 + Double($0)) })
    let isKnown = table.allows("nobody", at: Samples.instant(0))
    #expect(!isKnown)
  }

  @Test func `Reports that change much of the list count as several`() throws {
    var table = Samples.table("laptop")
    let many = (0..<640).map { Samples.workspace("w\($0)") }
    var list = ShownList()
    // A tiny report makes the machine unreachable, the next one live again, and each changes all worktrees.
    var accepted = 0
    for sequence in Int64(1)...100 {
      guard table.allows("laptop", at: Samples.instant(0)) else { break }
      let report = Samples.report(
        sequence,
        after: sequence == 1 ? nil : sequence - 1,
        at: 0,
        sequence == 1 ? many : [],
        isLast: sequence % 2 == 0
      )
      list.apply(try table.handle(report, from: "laptop", at: Samples.instant(0)))
      table.endReading("laptop")
      accepted += 1
    }
    #expect(list.worktrees.count == many.count)
    #expect(accepted == 1)
    // It counted as eleven reports, one more than may come at once.
    let (early, later) = (
      table.allows("laptop", at: Samples.instant(0.5)),
      table.allows("laptop", at: Samples.instant(1))
    )
    #expect((early, later) == (false, true))
  }

  @Test func `Few reports of a machine are read at the same time`() {
    var table = Samples.table("laptop", "box")
    func allowed(_ name: String, at time: Double) -> Int {
      (0..<5).count { _ in table.allows(name, at: Samples.instant(time)) }
    }
    #expect(allowed("laptop", at: 0) == ReportLimits.readings)
    #expect(allowed("laptop", at: 1_000) == 0)
    #expect(allowed("box", at: 1_000) == ReportLimits.readings)
    table.endReading("laptop")
    #expect(allowed("laptop", at: 1_000) == 1)
    // What ends more often than it began makes no room.
    for _ in 0..<9 { table.endReading("laptop") }
    #expect(allowed("laptop", at: 1_000) == ReportLimits.readings)
  }

  @Test func `A machine that may report no more is gone from the list`() throws {
    var table = Samples.table("laptop", "box")
    var list = ShownList()
    for name in ["laptop", "box"] {
      let report = Samples.report(1, at: 0, [Samples.workspace("a")])
      list.apply(try table.handle(report, from: name, at: Samples.instant(0)))
    }
    list.apply(table.admit(["box", "new"]))
    #expect(list.names == ["box:shop/a"])
    #expect(table.statuses(at: Samples.instant(1)).map(\.name) == ["box", "new"])
    #expect(refusal(&table, Samples.report(2, after: 1, at: 1)) == .machineForbidden)
  }

  @Test func `What follows a reload of the machines is as before`() throws {
    var table = Samples.table("laptop")
    #expect(refusal(&table, Samples.report(1, at: 0, [Samples.workspace("a")])) == nil)
    #expect(table.admit(["laptop"]).isEmpty)
    #expect(refusal(&table, Samples.report(2, after: 1, at: 0)) == nil)
  }
}
