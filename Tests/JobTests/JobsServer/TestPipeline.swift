import Foundation
import Jobs
import JobsServer
import Logging
import Serving
import StrictJSON
import Synchronization

/// A pipeline that counts: its input says how many items there are, and which fail.
final class CountingPipeline: JobPipeline {
  let name = PipelineName.csvImport
  let phases = [JobPhase("counting", weight: 1)]
  /// How many items are one step.
  let batch: Int
  /// Waits before each step while it gives true.
  private let held = Mutex(false)
  /// How often it said that it lives while it was held; `nil` if it says nothing.
  private let beating = Mutex<Int?>(nil)
  /// How many runs the store interrupts.
  private let broken = Mutex(0)
  /// How often each item was done, over all attempts.
  private let done = Mutex<[Int: Int]>([:])

  init(batch: Int = 10) { self.batch = batch }

  var isHeld: Bool {
    get { held.withLock { $0 } }
    set { held.withLock { $0 = newValue } }
  }

  var beats: Int? {
    get { beating.withLock { $0 } }
    set { beating.withLock { $0 = newValue } }
  }

  var interruptions: Int {
    get { broken.withLock { $0 } }
    set { broken.withLock { $0 = newValue } }
  }

  var repeated: Int { done.withLock { $0.values.count { $0 > 1 } } }

  func run(_ work: JobWork, steps: any JobSteps) async throws {
    if interruptions > 0 {
      interruptions -= 1
      throw CancellationError()
    }
    let text = String(
      decoding: FileManager.default.contents(atPath: work.inputs[0].path) ?? Data(),
      as: UTF8.self
    )
    guard let total = Int(text) else {
      throw JobFailure(code: "no_number", message: "\"\(text)\" is no number", isRetryable: false)
    }
    var number = work.checkpoint.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
    while number < total {
      while isHeld {
        if beats != nil {
          let sign = Self.step([], number, of: total)
          guard try await steps.commit(sign) == .proceed else { return }
          beating.withLock { $0? += 1 }
        }
        try await Task.sleep(for: .milliseconds(5))
      }
      let end = min(number + batch, total)
      let items = (number..<end).map { number in
        done.withLock { $0[number, default: 0] += 1 }
        return JobItem(
          number: number,
          outcome: number % 10 == 3 ? .failed : .imported,
          line: number + 2,
          problems: number % 10 == 3 ? [.init(code: "three", message: "ends with 3")] : [],
          value: .object(["title": .string("Book \(number)"), "author": .string("A")]),
          raw: number % 10 == 3 ? Array("Book \(number)".utf8) : nil
        )
      }
      number = end
      let step = Self.step(items, number, of: total)
      guard try await steps.commit(step) == .proceed else { return }
    }
  }

  private static func step(_ items: [JobItem], _ number: Int, of total: Int) -> JobStep {
    JobStep(
      items: items,
      phase: "counting",
      fraction: Double(number) / Double(total),
      processed: number,
      total: total,
      current: "Book \(number - 1)",
      checkpoint: items.isEmpty ? nil : Array(String(number).utf8)
    )
  }

  func failedRows(_ work: JobWork, failed: [JobItem]) async throws -> [UInt8]? {
    Array("title\n".utf8) + failed.flatMap { ($0.raw ?? []) + [0x0A] }
  }
}

/// A folder that goes with its owner.
final class Folder: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/freshet-jobs-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
