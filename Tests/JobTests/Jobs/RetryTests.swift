import Jobs
import Testing

@Suite struct `Another attempt` {
  private static func limits(_ least: Int = 5, _ most: Int = 600, attempts: Int = 5) -> JobLimits {
    var limits = JobLimits()
    (limits.leastRetrySeconds, limits.mostRetrySeconds) = (least, most)
    limits.attemptsOfJob = attempts
    return limits
  }

  private static func pause(_ failures: Int, _ sample: Double, _ limits: JobLimits) -> Int64? {
    let retry = JobRetry(
      failures: failures,
      isRetryable: true,
      now: 1_000,
      sample: sample,
      limits
    )
    if case .again(let at) = retry { return at - 1_000 }
    return nil
  }

  @Test func `the pause doubles up to the longest, and chance takes up to half of it away`() {
    let limits = Self.limits(5, 30, attempts: 100)
    #expect((1...5).map { Self.pause($0, 0, limits) } == [5_000, 10_000, 20_000, 30_000, 30_000])
    #expect((1...5).map { Self.pause($0, 1, limits) } == [2_500, 5_000, 10_000, 15_000, 15_000])
    #expect(Self.pause(99, 0.5, limits) == 22_500)
  }

  @Test func `what cannot pass, and the last attempt, end the job`() {
    let limits = Self.limits(attempts: 3)
    #expect(Self.pause(2, 0, limits) != nil)
    #expect(Self.pause(3, 0, limits) == nil)
    #expect(Self.pause(.max, 0, limits) == nil)
    #expect(
      JobRetry(failures: 1, isRetryable: false, now: 0, sample: 0, limits) == .end
    )
    #expect(Self.pause(1, 0, Self.limits(attempts: 1)) == nil)
  }

  @Test func `a sample out of bounds and limits in the wrong order do no harm`() {
    let limits = Self.limits(60, 5, attempts: .max)
    for sample in [-1, 2, .nan, .infinity] {
      let pause = Self.pause(1, sample, limits) ?? 0
      #expect((30_000...60_000).contains(pause))
    }
    #expect(Self.pause(.max - 1, 0, limits) == 60_000)
  }

  @Test func `a rank is an instant, so no priority waits forever`() {
    var limits = JobLimits()
    limits.priorityStepSeconds = 300
    let (high, low) = (JobSchedule(priority: .high), JobSchedule(priority: .low))
    #expect(high.rank(due: 0, limits) < JobSchedule().rank(due: 0, limits))
    #expect(JobSchedule().rank(due: 0, limits) < low.rank(due: 0, limits))
    #expect(low.rank(due: 0, limits) < high.rank(due: 600_001, limits))
    #expect(low.rank(due: 0, limits) > high.rank(due: 599_999, limits))
  }
}
