import FeedRecording
import Testing

@Suite struct ReplayScriptTests {
  private func answer(
    _ arrival: Int64,
    status: Int = 200,
    took duration: Int64 = 100,
    failure: String = ""
  ) -> FeedRecording.Answer {
    var answer = FeedRecording.Answer(
      source: RecordingStand.source,
      arrival: arrival,
      duration: duration,
      status: status,
      failure: failure
    )
    if status == 200 { answer.body = FeedRecording.BodyPlace(offset: arrival, count: 1) }
    return answer
  }

  /// The instants of the steps that are told until an instant.
  private func told(_ script: inout FeedRecording.ReplayScript, at instant: Int64) -> [Int64] {
    var told: [Int64] = []
    while case .notify(let step) = script.turn(at: instant) { told.append(step.instant) }
    return told
  }

  @Test func `Every answer is told once, at its instant and not before`() {
    let answers = [answer(1_000), answer(2_000, status: 503), answer(3_000, status: 304)]
    var script = FeedRecording.ReplayScript(answers, from: 0, patience: 8_000)
    #expect(script.turn(at: 999) == .wait(until: 1_000))
    #expect(told(&script, at: 1_000) == [1_000])
    #expect(script.turn(at: 1_500) == .wait(until: 2_000))
    #expect(told(&script, at: 10_000) == [2_000, 3_000])
    #expect(script.turn(at: 10_000) == .over)
  }

  @Test func `A listener that is late is told everything it missed, in order`() {
    let answers = (1...50 as ClosedRange<Int64>).map { answer($0 * 1_000) }
    var script = FeedRecording.ReplayScript(answers, from: 1_000, patience: 8_000)
    #expect(told(&script, at: 50_000) == answers.map(\.arrival))
  }

  @Test
  func `A replay that starts in the middle begins with what was in force, and the doubts about it`()
  {
    let memory = FeedRecording.Limits.memory
    let answers = (0...400 as ClosedRange<Int64>).map { number in
      answer(number * 1_000, status: number % 3 == 0 ? 200 : 503)
    }
    let start: Int64 = 300_500
    var script = FeedRecording.ReplayScript(answers, from: start, patience: 8_000)
    let early = told(&script, at: start)
    // The last content at or before the memory's beginning.
    #expect(early.first == 180_000)
    #expect(early.first.map { $0 <= start - memory } == true)
    #expect(early.last == 300_000)
    #expect(early.count == 121)
  }

  @Test func `A replay that starts before the recording begins with its first answer`() {
    let answers = [answer(5_000, status: 500), answer(6_000)]
    var script = FeedRecording.ReplayScript(answers, from: 0, patience: 8_000)
    #expect(script.turn(at: 4_999) == .wait(until: 5_000))
    #expect(told(&script, at: 6_000) == [5_000, 6_000])
  }

  @Test
  func `An answer that took longer than the listener waits is a time-out when its patience ends`() {
    let slow = answer(30_000, took: 20_000)
    var script = FeedRecording.ReplayScript([slow, answer(31_000)], from: 0, patience: 8_000)
    #expect(script.turn(at: 17_999) == .wait(until: 18_000))
    guard case .notify(let step) = script.turn(at: 18_000) else {
      Issue.record("nothing was told at the end of the patience")
      return
    }
    #expect(step.isTimeout)
    #expect(script.turn(at: 18_000) == .wait(until: 31_000))
    var patient = FeedRecording.ReplayScript([slow], from: 0, patience: 20_000)
    #expect(patient.turn(at: 29_999) == .wait(until: 30_000))
    guard case .notify(let whole) = patient.turn(at: 30_000) else { return }
    #expect(!whole.isTimeout)
  }

  @Test func `A recorded time-out is one, and a recording without answers is over`() {
    let lost = answer(9_000, status: 0, took: 0, failure: FeedRecording.noAnswerInTime)
    var script = FeedRecording.ReplayScript([lost], from: 0, patience: 8_000)
    guard case .notify(let step) = script.turn(at: 9_000) else { return }
    #expect(step.isTimeout)
    var empty = FeedRecording.ReplayScript([], from: 0, patience: 8_000)
    #expect(empty.turn(at: 0) == .over)
  }
}
