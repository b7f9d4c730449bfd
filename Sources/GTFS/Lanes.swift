import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#endif

/// Work on threads of its own, for what keeps a processor busy for longer than a request may wait.
///
/// The threads that run tasks are few, about one a processor, and Dispatch's own concurrent work takes the
/// same ones: whoever keeps them busy keeps every request from being answered. The threads here come after
/// all others where the system can be told so: while nobody asks, they have the processors for themselves.
/// They are two, and stay, because each keeps the memory it freed for what it does next.
package enum Lanes {
  private static let first = Lane("freshet.lane.1")
  private static let second = Lane("freshet.lane.2")

  /// Does pieces of work, one on the caller's thread and the others beside it, and waits for all.
  ///
  /// The work must not do the same again.
  ///
  /// - Parameters:
  ///   - count: How many pieces there are, at least one.
  ///   - work: Is called with the number of each piece, from 0.
  package static func perform(_ count: Int, _ work: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    for piece in 1..<max(count, 1) {
      group.enter()
      second.add {
        work(piece)
        group.leave()
      }
    }
    work(0)
    group.wait()
  }

  /// Does work while the caller's task sleeps; one piece after the other.
  package static func apart(_ work: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      first.add {
        work()
        continuation.resume()
      }
    }
  }
}

/// A thread that does one thing after the other, for ever.
private final class Lane: Sendable {
  /// How much less than others the thread has of a busy processor (`nice`, POSIX).
  private static let niceness: Int32 = 10

  private let waiting = Mutex<[@Sendable () -> Void]>([])
  private let count = DispatchSemaphore(value: 0)

  init(_ name: String) {
    let thread = Thread { [self] in
      #if canImport(Glibc)
      // On Linux this is about the thread that calls.
      _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.niceness)
      #endif
      while true {
        count.wait()
        let next = waiting.withLock { $0.removeFirst() }
        next()
      }
    }
    thread.name = name
    #if canImport(Darwin)
    thread.qualityOfService = .utility
    #endif
    thread.start()
  }

  func add(_ work: @escaping @Sendable () -> Void) {
    waiting.withLock { $0.append(work) }
    count.signal()
  }
}
