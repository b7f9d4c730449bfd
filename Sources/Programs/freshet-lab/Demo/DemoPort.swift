import Synchronization

/// The number of a port, once it is open.
final class DemoPort: Sendable {
  private let stream: AsyncStream<Int>
  private let continuation: AsyncStream<Int>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  /// The port is open.
  func open(_ number: Int) {
    continuation.yield(number)
    continuation.finish()
  }

  /// The port no longer opens.
  func close() { continuation.finish() }

  /// The number; waits until the port is open.
  ///
  /// - Throws: `CancellationError` if the port does not open, or the task is canceled before.
  var number: Int {
    get async throws {
      for await number in stream { return number }
      throw CancellationError()
    }
  }
}
