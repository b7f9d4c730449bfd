import HTTPTypes
import Jobs
import Serving

extension JobSchedule {
  /// Takes the schedule out of the options of a request: `priority` and `run_at`.
  ///
  /// - Parameters:
  ///   - options: The options; those of the schedule are removed.
  ///   - now: Now, in milliseconds since 1970-01-01T00:00:00Z.
  ///   - limits: The limits.
  /// - Throws: ``Problem`` 400.
  init(taking options: inout [String: String], now: Int64, _ limits: JobLimits) throws {
    self.init()
    if let word = options.removeValue(forKey: "priority") {
      guard let priority = JobPriority(rawValue: word) else {
        let known = JobPriority.allCases.map(\.rawValue).joined(separator: ", ")
        throw Self.invalid("priority is \"\(word.prefix(40))\"; expected: \(known)")
      }
      self.priority = priority
    }
    guard let text = options.removeValue(forKey: "run_at") else { return }
    guard let instant = JobInstant.read(text) else {
      throw Self.invalid(
        "run_at is \"\(text.prefix(40))\"; expected: an instant like 2026-12-24T06:00:00Z"
      )
    }
    let latest = now + Int64(limits.scheduleSeconds) * 1_000
    guard instant <= latest else {
      throw Self.invalid(
        "run_at is \"\(text.prefix(40))\"; expected: at most \(limits.scheduleSeconds) seconds ahead, "
          + "up to \(JobInstant.text(latest))"
      )
    }
    // One that is past is now.
    runAt = max(0, instant)
  }

  private static func invalid(_ detail: String) -> Problem {
    JobProblem(.badRequest, .invalidRequest, detail).problem
  }
}
