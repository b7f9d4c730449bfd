import Dispatch
import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// Work on threads of its own, for what keeps a processor busy for longer than a request may wait.
///
/// The threads that run tasks are few, about one a processor, and Dispatch's own concurrent work takes the
/// same ones: whoever keeps them busy keeps every request from being answered. The threads here come after
/// all others where the system can be told so: while nobody asks, they have the processors for themselves.
package enum Lanes {
  /// How much less than others the threads have of a busy processor (`nice`, POSIX).
  private static let niceness: Int32 = 10

  /// Does pieces of work side by side, the first on the caller's thread, and waits for all.
  ///
  /// - Parameters:
  ///   - count: How many pieces there are, at least one.
  ///   - work: Is called with the number of each piece, from 0.
  package static func perform(_ count: Int, _ work: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    for lane in 1..<max(count, 1) {
      group.enter()
      start {
        work(lane)
        group.leave()
      }
    }
    work(0)
    group.wait()
  }

  /// Does work on a thread of its own while the caller's task sleeps.
  package static func apart(_ work: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      start {
        work()
        #if canImport(Glibc)
          // A thread's freed memory stays with it otherwise, and the next one takes more.
          _ = malloc_trim(0)
        #endif
        continuation.resume()
      }
    }
  }

  /// Starts a thread; it is never used again, so that its place behind the others ends with it.
  private static func start(_ work: @escaping @Sendable () -> Void) {
    let thread = Thread {
      #if canImport(Glibc)
        // On Linux this is about the thread that calls.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
      #endif
      work()
    }
    thread.name = "freshet.lane"
    #if canImport(Darwin)
      thread.qualityOfService = .utility
    #endif
    thread.start()
  }
}
