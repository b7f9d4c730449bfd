import ConditionalHTTP
import Foundation
import Freshness
import Hashing
import Testing
import Workspaces
import WorkspacesClient

@testable import WorkspacesServer

/// Reporters and a hub as values, with a way between them that loses, delays and repeats what is sent.
@Suite struct HubConversationTests {
  private typealias Samples = HubSamples

  private struct Machine {
    var reporter: ReportMachine
    var truth: [Workspace] = []
    var wakeAt = Double.infinity
    /// What is on its way: when it comes, and the bytes.
    var flying: [(at: Double, report: [UInt8])] = []
    /// When the reporter gives up waiting for the response.
    var givesUpAt = Double.infinity
    var answers: [(at: Double, event: ReportMachine.Event)] = []
    var runs = 0
  }

  private struct World {
    var numbers: SplitMix64
    var time = 0.0
    var hub: MachineTable
    var list = ShownList()
    var machines: [String: Machine] = [:]

    init(seed: UInt64, names: [String]) {
      numbers = SplitMix64(seed: seed)
      hub = MachineTable()
      _ = hub.admit(Set(names))
      for name in names { machines[name] = Machine(reporter: ReportMachine(run: "\(name)-0")) }
    }

    mutating func handle(_ name: String, _ event: ReportMachine.Event) {
      guard var machine = machines[name] else { return }
      let now = ReportMachine.Now(
        time: time,
        sourceAge: 0,
        wall: Int64((Samples.wall + time) * 1_000),
        random: RandomSample(bits: UInt32.random(in: .min ... .max, using: &numbers))
      )
      for order in machine.reporter.handle(event, now) {
        switch order {
        case .send(let report):
          guard let data = try? JSONEncoder().encode(report) else { continue }
          machine.givesUpAt = time + ReportLimits.timeout
          // It is lost, comes once, or comes twice; the second time long after.
          if !numbers.happens(10) {
            let delay = Double.random(in: 0.01...1, using: &numbers)
            machine.flying.append((time + delay, Array(data)))
          }
          if numbers.happens(10) {
            let delay = Double.random(in: 0.01...200, using: &numbers)
            machine.flying.append((time + delay, Array(data)))
          }
        case .wake(let at): machine.wakeAt = at
        case .log, .stop: break
        }
      }
      machines[name] = machine
    }

    /// Lets the hub take what has come.
    mutating func deliver(_ name: String, isLossy: Bool) {
      let due = machines[name]?.flying.filter { $0.at <= time } ?? []
      machines[name]?.flying.removeAll { $0.at <= time }
      for (_, bytes) in due.sorted(by: { $0.at < $1.at }) {
        guard let report = (try? WorkspaceReport.read(bytes)) ?? nil else { continue }
        var event = ReportMachine.Event.answered(
          status: 204,
          code: nil,
          detail: nil,
          retryAfter: nil
        )
        do throws(MachineTable.Refusal) {
          list.apply(try hub.handle(report, from: name, at: Samples.instant(time)))
        } catch {
          event = .answered(
            status: 409,
            code: error.problem.rawValue,
            detail: nil,
            retryAfter: nil
          )
        }
        // Only who still waits hears it; and it may be lost.
        if isLossy, numbers.happens(10) { continue }
        machines[name]?.answers.append((time + 0.01, event))
      }
    }

    mutating func step(isLossy: Bool) {
      time += 0.25
      for name in machines.keys.sorted() {
        deliver(name, isLossy: isLossy)
        let answers = machines[name]?.answers ?? []
        machines[name]?.answers = []
        if let first = answers.first, machines[name]?.givesUpAt != .infinity {
          machines[name]?.givesUpAt = .infinity
          handle(name, first.event)
        } else if let end = machines[name]?.givesUpAt, end <= time {
          machines[name]?.givesUpAt = .infinity
          handle(name, .unanswered("timeout"))
        }
        if let wakeAt = machines[name]?.wakeAt, wakeAt <= time {
          machines[name]?.wakeAt = .infinity
          handle(name, .woke)
        }
      }
      list.apply(hub.expire(at: Samples.instant(time)))
    }

    /// Something happens on a machine.
    mutating func change(_ name: String) {
      guard var truth = machines[name]?.truth else { return }
      let folder = "w\(Int.random(in: 0..<8, using: &numbers))"
      truth.removeAll { $0.path == "/code/\(folder)" }
      if !numbers.happens(30) {
        var it = Samples.workspace(folder, numbers.happens(50) ? .working : .idle)
        it.commitCount = Int.random(in: 0..<1_000, using: &numbers)
        truth.append(it)
      }
      machines[name]?.truth = truth
      handle(name, .listed(truth))
    }

    /// The reporter is killed and started again; what it sent is still on its way.
    mutating func restart(_ name: String) {
      guard var machine = machines[name] else { return }
      machine.runs += 1
      machine.reporter = ReportMachine(run: "\(name)-\(machine.runs)")
      (machine.wakeAt, machine.givesUpAt, machine.answers) = (.infinity, .infinity, [])
      machines[name] = machine
      handle(name, .listed(machine.truth))
    }

    /// The hub is killed and started again.
    mutating func restartHub() {
      hub = MachineTable()
      _ = hub.admit(Set(machines.keys))
      list = ShownList()
    }

    /// What the list should show.
    var expected: [String] {
      machines.flatMap { name, machine in
        machine.truth.map { "\(name):\($0.name) \($0.commitCount) \($0.activity.state.rawValue)" }
      }
      .sorted()
    }

    var shown: [String] {
      list.worktrees.values.map { "\($0.name) \($0.commitCount) \($0.activity.state.rawValue)" }
        .sorted()
    }
  }

  @Test(arguments: 0..<16)
  func `Whatever is lost, late or killed, the list is right in the end`(_ seed: Int) {
    var world = World(seed: UInt64(seed), names: ["box", "laptop", "tower"])
    for name in world.machines.keys.sorted() { world.handle(name, .listed([])) }
    for _ in 0..<800 {
      let names = world.machines.keys.sorted()
      let name = names[Int.random(in: 0..<names.count, using: &world.numbers)]
      if world.numbers.happens(20) { world.change(name) }
      if world.numbers.happens(1) { world.restart(name) }
      if world.numbers.happens(1), world.numbers.happens(50) { world.restartHub() }
      world.step(isLossy: true)
      // What is shown of a machine comes from that machine.
      for shown in world.list.worktrees.values {
        #expect(shown.name.hasPrefix("\(shown.machine?.name ?? ""):"))
      }
    }
    // Longer than the longest waits, with everything late come in; then it is quiet.
    for _ in 0..<2_400 { world.step(isLossy: false) }
    #expect(world.shown == world.expected)
    #expect(world.hub.statuses(at: Samples.instant(world.time)).allSatisfy { $0.state == .live })
  }

  @Test func `A report is read as it was written`() throws {
    var it = Samples.workspace("a", .needsYou)
    it.activity.since = "2026-09-21T13:46:40.000Z"
    (it.gitAge, it.activityAge) = (1.5, 2.5)
    it.todos = [Todo(id: "1", content: "step", status: .inProgress)]
    let report = WorkspaceReport(
      instance: "run-0",
      sequence: 9,
      base: 8,
      age: 12,
      clock: -5,
      changed: [it],
      removed: ["gone"],
      omitted: 3,
      isLast: true
    )
    let bytes = Array(try JSONEncoder().encode(report))
    #expect(try WorkspaceReport.read(bytes) == report)
  }

  @Test func `A report with too many worktrees is read as one that has too many`() throws {
    let many = (0..<ReportLimits.worktrees + 5).map { Samples.workspace("w\($0)") }
    let bytes = Array(try JSONEncoder().encode(Samples.report(1, at: 0, many)))
    let report = try #require(try WorkspaceReport.read(bytes))
    var table = Samples.table("laptop")
    #expect(throws: MachineTable.Refusal.self) {
      _ = try table.handle(report, from: "laptop", at: Samples.instant(0))
    }
  }

  @Test(arguments: [
    "[]", "1", "{}", #"{"instance":"","sequence":1,"age_ms":0,"clock_ms":0}"#,
    #"{"instance":"a","sequence":0,"age_ms":0,"clock_ms":0}"#,
    #"{"instance":"a","sequence":1,"clock_ms":0}"#, #"{"instance":"a","sequence":1,"age_ms":0}"#,
    #"{"instance":"a","sequence":1,"base":"x","age_ms":0,"clock_ms":0}"#,
  ])
  func `A report without what every report has is none`(_ text: String) throws {
    #expect(try WorkspaceReport.read(Array(text.utf8)) == nil)
  }
}
