import Jobs
import StrictJSON

/// Events as they are stored: messages of the newest version, which are what most clients get.
enum StoredEvent {
  private static let reader = JobMessageReader()

  /// The bytes of an event.
  static func bytes(_ event: JobEvent, job: String, pipeline: PipelineName) -> [UInt8] {
    JobMessageWriter(job: job, pipeline: pipeline, version: .newest).message(event).bytes
  }

  /// The event of stored bytes; `nil` if the bytes are not an event.
  static func event(_ bytes: [UInt8]) -> JobEvent? {
    let message = reader.message(bytes)
    guard let position = message.position, let at = message.at else { return nil }
    switch message.body {
    case .started(let start):
      return JobEvent(
        position: position,
        at: at,
        body: .started(phases: start.phases, total: start.total)
      )
    case .progress(let progress):
      return JobEvent(position: position, at: at, body: .progress(progress))
    case .ended(let completion):
      return JobEvent(position: position, at: at, body: .ended(completion))
    default: return nil
    }
  }
}
