import Serving

extension BoardRenderer {
  /// Reports when a board may have changed: now, after each publication, and when time alone changes it.
  ///
  /// Several changes may be combined. The sequence ends when its task is canceled.
  ///
  /// - Parameters:
  ///   - request: The board.
  ///   - phases: The optional phases that are part of it.
  /// - Returns: An element whenever the board should be rendered again.
  func changes(_ request: BoardRequest, _ phases: BoardPhases) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    let ticks = realtime?.ticks()
    continuation.yield()
    let task = Task {
      await withTaskGroup { group in
        if let ticks { group.addTask { for await _ in ticks { continuation.yield() } } }
        group.addTask {
          while !Task.isCancelled {
            // The board is made in the turn of its client, as a response is.
            let turn = try? await AdmissionPermit.turn()
            if Task.isCancelled { turn?.end() }
            guard !Task.isCancelled else { break }
            let now = self.clock.now
            let renderedBoard = self.renderedBoard(
              request,
              phases: phases,
              at: now,
              snapshot: self.snapshot(of: request.stop.feed),
              isForComparison: true
            )
            turn?.end()
            // Not before the second in which the change is due, and never in a tight loop.
            let wait = max(renderedBoard.validUntil - now, 0) / self.clock.pace + 0.05
            try? await Task.sleep(for: .seconds(min(wait, 60)))
            continuation.yield()
          }
        }
      }
      continuation.finish()
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }
}
