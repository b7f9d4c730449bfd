import Foundation
import Testing

@testable import Commands

@Suite struct `The time that work still takes` {
  /// Work at a pace that depends on the time; returns what was said at each second, with the truth.
  private func run(
    total: Double,
    every seconds: Double = 0.25,
    pace: (Double) -> Double
  ) -> [(at: Double, said: Double?, left: Double)] {
    var done: [Double] = [0]
    while let last = done.last, last < total, done.count < 1_000_000 {
      done.append(min(total, last + pace(Double(done.count) * seconds) * seconds))
    }
    let end = Double(done.count - 1) * seconds
    var estimate = ProgressEstimate()
    return done.enumerated().map { index, done in
      let now = Double(index) * seconds
      return (now, estimate.update(done: done, total: total, at: now), end - now)
    }
  }

  @Test func `nothing is said before there is something to estimate from`() {
    for step in run(total: 1_000, pace: { _ in 10 }) where step.at < 2 {
      #expect(step.said == nil)
    }
    // One of a hundred parts, and two steps.
    var slow = ProgressEstimate()
    #expect(slow.update(done: 0, total: 1_000, at: 0) == nil)
    #expect(slow.update(done: 9, total: 1_000, at: 30) == nil)
    #expect(slow.update(done: 20, total: 1_000, at: 60) != nil)
    var unknown = ProgressEstimate()
    for second in 0..<60 {
      #expect(unknown.update(done: Double(second), total: 0, at: Double(second)) == nil)
    }
    #expect(unknown.update(done: 100, total: 100, at: 60) == nil)
  }

  @Test(arguments: [0.5, 10, 5_000])
  func `at a steady pace it is right from the first word`(pace: Double) {
    for step in run(total: 60 * pace, pace: { _ in pace })
    where step.at >= 2 && step.left > 0 {
      #expect(abs((step.said ?? .infinity) - step.left) <= 0.05 * step.left + 0.01)
    }
  }

  @Test func `a resumed work counts its own pace only`() {
    var estimate = ProgressEstimate()
    var said: Double?
    for second in 0...10 {
      said = estimate.update(done: 900 + Double(second), total: 1_000, at: Double(second))
    }
    #expect(abs((said ?? 0) - 90) < 1)
  }

  @Test(arguments: [0.2, 5])
  func `it follows a new pace within forty seconds`(factor: Double) {
    let steps = run(total: 50 * 30 + 50 * factor * 100) { $0 < 30 ? 50 : 50 * factor }
    #expect((steps.last?.at ?? 0) > 120)
    for step in steps where step.at > 70 && step.left > 5 {
      #expect(abs((step.said ?? .infinity) - step.left) <= 0.25 * step.left)
    }
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8])
  func `it never jumps, however uneven the pace is`(seed: UInt64) {
    var state = seed
    func random() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 33) / Double(1 << 31)
    }
    let steps = run(total: 20_000) { _ in 100 * exp((random() - 0.5) * 4) }
    #expect(steps.contains { $0.said != nil })
    for (before, after) in zip(steps, steps.dropFirst()) {
      guard let before = before.said, let after = after.said else { continue }
      #expect(after <= before + 0.1 * before + 0.5)
      #expect(after >= before - 0.25 - 0.1 * before)
    }
    // And it is worth something: within a third of the truth from a quarter of the work on.
    let end = steps[steps.count - 1].at
    for step in steps where step.at > end / 4 && step.left > 10 {
      #expect(abs((step.said ?? .infinity) - step.left) < 0.5 * step.left)
    }
  }

  @Test func `nothing is said of work that stands still, and again when it goes on`() {
    var estimate = ProgressEstimate()
    var said: Double?
    for second in 0...20 {
      said = estimate.update(done: Double(second), total: 100, at: Double(second))
    }
    #expect(said != nil)
    for second in 21..<30 {
      let longer = estimate.update(done: 20, total: 100, at: Double(second))
      #expect(longer != nil)
    }
    for second in 30...60 {
      #expect(estimate.update(done: 20, total: 100, at: Double(second)) == nil)
    }
    #expect(estimate.update(done: 21, total: 100, at: 61) != nil)
  }

  @Test func `work that begins again is estimated again`() {
    var estimate = ProgressEstimate()
    for second in 0...20 {
      _ = estimate.update(done: Double(second), total: 100, at: Double(second))
    }
    #expect(estimate.update(done: 0, total: 100, at: 21) == nil)
    #expect(estimate.update(done: 1, total: 100, at: 22) == nil)
  }

  @Test(
    arguments: [
      (0.2, "about 1 s left"), (9.1, "about 10 s left"), (11, "about 15 s left"),
      (59, "about 60 s left"), (61, "about 1 min left"), (150, "about 3 min left"),
      (3_570, "about 60 min left"), (5_000, "about 1 h 20 min left"),
    ]
  )
  func `it is said no more exactly than it is known`(seconds: Double, text: String) {
    #expect(ProgressStep.text(left: seconds) == text)
  }
}

@Suite struct `Progress that is written` {
  @Test func `a line of a terminal is drawn again, ten times a second at most, and removed`() {
    var writer = ProgressWriter(.redrawn)
    var written = ""
    for index in 0...300 {
      written += writer.show(
        "copying",
        done: index * 1_000,
        total: 400_000,
        at: Double(index) / 100,
        columns: 80
      )
    }
    let lines = written.split(separator: "\r")
    #expect((28...32).contains(lines.count))
    for line in lines {
      #expect(line.hasSuffix("\u{1B}[K"))
      #expect(Terminal.width(of: String(line.dropLast(3))) < 80)
    }
    #expect(lines.last?.contains(/7[345] %/) == true)
    #expect(lines.last?.contains(/about [12] s left/) == true)
    #expect(lines.first?.contains("left") == false)
    #expect(writer.clear() == "\r\u{1B}[K")
    #expect(writer.clear() == "")
    #expect(writer.tick(at: 4, columns: 80) == "")
  }

  @Test func `without a total the time is shown, and goes on by itself`() {
    var writer = ProgressWriter(.redrawn)
    #expect(writer.show("writing", done: 0, total: 0, at: 0, columns: 80) == "\rwriting\u{1B}[K")
    #expect(writer.tick(at: 2, columns: 80).contains("2 s"))
    #expect(writer.tick(at: 75, columns: 80).contains("1 min 15 s"))
  }

  @Test func `untrusted text does not control the terminal, and the line fits`() {
    var writer = ProgressWriter(.redrawn)
    let text = writer.show(
      "a\u{1B}[2Jb",
      done: 1,
      total: 10,
      unit: .items("rows"),
      remark: String(repeating: "x\u{7}\n", count: 200),
      at: 0,
      columns: 60
    )
    let line = text.dropFirst().dropLast(3)
    #expect(!line.unicodeScalars.contains { $0.value < 32 })
    #expect(Terminal.width(of: String(line)) < 60)
    #expect(text.contains("1 of 10 rows"))
  }

  @Test(arguments: [40, 80, 100, 200])
  func `the time left has room beside the bar`(columns: Int) {
    var writer = ProgressWriter(.redrawn)
    var text = ""
    for second in 0..<20 {
      text = writer.show(
        "reading stop_times.txt",
        done: second * 10_000_000,
        total: 999_900_000,
        at: Double(second),
        columns: columns
      )
    }
    let line = text.dropFirst().dropLast(3)
    #expect(Terminal.width(of: String(line)) < columns)
    #expect(line.contains("19 %") && line.contains("█") && line.contains("░"))
    #expect(line.contains("190.0 MB of 999.9 MB  about 1 min left") == (columns >= 80))
  }

  @Test func `a log has lines of steps that take long, and no others`() {
    var writer = ProgressWriter(.lines)
    var lines: [(Double, String)] = []
    for second in 0..<100 {
      let name = second < 5 ? "checking" : "importing"
      let now = Double(second)
      let text = writer.show(
        name,
        done: second,
        total: 100,
        unit: .items("rows"),
        at: now,
        columns: 80
      )
      if !text.isEmpty { lines.append((now, text)) }
      #expect(writer.tick(at: now, columns: 80).isEmpty)
    }
    #expect(lines.map(\.0) == [15, 45, 75])
    #expect(lines[0].1 == "importing: 15 %, 15 of 100 rows, about 1 min left\n")
    #expect(writer.clear() == "")
  }

  @Test func `what is hidden writes nothing`() {
    var writer = ProgressWriter(.hidden)
    for second in 0..<100 {
      let now = Double(second)
      #expect(writer.show("a", done: second, total: 100, at: now, columns: 80).isEmpty)
      #expect(writer.tick(at: now, columns: 80).isEmpty)
    }
    #expect(writer.clear().isEmpty)
  }
}
