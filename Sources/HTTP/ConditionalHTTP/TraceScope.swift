/// The trace that a task works in: that of the request it handles, or of its own.
package struct TraceScope: Sendable {
  /// The scope of the current task; `nil` outside of any.
  @TaskLocal package static var current: TraceScope?

  /// The trace, with the id of this work.
  package var trace: TraceContext
  /// The id of the request that is handled; `nil` for work of the server's own.
  package var requestID: String?

  /// Creates a scope.
  package init(trace: TraceContext, requestID: String? = nil) {
    self.trace = trace
    self.requestID = requestID
  }
}
