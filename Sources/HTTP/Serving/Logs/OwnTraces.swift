package import ConditionalHTTP
package import HTTPTypes
import Synchronization

/// Sends requests that no request caused, such as polls, each in a trace of its own.
package final class OwnTraces: HTTPExchange {
  private let exchange: any HTTPExchange
  private let newest = Mutex<TraceScope?>(nil)

  /// Creates an exchange.
  ///
  /// - Parameter exchange: Sends the requests.
  package init(_ exchange: any HTTPExchange) { self.exchange = exchange }

  /// The trace of the newest request, for what is logged of it; `nil` before the first one.
  package var latest: TraceScope? { newest.withLock { $0 } }

  /// Sends a request in a trace that begins.
  package func send(
    _ request: HTTPRequest,
    timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
    let scope = TraceScope.own()
    newest.withLock { $0 = scope }
    let result = await TraceScope.$current.withValue(scope) {
      () async -> Result<HTTPExchangeAnswer, HTTPExchangeError> in
      do throws(HTTPExchangeError) {
        return .success(try await exchange.send(request, timeout: timeout))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
