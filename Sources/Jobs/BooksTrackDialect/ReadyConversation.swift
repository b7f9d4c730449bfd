package import Jobs
import TolerantDecoding

/// What a socket of the app says and when, as a value: the app says `ready` when it listens, and receives nothing before.
///
/// 1. Nothing is said before `ready`, or before ``readyWait`` is over for an app that never says it.
/// 2. What happens before that waits: the start, the newest progress in place of what it is newer than, and the end.
///    So there are at most three events, however long a job runs. An app that asks for the state of the job gets that, and
///    nothing of what was before that.
/// 3. The end is said once and last, and the socket stays for ``linger`` after it.
package struct ReadyConversation: Sendable {
  /// What is to be done, in order.
  package enum Step: Hashable, Sendable {
    /// Say that the server knows that the app listens.
    case acknowledge
    /// Send the state of the job, for an app that was here before.
    case snapshot(JobProgress)
    /// Say an event.
    case say(JobEvent)
    /// Say that the job lives.
    case live(JobProgress)
    /// Close the socket.
    case close(Reason)
  }

  /// Why the socket closes.
  package enum Reason: Hashable, Sendable {
    /// The end was said.
    case over(JobEnding)
    /// The server ends.
    case serverEnds
    /// The results are gone.
    case expired
  }

  /// How long an app may take to say `ready`, in seconds.
  package static let readyWait = 10.0
  /// How long the socket stays after the end of the job was said, in seconds.
  package static let linger = 1.0

  /// The state of a job.
  package struct Snapshot: Hashable, Sendable {
    /// The last event that it covers.
    package var position: EventPosition
    /// How far the job is.
    package var progress: JobProgress

    /// Creates a snapshot.
    package init(position: EventPosition, progress: JobProgress) {
      self.position = position
      self.progress = progress
    }
  }

  private enum Phase: Hashable {
    /// The app has not said that it listens; until when that is waited for.
    case waiting(until: ContinuousClock.Instant)
    case open
    /// The end was said.
    case over(JobEnding, until: ContinuousClock.Instant)
    case closed
  }

  private var phase: Phase
  private var isReadyNew = false
  private var snapshot: Snapshot?
  private var hasSentSnapshot = false
  private var start: JobEvent?
  private var progress: JobEvent?
  private var end: JobEvent?
  private var pulse: JobProgress?
  private var closing: Reason?

  /// Begins when the socket opens.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - snapshot: The state of the job, if the app asks for it; else `nil`.
  package init(at now: ContinuousClock.Instant, snapshot: Snapshot? = nil) {
    phase = .waiting(until: now + .seconds(Self.readyWait))
    self.snapshot = snapshot
  }

  /// An event happened.
  package mutating func happened(_ event: JobEvent) {
    guard end == nil, phase != .closed else { return }
    switch event.body {
    case .started: if snapshot == nil { start = event }
    case .progress(let newest):
      guard let known = snapshot else {
        progress = event
        return
      }
      guard event.position > known.position else { return }
      snapshot = Snapshot(position: event.position, progress: newest)
      // Before the state of the job is sent, it is part of that.
      if hasSentSnapshot { progress = event }
    case .ended: end = event
    }
  }

  /// Nothing happened for a while, and the job lives.
  package mutating func lives(_ progress: JobProgress) { pulse = progress }

  /// The app says `ready`.
  package mutating func ready() { isReadyNew = true }

  /// No more will happen here, though the job is not over.
  package mutating func ends(_ reason: Reason) { closing = closing ?? reason }

  /// What is to be done now.
  ///
  /// - Parameter now: The time.
  /// - Returns: The steps, in order; each is given once.
  package mutating func steps(at now: ContinuousClock.Instant) -> [Step] {
    var steps: [Step] = []
    if isReadyNew, phase != .closed {
      isReadyNew = false
      steps.append(.acknowledge)
      if case .waiting = phase { phase = .open }
    }
    if case .waiting(let until) = phase, now >= until { phase = .open }
    if case .open = phase {
      if let snapshot, !hasSentSnapshot {
        hasSentSnapshot = true
        steps.append(.snapshot(snapshot.progress))
      }
      steps += [start, progress].compactMap(\.self).map { .say($0) }
      if steps.isEmpty, end == nil, let pulse { steps.append(.live(pulse)) }
      (start, progress, pulse) = (nil, nil, nil)
      if let end, case .ended(let completion) = end.body {
        steps.append(.say(end))
        phase = .over(completion.ending.known ?? .succeeded, until: now + .seconds(Self.linger))
      }
    }
    switch phase {
    case .over(let ending, let until) where now >= until:
      phase = .closed
      steps.append(.close(.over(ending)))
    case .waiting, .open:
      // The server does not wait for apps; results that are gone do not come back.
      if let closing {
        phase = .closed
        steps.append(.close(closing))
      }
    case .over, .closed: break
    }
    return steps
  }

  /// Records that the steps were carried out, which may have taken a while: after the end the socket stays open for
  /// ``linger`` from now on.
  package mutating func performed(at now: ContinuousClock.Instant) {
    guard case .over(let ending, _) = phase else { return }
    phase = .over(ending, until: now + .seconds(Self.linger))
  }

  /// When to call again if nothing else happens; `nil` if never.
  package var wakesAt: ContinuousClock.Instant? {
    switch phase {
    case .waiting(let until), .over(_, let until): until
    case .open, .closed: nil
    }
  }
}
