import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#endif

/// Runs work on threads of its own, for work that occupies a processor for longer than a request may wait.
///
/// Swift's concurrency pool has about one thread per processor and shares them with Dispatch's concurrent work, so long
/// computations there delay every request. The threads here have a lower priority where the system supports
/// that, so that requests come first. They are never destroyed, because each reuses the memory that it has freed.
///
/// A low-priority thread must not resume tasks: a pool thread started for them would inherit its niceness. Use
/// ``wake(_:)`` instead.
package enum BackgroundExecutor {
  /// How much less than others most threads have of a busy processor (`nice`, POSIX), 0 to 19.
  ///
  /// With more, a thread that holds a lock of the allocator may not run for many milliseconds, while requests wait for it.
  private static let niceness: Int32 = 10
  private static let waker = BackgroundThread(niceness: 0)
  private static let first = BackgroundThread(niceness: niceness)
  private static let second = BackgroundThread(niceness: niceness)
  private static let last = BackgroundThread(niceness: niceness)

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

  /// Does pieces of work as ``perform(_:_:)`` does, and hands over what each made, in their order.
  package static func results<Result: Sendable>(
    _ count: Int,
    _ work: @escaping @Sendable (Int) -> Result
  ) -> [Result] {
    let made = Mutex<[Result?]>(Array(repeating: nil, count: count))
    perform(count) { piece in
      let result = work(piece)
      made.withLock { $0[piece] = result }
    }
    // Taken out to hold the only references: they can be changed without a copy.
    let all = made.withLock { made in
      defer { made = [] }
      return made
    }
    return all.compactMap(\.self)
  }

  /// Performs two operations as ``perform(_:_:)`` does, and returns their results.
  package static func both<First: Sendable, Second: Sendable>(
    _ here: () -> First,
    _ beside: @escaping @Sendable () -> Second
  ) -> (First, Second) {
    let made = Mutex<Second?>(nil)
    let group = DispatchGroup()
    group.enter()
    second.add {
      let result = beside()
      made.withLock { $0 = result }
      group.leave()
    }
    let first = here()
    group.wait()
    return (first, made.withLock { $0.take() } ?? beside())
  }

  /// Does work while the caller's task sleeps; one piece after the other.
  package static func apart(_ work: @escaping @Sendable () -> Void) async {
    await perform(work, on: first)
  }

  /// Does work like ``apart(_:)`` that may be late, on a thread of its own: it never delays what is done there.
  package static func late(_ work: @escaping @Sendable () -> Void) async {
    await perform(work, on: last)
  }

  private static func perform(
    _ work: @escaping @Sendable () -> Void,
    on thread: BackgroundThread
  ) async {
    // Made here, because a thread inherits the niceness of the one that makes it.
    let waker = waker
    await withCheckedContinuation { continuation in
      thread.add {
        work()
        waker.add { continuation.resume() }
      }
    }
  }

  /// Wakes tasks from work that may run in the background.
  package static func wake(_ work: @escaping @Sendable () -> Void) { waker.add(work) }
}

/// A thread that performs one operation after another and never ends; it may have a lower priority than others.
private final class BackgroundThread: Sendable {
  private let waiting = Mutex<[@Sendable () -> Void]>([])
  private let count = DispatchSemaphore(value: 0)

  /// - Parameter niceness: How much less than others the thread has of a busy processor (`nice`, POSIX), 0 to 19.
  init(niceness: Int32) {
    let thread = Thread { [self] in
      #if canImport(Glibc)
      if niceness > 0 {
        // On Linux this is about the thread that calls.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
      }
      #endif
      while true {
        count.wait()
        let next = waiting.withLock { $0.removeFirst() }
        next()
      }
    }
    #if canImport(Darwin)
    if niceness > 0 { thread.qualityOfService = .utility }
    #endif
    thread.start()
  }

  func add(_ work: @escaping @Sendable () -> Void) {
    waiting.withLock { $0.append(work) }
    count.signal()
  }
}
