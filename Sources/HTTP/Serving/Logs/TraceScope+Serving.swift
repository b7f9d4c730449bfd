package import ConditionalHTTP
package import HTTPTypes
package import Logging

extension TraceScope {
  /// Returns a scope for work of the server's own: a trace begins.
  package static func own() -> TraceScope {
    var generator = SystemRandomNumberGenerator()
    return TraceScope(trace: TraceContext(using: &generator))
  }

  /// Returns the scope of a request: a part of the trace of its client if it names one, and else of one that begins.
  ///
  /// - Parameter request: The request.
  /// - Returns: The scope, with the id of the request.
  package static func of(_ request: HTTPRequest) -> TraceScope {
    var generator = SystemRandomNumberGenerator()
    return TraceScope(
      trace: TraceContext(request.headerFields)?.child(using: &generator)
        ?? TraceContext(using: &generator),
      requestID: RequestIdentity.of(request)
    )
  }

  /// The scope of work that continues when this one has ended, such as a job that a request started.
  package var following: TraceScope {
    var generator = SystemRandomNumberGenerator()
    return TraceScope(trace: trace.child(using: &generator))
  }

  /// The metadata that every log line in a scope has.
  package static let metadata = Logger.MetadataProvider {
    guard let scope = current else { return [:] }
    var metadata: Logger.Metadata = [
      "trace_id": "\(scope.trace.traceID)", "span_id": "\(scope.trace.spanID)",
    ]
    if let id = scope.requestID { metadata["request_id"] = "\(id)" }
    return metadata
  }
}
