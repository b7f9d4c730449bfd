import Foundation
package import Logging
import Synchronization

/// Writes each log event as a line of JSON, see ``JSONLogLine``.
package struct JSONLogHandler: LogHandler {
  package var logLevel = Logger.Level.info
  package var metadata: Logger.Metadata = [:]
  package var metadataProvider: Logger.MetadataProvider?
  private let label: String
  private let write: @Sendable ([UInt8]) -> Void

  /// Creates a handler.
  ///
  /// - Parameters:
  ///   - label: The name of the logger.
  ///   - write: Gets each line, with its end.
  package init(label: String, write: @escaping @Sendable ([UInt8]) -> Void) {
    self.label = label
    self.write = write
  }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    var members = metadata
    if let own = event.metadata { members.merge(own) { $1 } }
    if let error = event.error { members["error"] = "\(error)" }
    let line = JSONLogLine(
      instant: Date().timeIntervalSince1970,
      level: event.level.rawValue,
      logger: label,
      message: event.message.description,
      context: (metadataProvider?.get() ?? [:]).mapValues(\.description),
      metadata: members.mapValues(\.description)
    )
    write(line.bytes)
  }
}

/// Standard error, to which each line goes as a whole.
enum StandardErrorLines {
  private static let turn = Mutex(())

  /// Writes a line; what cannot be written is lost, as nothing could say so.
  @Sendable
  static func write(_ line: [UInt8]) {
    turn.withLock { _ in
      var rest = line[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes {
          Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count)
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
      }
    }
  }
}
