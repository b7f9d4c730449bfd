import Synchronization

/// How many requests with input are read at once, and how much of them is in memory.
///
/// Those that find no room wait their turn for a while: most are read in milliseconds.
final class UploadPermits: Sendable {
  private struct Waiting {
    var number: Int
    var resume: CheckedContinuation<UploadPermit?, Never>
  }

  private struct State {
    var requests = 0
    var bytes = 0
    /// Those who wait, the first in front.
    var waiting: [Waiting] = []
    /// How many have waited.
    var number = 0
  }

  private let most: Int
  private let mostBytes: Int
  private let mostWaiting: Int
  private let state = Mutex(State())

  init(most: Int, mostBytes: Int, mostWaiting: Int) {
    self.most = most
    self.mostBytes = mostBytes
    self.mostWaiting = mostWaiting
  }

  /// Takes a permit for a request, in order of arrival.
  ///
  /// - Parameter patience: How long to wait for one.
  /// - Returns: The permit; `nil` if none is free in time, if too many wait, or if the task is canceled.
  func take(within patience: Duration) async -> UploadPermit? {
    let number = state.withLock { state in
      state.number += 1
      return state.number
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { resume in
        let isWaiting: Bool
        let permit: UploadPermit?
        (isWaiting, permit) = state.withLock { state in
          if state.requests < most {
            state.requests += 1
            return (false, UploadPermit(self))
          }
          guard state.waiting.count < mostWaiting, !Task.isCancelled else { return (false, nil) }
          state.waiting.append(Waiting(number: number, resume: resume))
          return (true, nil)
        }
        guard isWaiting else { return resume.resume(returning: permit) }
        Task {
          try? await Task.sleep(for: patience)
          leave(number)
        }
      }
    } onCancel: {
      leave(number)
    }
  }

  /// How many wait for a permit.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Ends somebody's wait.
  private func leave(_ number: Int) {
    let left = state.withLock { state in
      state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
    }
    left?.resume.resume(returning: nil)
  }

  fileprivate func reserve(_ bytes: Int) -> Bool {
    state.withLock { state in
      guard state.bytes + bytes <= mostBytes else { return false }
      state.bytes += bytes
      return true
    }
  }

  fileprivate func giveBack(_ bytes: Int) {
    let next: (Waiting, UploadPermit)? = state.withLock { state in
      state.bytes -= bytes
      guard !state.waiting.isEmpty else {
        state.requests -= 1
        return nil
      }
      // The place goes on to the first who waits.
      return (state.waiting.removeFirst(), UploadPermit(self))
    }
    if let (waiting, permit) = next { waiting.resume.resume(returning: permit) }
  }
}

/// The permit of one request; released when the last reference to it goes away.
final class UploadPermit: Sendable {
  private let permits: UploadPermits
  private let bytes = Atomic(0)

  fileprivate init(_ permits: UploadPermits) { self.permits = permits }

  deinit { permits.giveBack(bytes.load(ordering: .relaxed)) }

  /// Takes room for bytes that came; `false` if all requests together have too much of it.
  func reserve(_ count: Int) -> Bool {
    guard permits.reserve(count) else { return false }
    bytes.add(count, ordering: .relaxed)
    return true
  }
}
