import Jobs
import TolerantDecoding

/// Sentences for people.
enum JobSentence {
  /// How far a job is.
  static func progress(_ step: JobStep) -> String {
    let phase = step.phase.split(separator: "_").joined(separator: " ")
    guard let total = step.total else { return "\(phase): \(step.processed) done" }
    return "\(phase): \(step.processed) of \(total)"
  }

  /// How a job ended.
  static func ended(_ completion: JobCompletion) -> String {
    let done = "\(completion.successes ?? 0) of \(completion.total ?? 0) succeeded"
    return switch completion.ending {
    case .known(.succeeded): "done: \(done)"
    case .known(.canceled): "canceled: \(done)"
    case .known(.failed), .unknown: "failed: \(completion.failure?.message ?? "no reason given")"
    }
  }
}
