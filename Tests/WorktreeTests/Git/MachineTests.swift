import Testing

@testable import Git

@Suite struct MachineTests {
  @Test func `Events that pause fire once, after the pause`() {
    var machine = Debounce(quiet: 0.2, most: 2)
    #expect(machine.deadline == nil)
    expectSame(machine.fires(at: 100), false)
    machine.note(at: 1)
    machine.note(at: 1.1)
    #expect(machine.deadline.map { abs($0 - 1.3) < 1e-9 } == true)
    expectSame(machine.fires(at: 1.29), false)
    expectSame(machine.fires(at: 1.31), true)
    expectSame(machine.fires(at: 9), false)
  }

  @Test func `Events without a pause fire after the longest delay`() {
    var machine = Debounce(quiet: 0.2, most: 2)
    var fired: [Double] = []
    for step in 0..<1_000 {
      let now = Double(step) * 0.01
      if machine.fires(at: now) { fired.append(now) }
      machine.note(at: now)
    }
    #expect(fired.count == 4)
    for (before, after) in zip(fired, fired.dropFirst()) { #expect(after - before < 2.02) }
  }

  @Test func `What is gone is polled ever more seldom, and at the usual pace when it is back`() {
    var polls = PollSchedule(every: 2, retry: 1, longest: 30)
    func count(from start: Int, to end: Int, failed: Bool) -> Int {
      var count = 0
      for tenth in (start * 10)..<(end * 10) {
        let now = Double(tenth) / 10
        guard polls.begin(at: now) else { continue }
        count += 1
        polls.scanned(at: now, failed: failed)
      }
      return count
    }
    #expect(count(from: 0, to: 60, failed: false) == 30)
    // After 1, 2, 4, 8 and 16 s, then every 30 s; without a pause that grows it would be 300.
    #expect(count(from: 60, to: 660, failed: true) == 24)
    #expect(polls.failures == 24)
    #expect(polls.pause() == 30)
    #expect(count(from: 660, to: 720, failed: false) >= 15)
    #expect(polls.failures == 0)
    #expect(polls.pause() == 2)
  }

  @Test func `What is polled is polled seldom without observers, and at once when one returns`() {
    var polls = PollSchedule(every: 2, retry: 1, longest: 30)
    func count(from start: Int, to end: Int, isWanted: Bool) -> Int {
      (start * 10..<end * 10).count { tenth in
        let now = Double(tenth) / 10
        guard polls.begin(at: now, isWanted: isWanted) else { return false }
        polls.scanned(at: now, failed: false, isWanted: isWanted)
        return true
      }
    }
    #expect(count(from: 0, to: 600, isWanted: true) == 300)
    #expect(count(from: 600, to: 1_200, isWanted: false) == 20)
    polls.hurry(at: 1_201)
    #expect(polls.dueAt <= 1_201)
    #expect(count(from: 1_201, to: 1_261, isWanted: true) == 30)
    // Observation does not make an unreadable folder due earlier.
    polls.scanned(at: 2_000, failed: true)
    polls.scanned(at: 2_001, failed: true)
    polls.hurry(at: 2_001.5)
    #expect(polls.dueAt == 2_003)
  }

  @Test func `A key is looked at once for all who ask, and not again too soon`() {
    var budget = RefreshBudget<String>(spacing: 1, most: 2)
    budget.request("a", at: 0)
    budget.request("a", at: 0.1)
    expectSame(budget.begin(at: 0.2), ["a"])
    expectSame(budget.begin(at: 0.3).isEmpty, true)
    // Asked while it runs: a scan that begins after the request.
    budget.request("a", at: 0.4)
    expectSame(budget.begin(at: 5).isEmpty, true)
    budget.end("a")
    #expect(budget.deadline == 1.2)
    expectSame(budget.begin(at: 1.1).isEmpty, true)
    expectSame(budget.begin(at: 1.2), ["a"])
    budget.end("a")
    #expect(budget.deadline == nil)
    #expect(budget.waiting == 0)
  }

  @Test func `Who has waited longest begins first, within the limit`() {
    var budget = RefreshBudget<Int>(spacing: 1, most: 2)
    for key in 0..<5 { budget.request(key, at: Double(key) / 10) }
    expectSame(budget.begin(at: 1), [0, 1])
    expectSame(budget.begin(at: 1).isEmpty, true)
    #expect(budget.deadline == nil)
    budget.end(0)
    budget.request(0, at: 1)
    expectSame(budget.begin(at: 3), [2])
    budget.end(1)
    budget.end(2)
    expectSame(budget.begin(at: 3), [3, 4])
    budget.forget(0)
    budget.end(3)
    budget.end(4)
    expectSame(budget.begin(at: 9).isEmpty, true)
  }

  @Test func `No sequence of requests breaks the rules`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<50 {
      var budget = RefreshBudget<Int>(spacing: 1, most: 3)
      var began: [Int: Double] = [:]
      var running: Set<Int> = []
      var asked: [Int: Double] = [:]
      for step in 0..<400 {
        let now = Double(step) * 0.05
        let key = Int.random(in: 0..<8, using: &random)
        if Bool.random(using: &random) {
          budget.request(key, at: now)
          asked[key] = asked[key] ?? now
        }
        if let key = running.randomElement(using: &random) {
          budget.end(key)
          running.remove(key)
        }
        for key in budget.begin(at: now) {
          expectSame(running.insert(key).inserted, true)
          expectSame(asked.removeValue(forKey: key) != nil, true)
          if let before = began[key] { #expect(now - before >= 1 - 1e-9) }
          began[key] = now
        }
        #expect(running.count <= 3 && budget.running == running.count)
      }
      // In the end every requested key is scanned.
      for key in running { budget.end(key) }
      var now = 100.0
      while !asked.isEmpty, now < 200 {
        for key in budget.begin(at: now) {
          asked[key] = nil
          budget.end(key)
        }
        now += 1
      }
      #expect(asked.isEmpty)
    }
  }

  @Test func `Locks and what git keeps for itself mean no other state`() {
    #expect(WatchPlan.matters("HEAD", in: .gitDirectory))
    #expect(WatchPlan.matters("rebase-merge", in: .gitDirectory))
    #expect(WatchPlan.matters("msgnum", in: .gitDirectory))
    for name in ["index.lock", "COMMIT_EDITMSG", "ORIG_HEAD", "logs", "FETCH_HEAD"] {
      #expect(!WatchPlan.matters(name, in: .gitDirectory), "\(name)")
    }
    #expect(WatchPlan.matters("packed-refs", in: .commonDirectory))
    #expect(!WatchPlan.matters("packed-refs.lock", in: .commonDirectory))
    #expect(!WatchPlan.matters("main.lock", in: .refs))
    #expect(WatchPlan.matters("Cargo.lock", in: .content))
    #expect(!WatchPlan.matters(".git", in: .content))
    for name in ["shallow", "info", "logs"] {
      #expect(WatchPlan.matters(name, in: .commonDirectory), "\(name)")
    }
    #expect(WatchPlan.matters("stash", in: .names(["stash"])))
    #expect(!WatchPlan.matters("stash.lock", in: .names(["stash"])))
    #expect(WatchPlan.matters("logs", in: .submodule) && WatchPlan.matters("HEAD", in: .submodule))
  }

  @Test func `What is written counts for content only, and a search is for folders`() {
    #expect(WatchPlan.matters("a.txt", in: .content, .write))
    for place in [WatchPlan.Place.gitDirectory, .commonDirectory, .refs, .names(["HEAD"])] {
      #expect(WatchPlan.matters("HEAD", in: place))
      #expect(!WatchPlan.matters("HEAD", in: place, .write), "\(place)")
    }
    #expect(WatchPlan.matters("clone", in: .search, [.new, .entry, .folder]))
    #expect(WatchPlan.matters("clone", in: .search, [.entry, .folder]))
    #expect(WatchPlan.matters(".git", in: .search, [.new, .entry]))
    #expect(!WatchPlan.matters("server.log", in: .search, [.new, .entry]))
    #expect(!WatchPlan.matters("server.log", in: .search, .write))
  }

  @Test func `Folders are listed again for a new one, a submodule that comes, and what is ignored`()
  {
    #expect(WatchPlan.movesFolders("new", in: .content, [.new, .entry, .folder]))
    #expect(!WatchPlan.movesFolders("new", in: .content, [.new, .entry]))
    #expect(!WatchPlan.movesFolders("old", in: .content, [.entry, .folder]))
    #expect(WatchPlan.matters(".git", in: .content, [.new, .entry]))
    #expect(WatchPlan.movesFolders(".git", in: .content, [.new, .entry]))
    #expect(WatchPlan.movesFolders(".git", in: .content, .entry))
    #expect(!WatchPlan.movesFolders(".git", in: .content, []))
    #expect(WatchPlan.movesFolders(".gitignore", in: .content, .write))
    #expect(!WatchPlan.movesFolders("index", in: .gitDirectory, [.new, .entry]))
  }

  @Test func `Watched are the folders of tracked files and new ones, within the limit`() throws {
    var folders = WatchPlan.Folders()
    func staged(_ paths: [String], mode: String = "100644") -> [UInt8] {
      records(paths.map { "\(mode) 0123456789 0\t\($0)|" }.joined())
    }
    let bytes = staged(["a.txt", "src/deep/er/x.c", "src/deep/er/y.c", "src/z.c"])
    for byte in bytes { try folders.consume([byte]) }
    folders.add(new: ["new/in/side"])
    #expect(
      folders.all == [
        "", "new", "new/in", "new/in/side", "src", "src/deep", "src/deep/er",
      ]
    )
    #expect(folders.submodules.isEmpty)
    try folders.consume(staged(["modules/one", "modules/one"], mode: "160000"))
    #expect(folders.submodules == ["modules/one"])
    var inner = WatchPlan.Folders()
    try inner.consume(staged(["a/b"]) + staged(["two"], mode: "160000"))
    folders.add(inner, of: "modules/one")
    #expect(folders.submodules == ["modules/one", "modules/one/two"])
    #expect(
      folders.all.filter { $0.hasPrefix("modules") } == [
        "modules", "modules/one", "modules/one/a", "modules/one/two",
      ]
    )
    #expect(!folders.isOverflowing)
    for number in 0..<GitLimits.watchedFolders { try folders.consume(staged(["f\(number)/x"])) }
    #expect(folders.all.count == GitLimits.watchedFolders)
    #expect(folders.isOverflowing)
    #expect(throws: GitOutputError.self) { try folders.consume(records("no path|")) }
  }

  @Test func `More submodules than the limit are not watched whole`() throws {
    var folders = WatchPlan.Folders()
    for number in 0...GitLimits.submodules {
      try folders.consume(records("160000 0123456789 0\tmodule\(number)|"))
    }
    #expect(folders.submodules.count == GitLimits.submodules)
    #expect(folders.isOverflowing)
  }

  @Test func `A request for later gives way to one for now`() {
    var budget = RefreshBudget<String>(spacing: 1, most: 2)
    budget.request("a", at: 10)
    #expect(budget.begin(at: 1).isEmpty)
    #expect(budget.begins("a", at: 1, asked: nil) == 10)
    #expect(budget.begins("a", at: 1, asked: 3) == 3)
    #expect(budget.begins("b", at: 1, asked: nil) == nil)
    budget.request("a", at: 2)
    #expect(budget.deadline == 2)
    expectSame(budget.begin(at: 2), ["a"])
    #expect(budget.begin(at: 11).isEmpty)
    #expect(budget.begins("a", at: 11, asked: nil) == 11)
    budget.end("a")
    #expect(budget.begins("a", at: 2.5, asked: 2.5) == 3)
  }
}
