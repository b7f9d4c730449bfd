import Freshness
import Jobs
import JobsClient
import Testing

@Suite struct `The waits of a follower` {
  private let follower = JobFollower.Policy()
  private let engine = Policy.jobs

  @Test func `are those of the engine's policy of jobs`() {
    #expect(follower.backoff == engine.ladder.map(\.milliseconds))
    // The machine draws anything up to the step.
    #expect(engine.ladderJitter == .full)
    #expect(follower.pollInterval == engine.active.milliseconds)
    #expect(JobClient.timeout == .milliseconds(engine.timeout.milliseconds))
  }

  @Test func `give up a stream when the engine would`() {
    let push = Policy.Push(heartbeat: .seconds(Int64(JobLimits().heartbeatSeconds)))
    #expect(follower.silence == push.watchdog.milliseconds)
  }
}
