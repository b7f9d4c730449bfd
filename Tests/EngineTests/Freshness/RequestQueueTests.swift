import Hashing
import Testing

@testable import Freshness

/// R39: the requests that wait at an origin.
@Suite("Request queue")
struct RequestQueueTests {
  @Test
  func `Users come first, prefetches last, and lower numbers before higher ones`() {
    var queue = RequestQueue()
    for (number, priority) in [(5, Request.Priority.normal), (2, .low), (3, .normal), (9, .high)] {
      queue.add(Int64(number), priority: priority, isLongPoll: number == 5)
    }
    queue.add(5, priority: .high, isLongPoll: false)
    queue.add(9, priority: .low, isLongPoll: true)
    var order: [RequestQueue.Entry] = []
    while let next = queue.first {
      order.append(next)
      queue.removeFirst()
    }
    #expect(order.map(\.number) == [5, 9, 3, 2])
    // A request that is added again gets the higher priority, and nothing else.
    #expect(order.map(\.isLongPoll) == [true, false, false, false])
    #expect(order.map(\.priority) == [.high, .high, .normal, .low])
  }

  @Test(arguments: 0..<UInt64(20))
  func `It agrees with a list that is sorted again each time`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var queue = RequestQueue()
    var list: [RequestQueue.Entry] = []
    func sort() {
      list.sort { ($1.priority.rawValue, $0.number) < ($0.priority.rawValue, $1.number) }
    }
    for step in 0..<2_000 {
      let number = Int64(random.below(60))
      switch random.below(10) {
      case 0..<5:
        let priority = Request.Priority(rawValue: UInt8(random.below(3))) ?? .low
        queue.add(number, priority: priority, isLongPoll: step.isMultiple(of: 3))
        if let known = list.firstIndex(where: { $0.number == number }) {
          if list[known].priority.rawValue < priority.rawValue { list[known].priority = priority }
        } else {
          let isLongPoll = step.isMultiple(of: 3)
          list.append(
            RequestQueue.Entry(number: number, priority: priority, isLongPoll: isLongPoll)
          )
        }
        sort()
      case 5:
        queue.remove(number)
        list.removeAll { $0.number == number }
      case 6 where step.isMultiple(of: 40):
        let isTaken = { (entry: RequestQueue.Entry) in entry.priority != .high }
        let most = random.below(2) == 0 ? .max : 5
        let taken = list.filter(isTaken).prefix(most).map(\.number)
        #expect(queue.remove(atMost: most, where: isTaken) == taken)
        list.removeAll { taken.contains($0.number) }
        #expect(
          taken.allSatisfy { !queue.contains($0) } && list.allSatisfy { queue.contains($0.number) }
        )
      default:
        if !list.isEmpty {
          list.removeFirst()
          queue.removeFirst()
        }
      }
      #expect(queue.first == list.first && queue.count == list.count)
    }
    // How the queue came about makes no difference.
    var same = RequestQueue()
    for entry in list {
      same.add(entry.number, priority: entry.priority, isLongPoll: entry.isLongPoll)
    }
    #expect(same == queue && same.hashValue == queue.hashValue)
  }
}
