import HTTPTypes
package import Hummingbird
import Synchronization

/// Counts the answers of a server by their status.
package final class ResponseCounter: Sendable {
  private let counts = Mutex<[Int: Int]>([:])

  /// Starts at nothing.
  package init() {}

  /// How many answers had each status so far.
  package var byStatus: [Int: Int] { counts.withLock { $0 } }

  func count(_ status: Int) { counts.withLock { $0[status, default: 0] += 1 } }
}

/// Counts every response; outside of all middleware that creates responses.
package struct ResponseCounterMiddleware<Context: RequestContext>: RouterMiddleware {
  private let counter: ResponseCounter

  /// Creates the middleware.
  package init(_ counter: ResponseCounter) { self.counter = counter }

  @concurrent
  package func handle(
    _ request: Request,
    context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    let response = try await next(request, context)
    counter.count(response.status.code)
    return response
  }
}
