import Synchronization

/// How many requests with input are read at once.
final class UploadPermits: Sendable {
  private let most: Int
  private let taken = Mutex(0)

  init(most: Int) { self.most = most }

  /// Takes a permit; `false` if there is none.
  func take() -> Bool {
    taken.withLock { taken in
      guard taken < most else { return false }
      taken += 1
      return true
    }
  }

  /// Gives a permit back.
  func giveBack() { taken.withLock { $0 -= 1 } }
}
