import Foundation
import Synchronization

/// A small number for each thread, which several threads may have.
///
/// What each request changes, such as a counter, would move between the processors with each request. With one of it for each
/// number, threads seldom share memory. Each still needs a lock.
package enum ThreadNumber {
  /// The number of numbers, from 0 on.
  package static let count = 8

  /// Memory behind the value of one number, so that the next one is in other cache lines.
  package typealias Distance = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

  /// The distance.
  package static let distance: Distance = (0, 0, 0, 0, 0, 0, 0, 0)

  /// The number of the current thread: the first threads that ask get different ones.
  package static var current: Int {
    guard let key else { return 0 }
    if let known = pthread_getspecific(key) { return Int(bitPattern: known) - 1 }
    let number = next.add(1, ordering: .relaxed).oldValue % count
    pthread_setspecific(key, UnsafeRawPointer(bitPattern: number + 1))
    return number
  }

  /// Where each thread has its number, plus 1; `nil` if the process has no such place left.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, nil) == 0 ? key : nil
  }()

  private static let next = Atomic<Int>(0)
}
