import Logging
import Synchronization

/// A log whose lines a test reads: the message and its metadata, sorted by name.
final class RecordedLog: Sendable {
  private let written = Mutex<[String]>([])

  /// What was written.
  var lines: [String] { written.withLock { $0 } }

  /// A logger that writes here.
  func logger(_ label: String) -> Logger { Logger(label: label) { _ in Handler(log: self) } }

  private struct Handler: LogHandler {
    let log: RecordedLog
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let members = (event.metadata ?? [:]).map { "\($0.key)=\($0.value)" }.sorted()
      let line = ([event.message.description] + members).joined(separator: " ")
      log.written.withLock { $0.append(line) }
    }
  }
}
