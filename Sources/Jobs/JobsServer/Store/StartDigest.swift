import ConditionalHTTP
import Jobs

/// What a store remembers of a start, so that a repetition of it is recognized.
enum StartDigest {
  /// The digest of an idempotency key.
  static func key(_ key: String) -> [UInt8] { SHA256.hash(key.utf8) }

  /// The digest of what a request asks for.
  static func request(
    _ pipeline: PipelineName,
    _ contents: [[UInt8]],
    _ options: [String: String],
    _ schedule: JobSchedule = JobSchedule()
  ) -> [UInt8] {
    var bytes = Array(pipeline.rawValue.utf8) + [0]
    for (name, value) in options.sorted(by: { $0.key < $1.key }) {
      bytes += Array(name.utf8) + [0] + Array(value.utf8) + [0]
    }
    if schedule != JobSchedule() {
      bytes += Array("\(schedule.priority.rawValue) \(schedule.runAt ?? 0)".utf8) + [0]
    }
    for content in contents { bytes += SHA256.hash(content) }
    return SHA256.hash(bytes)
  }
}
