import StationboardServer
import Testing

/// What one server does to serve what the database has, step by step.
struct TimetableFollowerTests {
  private static let limits = TimetableSharingLimits()

  private func row(
    _ sequence: Int64,
    _ serving: String?,
    missing: [String] = [],
    key: String = "default"
  ) -> TimetableFollower.Row {
    TimetableFollower.Row(
      key: key,
      change: Self.change(sequence),
      sequence: sequence,
      serving: serving,
      missing: missing
    )
  }

  /// The id of the change at a position.
  private static func change(_ sequence: Int64) -> Int64 { 100 + sequence }

  private func listed(
    _ number: Int,
    _ rows: [TimetableFollower.Row],
    keys: Set<String> = ["default"],
    upTo end: Int64
  ) -> TimetableFollower.Event {
    .listed(number: number, rows, keys: keys.union(rows.map(\.key)), upTo: end)
  }

  /// A follower that has looked once.
  private func follower(
    _ rows: [TimetableFollower.Row],
    upTo end: Int64
  ) -> (TimetableFollower, [TimetableFollower.Effect]) {
    var follower = TimetableFollower(at: .zero)
    let first = follower.handle(.woke, at: .zero)
    #expect(first == [.list(number: 1, knowing: [])])
    let effects = follower.handle(listed(1, rows, upTo: end), at: .seconds(1))
    return (follower, effects)
  }

  /// A follower that has one change in place, by work 2, and nothing to do.
  private func settled(_ row: TimetableFollower.Row) -> TimetableFollower {
    var whole = row
    whole.missing = []
    var (follower, effects) = follower([whole], upTo: row.sequence)
    #expect(effects == [.install(number: 2, key: row.key, change: row.change)])
    effects = follower.handle(.installed(number: 2), at: .seconds(1))
    #expect(effects.isEmpty && follower.state(of: row.key) == .current)
    return follower
  }

  @Test("An empty folder gets what serves first, lets it serve, and then gets what is kept")
  func emptyFolder() {
    var (follower, effects) = follower([row(5, "c", missing: ["c", "b", "a"])], upTo: 5)
    #expect(effects == [.fetch(number: 2, key: "default", generation: "c")])
    #expect(follower.state(of: "default") == .waiting(isLocked: false) && follower.complete == 4)
    _ = follower.handle(.began(number: 2), at: .seconds(1))
    #expect(follower.state(of: "default") == .fetching)
    let now = Duration.milliseconds(1_500)
    #expect(follower.behind(at: now) == .milliseconds(500))
    effects = follower.handle(.fetched(number: 2), at: now)
    #expect(effects == [.install(number: 3, key: "default", change: 105)])
    effects = follower.handle(.installed(number: 3), at: now)
    #expect(effects == [.fetch(number: 4, key: "default", generation: "b")])
    #expect(follower.state(of: "default") == .current && follower.complete == 5)
    #expect(follower.behind(at: now) == .zero)
    // The manifest names it once it is here.
    effects = follower.handle(.fetched(number: 4), at: now)
    #expect(effects == [.install(number: 5, key: "default", change: 105)])
    effects = follower.handle(.installed(number: 5), at: now)
    #expect(effects == [.fetch(number: 6, key: "default", generation: "a")])
  }

  @Test("What is here already is put in place without being fetched, and not asked for again")
  func inPlace() {
    var follower = settled(row(5, "c"))
    #expect(follower.complete == 5 && follower.installed("default") == 105)
    #expect(follower.wakesAt == .seconds(1) + Self.limits.watchEvery)
    let again = follower.handle(.woke, at: .seconds(1) + Self.limits.watchEvery)
    #expect(again == [.list(number: 3, knowing: [105])])
  }

  @Test("A feed that was taken out of service is taken out here")
  func removed() {
    let (_, effects) = follower([row(6, nil)], upTo: 6)
    #expect(effects == [.install(number: 2, key: "default", change: 106)])
  }

  @Test("A change that arrives while an older one is fetched stops that")
  func stops() {
    var (follower, _) = follower([row(5, "a", missing: ["a"])], upTo: 5)
    var effects = follower.handle(.noticed(6), at: .seconds(2))
    #expect(effects == [.list(number: 3, knowing: [105])])
    effects = follower.handle(
      listed(3, [row(6, "b", missing: ["b"])], upTo: 6),
      at: .seconds(2)
    )
    #expect(effects == [.stop(number: 2), .fetch(number: 4, key: "default", generation: "b")])
    // What the stopped one says does not count.
    #expect(follower.handle(.fetched(number: 2), at: .seconds(3)).isEmpty)
  }

  @Test("What serves is more urgent than what is only kept")
  func urgency() {
    var (follower, effects) = follower([row(5, "c", missing: ["b"])], upTo: 5)
    effects = follower.handle(.installed(number: 2), at: .seconds(1))
    #expect(effects == [.fetch(number: 3, key: "default", generation: "b")])
    _ = follower.handle(.noticed(6), at: .seconds(2))
    effects = follower.handle(
      listed(4, [row(6, "x", missing: ["x"], key: "city")], upTo: 6),
      at: .seconds(2)
    )
    #expect(effects == [.stop(number: 3), .fetch(number: 5, key: "city", generation: "x")])
  }

  @Test("It is called fetching while something is fetched, not while another process has the lock")
  func locked() {
    var (follower, _) = follower([row(5, "a", missing: ["a"])], upTo: 5)
    let now = Duration.seconds(1)
    #expect(follower.state(of: "default") == .waiting(isLocked: false))
    #expect(follower.handle(.refused(number: 2, .busy), at: now).isEmpty)
    #expect(follower.state(of: "default") == .waiting(isLocked: true))
    let effects = follower.handle(.woke, at: now + Self.limits.retryEvery)
    #expect(effects == [.fetch(number: 3, key: "default", generation: "a")])
    // Until it holds the lock.
    #expect(follower.state(of: "default") == .waiting(isLocked: true))
    _ = follower.handle(.began(number: 2), at: now + Self.limits.retryEvery)
    #expect(follower.state(of: "default") == .waiting(isLocked: true))
    _ = follower.handle(.began(number: 3), at: now + Self.limits.retryEvery)
    #expect(follower.state(of: "default") == .fetching)
    _ = follower.handle(.fetched(number: 3), at: now + Self.limits.retryEvery)
    #expect(follower.state(of: "default") == .waiting(isLocked: false))
    _ = follower.handle(.began(number: 4), at: now + Self.limits.retryEvery)
    #expect(follower.state(of: "default") == .fetching)
    _ = follower.handle(.installed(number: 4), at: now + Self.limits.retryEvery)
    #expect(follower.state(of: "default") == .current)
  }

  @Test("What another version stored is not asked for again, and what serves goes on")
  func unreadable() {
    var follower = settled(row(4, "z"))
    _ = follower.handle(.noticed(5), at: .seconds(1))
    var effects = follower.handle(
      listed(3, [row(5, "a", missing: ["a"])], upTo: 5),
      at: .seconds(1)
    )
    #expect(effects == [.fetch(number: 4, key: "default", generation: "a")])
    effects = follower.handle(.refused(number: 4, .unreadable("version 9")), at: .seconds(2))
    #expect(effects.isEmpty && follower.state(of: "default") == .refused("version 9"))
    #expect(follower.installed("default") == 104)
    #expect(follower.behind(at: .seconds(61)) == .seconds(60))
    #expect(follower.wakesAt == .seconds(1) + Self.limits.watchEvery)
  }

  @Test("What is damaged is tried again at growing intervals until a change replaces it")
  func damaged() {
    var (follower, _) = follower([row(5, "a", missing: ["a"])], upTo: 5)
    var now = Duration.seconds(1)
    var number = 2
    var waits: [Duration] = []
    for _ in 0..<8 {
      _ = follower.handle(.refused(number: number, .broken("checksum")), at: now)
      #expect(follower.state(of: "default") == .refused("checksum"))
      let failedAt = now
      while true {
        now = max(now, follower.wakesAt)
        var effects = follower.handle(.woke, at: now)
        if case .list(let number, _)? = effects.first {
          effects += follower.handle(listed(number, [], upTo: 5), at: now)
        }
        for case .fetch(let next, _, _) in effects { number = next }
        if effects.contains(.fetch(number: number, key: "default", generation: "a")) { break }
      }
      waits.append(now - failedAt)
    }
    #expect(waits.prefix(3) == [.seconds(1), .seconds(2), .seconds(4)])
    #expect(waits.last == Self.limits.longestRetry)
  }

  @Test("A generation that is damaged in the folder is fetched again")
  func repairs() {
    var follower = settled(row(5, "a"))
    let effects = follower.handle(.damaged(key: "default", generation: "a"), at: .seconds(1))
    #expect(effects == [.fetch(number: 3, key: "default", generation: "a")])
    #expect(
      follower.handle(.fetched(number: 3), at: .seconds(1))
        == [.install(number: 4, key: "default", change: 105)]
    )
  }

  @Test(
    "What waits is compared when it arrives, now and then, and before its first day; damage is repaired"
  )
  func verifies() {
    var waiting = row(5, "a")
    let startsAt = Self.limits.verifyEvery * 2
    waiting.waiting = TimetableFollower.Waiting(generation: "b", startsAt: startsAt)
    var (follower, effects) = follower([waiting], upTo: 5)
    effects = follower.handle(.installed(number: 2), at: .seconds(1))
    #expect(effects == [.verify(number: 3, key: "default", generation: "b")])
    #expect(follower.handle(.verified(number: 3), at: .seconds(2)).isEmpty)
    // Effects of the work that is done at an instant, with looks answered.
    func work(at now: Duration) -> [TimetableFollower.Effect] {
      var found: [TimetableFollower.Effect] = []
      for effect in follower.handle(.woke, at: now) {
        if case .list(let number, _) = effect {
          found += follower.handle(listed(number, [], upTo: 5), at: now)
        } else {
          found.append(effect)
        }
      }
      return found
    }
    #expect(work(at: Self.limits.verifyEvery).isEmpty)
    effects = work(at: Self.limits.verifyEvery + .seconds(2))
    guard case .verify(let second, _, "b") = effects.first else {
      Issue.record("\(effects)")
      return
    }
    // The database does not answer: it is tried again.
    var now = Self.limits.verifyEvery + .seconds(3)
    #expect(follower.handle(.refused(number: second, .away), at: now).isEmpty)
    now += Self.limits.retryEvery
    guard case .verify(let third, _, "b") = work(at: now).first else {
      Issue.record("it is not compared again")
      return
    }
    #expect(follower.handle(.verified(number: third), at: now).isEmpty)
    #expect(work(at: startsAt - Self.limits.verifyBefore - .seconds(1)).isEmpty)
    now = startsAt - Self.limits.verifyBefore
    guard case .verify(let last, _, "b") = work(at: now).first else {
      Issue.record("it is not compared before its first day")
      return
    }
    effects = follower.handle(.refused(number: last, .missing("b")), at: now)
    guard case .fetch(let fetch, _, "b") = effects.first else {
      Issue.record("\(effects)")
      return
    }
    #expect(follower.state(of: "default") == .current)
    #expect(follower.handle(.refused(number: fetch, .broken("checksum")), at: now).isEmpty)
    #expect(follower.state(of: "default") == .incomplete("checksum"))
    guard case .fetch(let again, _, "b") = work(at: now + Self.limits.firstRetry).first else {
      Issue.record("it is not fetched again")
      return
    }
    effects = follower.handle(.fetched(number: again), at: now + Self.limits.firstRetry)
    guard case .install(let install, _, 105) = effects.first else {
      Issue.record("\(effects)")
      return
    }
    #expect(follower.handle(.installed(number: install), at: now + .milliseconds(1_500)).isEmpty)
    #expect(follower.state(of: "default") == .current)
  }

  @Test("A comparison gives way to a newer timetable")
  func verificationGivesWay() {
    var waiting = row(5, "a")
    waiting.waiting = TimetableFollower.Waiting(generation: "b", startsAt: .seconds(9_000))
    var (follower, effects) = follower([waiting], upTo: 5)
    effects = follower.handle(.installed(number: 2), at: .seconds(1))
    #expect(effects == [.verify(number: 3, key: "default", generation: "b")])
    _ = follower.handle(.noticed(6), at: .seconds(2))
    effects = follower.handle(
      listed(4, [row(6, "x", missing: ["x"], key: "city")], upTo: 6),
      at: .seconds(2)
    )
    #expect(effects == [.stop(number: 3), .fetch(number: 5, key: "city", generation: "x")])
  }

  @Test("A generation that is gone when it is to serve is fetched again")
  func missing() {
    var (follower, effects) = follower([row(5, "a")], upTo: 5)
    #expect(effects == [.install(number: 2, key: "default", change: 105)])
    effects = follower.handle(.refused(number: 2, .missing("b")), at: .seconds(1))
    #expect(effects == [.fetch(number: 3, key: "default", generation: "b")])
  }

  @Test("The answer to a check that took too long does not count")
  func lateAnswers() {
    var follower = TimetableFollower(at: .zero)
    _ = follower.handle(.woke, at: .zero)
    let late = Self.limits.answerWithin
    #expect(follower.wakesAt == late)
    #expect(follower.handle(.woke, at: late).isEmpty && follower.answers == false)
    let again = follower.handle(.woke, at: late + Self.limits.retryEvery)
    #expect(again == [.list(number: 2, knowing: [])])
    #expect(!follower.isChecking(1) && follower.isChecking(2))
    let old = listed(1, [row(4, "a", missing: ["a"])], upTo: 4)
    #expect(follower.handle(old, at: late + Self.limits.retryEvery).isEmpty)
    #expect(follower.keys.isEmpty)
  }

  @Test(
    "A database that was restored is followed, also to a change at a position that was seen before"
  )
  func restored() {
    var follower = settled(row(5, "a"))
    var effects = follower.handle(.missed, at: .seconds(2))
    #expect(effects == [.list(number: 3, knowing: [105])])
    // The server was cut off while others changed the restored database.
    var other = row(5, "b", missing: ["b"])
    other.change = 205
    effects = follower.handle(listed(3, [other], upTo: 5), at: .seconds(2))
    #expect(effects == [.fetch(number: 4, key: "default", generation: "b")])
    #expect(follower.state(of: "default") == .waiting(isLocked: false))
    // An earlier state has earlier positions.
    effects = follower.handle(.missed, at: .seconds(3))
    #expect(effects == [.list(number: 5, knowing: [205])])
    effects = follower.handle(listed(5, [row(2, "c", missing: ["c"])], upTo: 3), at: .seconds(3))
    #expect(effects == [.stop(number: 4), .fetch(number: 6, key: "default", generation: "c")])
    #expect(follower.known == 3)
  }

  @Test("What another database does not have serves on, and is not called current")
  func otherDatabase() {
    var (follower, _) = follower([row(5, "a", missing: ["a"])], upTo: 5)
    _ = follower.handle(.missed, at: .seconds(2))
    let effects = follower.handle(.listed(number: 3, [], keys: [], upTo: 0), at: .seconds(2))
    #expect(effects == [.stop(number: 2)])
    #expect(follower.state(of: "default") == nil && follower.keys.isEmpty)
  }
}
