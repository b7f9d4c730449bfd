import Serving

extension BoardRenderer {
  /// Tells when a board may have changed: after each publication, and when time alone changes it.
  ///
  /// Several changes may be combined. The sequence ends at the deadline, when the limiter closes, or when its task is
  /// canceled.
  ///
  /// - Parameters:
  ///   - request: The board.
  ///   - phases: The optional phases that are part of it.
  ///   - deadline: When the sequence ends; `nil` for never.
  ///   - room: The limiter that counts the waiting client.
  /// - Returns: An element whenever the board should be rendered again.
  func changes(
    _ request: BoardRequest,
    _ phases: BoardPhases,
    until deadline: ContinuousClock.Instant?,
    in room: LongPollLimiter
  ) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    let ticks = realtime?.ticks()
    let task = Task {
      await withTaskGroup { group in
        group.addTask { for await _ in room.closing() {} }
        if let ticks { group.addTask { for await _ in ticks { continuation.yield() } } }
        group.addTask {
          while !Task.isCancelled {
            let now = self.clock.now
            let edition = self.edition(
              request,
              phases: phases,
              at: now,
              snapshot: self.snapshot(of: request.stop.feed),
              isForComparison: true
            )
            // Not before the second in which the change is due, and never in a tight loop.
            let wait = max(edition.validUntil - now, 0) / self.clock.pace + 0.05
            try? await Task.sleep(for: .seconds(min(wait, 60)))
            continuation.yield()
          }
        }
        if let deadline {
          group.addTask { try? await Task.sleep(until: deadline, clock: .continuous) }
        }
        // Whichever ends first ends them all: the room, the deadline, or the task itself.
        await group.next()
        group.cancelAll()
        await group.waitForAll()
      }
      continuation.finish()
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }
}
