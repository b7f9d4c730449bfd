import Foundation
import Synchronization
import Testing

@testable import Serving

/// Numbers of threads.
@Suite struct ThreadNumberTests {
  @Test func `a thread keeps its number, and all are in range`() async {
    let numbers = Mutex<[Int]>([])
    let ended = DispatchSemaphore(value: 0)
    for _ in 0..<3 * ThreadNumber.count {
      Thread {
        let number = ThreadNumber.current
        let isSame = (0..<100).allSatisfy { _ in ThreadNumber.current == number }
        numbers.withLock { $0.append(isSame ? number : -1) }
        ended.signal()
      }.start()
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        for _ in 0..<3 * ThreadNumber.count { ended.wait() }
        continuation.resume()
      }
    }
    let found = numbers.withLock { $0 }
    #expect(found.allSatisfy { (0..<ThreadNumber.count).contains($0) })
    // Other tests ask beside this one, so the numbers need not be evenly spread.
    #expect(Set(found).count > 1)
  }
}
