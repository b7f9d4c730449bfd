import EventFeed
import Testing

@Suite struct ReconnectDelayTests {
  @Test func `waits double from the stream's own time up to the limit`() {
    var delay = ReconnectDelay()
    delay.retry(1_000)
    let waits = (0..<7).map { _ in delay.lost(draw: 0) }
    #expect(waits == [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  }

  @Test func `a stream that names no time gets three seconds`() {
    var delay = ReconnectDelay()
    #expect(delay.lost(draw: 0) == 3_000)
  }

  @Test func `a connection that delivers starts over`() {
    var delay = ReconnectDelay()
    _ = delay.lost(draw: 0)
    _ = delay.lost(draw: 0)
    #expect(delay.failures == 2)
    delay.delivered()
    #expect(delay.lost(draw: 0) == 3_000)
  }

  @Test(arguments: [(0, 3_000), (0.5, 3_750), (0.999_999, 4_499), (-1, 3_000), (2, 4_500)])
  func `chance adds up to half`(draw: Double, wait: Int64) {
    var delay = ReconnectDelay()
    #expect(delay.lost(draw: draw) == wait)
  }

  @Test func `a stream that asks for nothing is not hammered`() {
    var delay = ReconnectDelay()
    delay.retry(0)
    #expect((0..<4).map { _ in delay.lost(draw: 0) } == [250, 500, 1_000, 2_000])
  }

  @Test func `a stream that asks for an age is bounded`() {
    var delay = ReconnectDelay()
    delay.retry(.max)
    for _ in 0..<100 { #expect(delay.lost(draw: 0.999) <= 45_000) }
  }

  @Test func `extreme constants overflow nothing`() {
    var policy = ReconnectDelay.Policy()
    policy.initial = .max
    policy.limit = .max
    policy.least = -1
    policy.spread = .infinity
    var delay = ReconnectDelay(policy: policy)
    for _ in 0..<100 { #expect(delay.lost(draw: 1) > 0) }
  }
}
