import Jobs
import StrictJSON
import Synchronization

/// A job's store for tests: keeps items by number and the last checkpoint, and fails or stops when it is told to.
final class RecordingSteps: JobSteps {
  /// The machine under the job was switched off.
  struct Crash: Error {}

  struct State {
    var items: [Int: JobItem] = [:]
    var checkpoint: [UInt8]?
    var commits = 0
    var fractions: [Double] = []
    var processed = 0
    var total: Int?
  }

  let state = Mutex(State())
  /// The commit that does not happen, from 1.
  private let crashesAt: Int
  private let stopsAt: Int

  init(crashesAt: Int = .max, stopsAt: Int = .max) {
    self.crashesAt = crashesAt
    self.stopsAt = stopsAt
  }

  func commit(_ step: JobStep) async throws -> JobDirective {
    try Task.checkCancellation()
    return try state.withLock { state in
      state.commits += 1
      if state.commits >= crashesAt { throw Crash() }
      for item in step.items { state.items[item.number] = item }
      state.checkpoint = step.checkpoint ?? state.checkpoint
      state.fractions.append(step.fraction)
      state.processed = step.processed
      state.total = step.total ?? state.total
      return state.commits >= stopsAt ? .stop : .proceed
    }
  }

  var items: [JobItem] { state.withLock { $0.items.values.sorted { $0.number < $1.number } } }

  func count(_ outcome: JobOutcome) -> Int { items.count { $0.outcome == outcome } }
}

extension JobItem {
  subscript(name: String) -> JSONValue? { value?[name] }
}

extension TestFolder {
  /// Writes a file and describes it as the input of a job.
  func input(_ name: String, _ bytes: [UInt8]) throws -> JobInput {
    let path = try file(name, bytes)
    return JobInput(name: name, mediaType: "", path: path, byteCount: bytes.count)
  }

  func input(_ name: String, _ text: String) throws -> JobInput {
    try input(name, Array(text.utf8))
  }
}
