import Synchronization

/// How many requests with input are read at once, and how much of them is in memory.
final class UploadPermits: Sendable {
  private struct Taken {
    var requests = 0
    var bytes = 0
  }

  private let most: Int
  private let mostBytes: Int
  private let taken = Mutex(Taken())

  init(most: Int, mostBytes: Int) {
    self.most = most
    self.mostBytes = mostBytes
  }

  /// Takes a permit for a request; `nil` if there is none.
  func take() -> UploadPermit? {
    taken.withLock { taken in
      guard taken.requests < most else { return nil }
      taken.requests += 1
      return UploadPermit(self)
    }
  }

  fileprivate func reserve(_ bytes: Int) -> Bool {
    taken.withLock { taken in
      guard taken.bytes + bytes <= mostBytes else { return false }
      taken.bytes += bytes
      return true
    }
  }

  fileprivate func giveBack(_ bytes: Int) {
    taken.withLock { taken in
      taken.requests -= 1
      taken.bytes -= bytes
    }
  }
}

/// The permit of one request; given back when nobody has it any more.
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
