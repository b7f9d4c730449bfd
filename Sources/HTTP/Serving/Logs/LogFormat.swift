import ConditionalHTTP
package import Logging

/// The form of the lines of a log.
package enum LogFormat: String, CaseIterable, Sendable {
  /// Lines for people.
  case text
  /// One JSON object a line, see ``JSONLogLine``.
  case json

  /// Sends all logs of the process to standard error in this form; called once.
  ///
  /// Lines in a trace have its ids.
  ///
  /// - Parameter level: The least level that is written.
  package func start(level: Logger.Level) {
    LoggingSystem.bootstrap(
      { label, provider in
        var handler: any LogHandler =
          switch self {
          case .text: StreamLogHandler.standardError(label: label, metadataProvider: provider)
          case .json: JSONLogHandler(label: label, write: StandardErrorLines.write)
          }
        handler.logLevel = level
        handler.metadataProvider = provider
        return handler
      },
      metadataProvider: TraceScope.metadata
    )
  }
}
