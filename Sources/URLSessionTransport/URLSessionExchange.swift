public import ConditionalHTTP
import Foundation
public import HTTPTypes

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An ``HTTPExchange`` over URLSession, without its cache, cookies and credentials.
public final class URLSessionExchange: HTTPExchange {
  /// The largest answer, in bytes.
  public static let largestAnswer = 64 << 20

  private let session: URLSession

  /// Creates a transport with a session of its own.
  public init() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    session = URLSession(configuration: configuration)
  }

  deinit { session.invalidateAndCancel() }

  /// Sends a request.
  public func send(
    _ request: HTTPRequest,
    timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
    guard
      let scheme = request.scheme, let authority = request.authority,
      let url = URL(string: "\(scheme)://\(authority)\(request.path ?? "/")")
    else { throw HTTPExchangeError(.unreachable, "the request has no address") }
    var message = URLRequest(url: url)
    message.httpMethod = request.method.rawValue
    message.timeoutInterval =
      Double(timeout.components.seconds) + Double(timeout.components.attoseconds) / 1e18
    message.cachePolicy = .reloadIgnoringLocalCacheData
    for field in request.headerFields {
      message.addValue(field.value, forHTTPHeaderField: field.name.rawName)
    }
    do {
      let (data, response) = try await session.data(for: message)
      guard data.count <= Self.largestAnswer else {
        throw HTTPExchangeError(
          .tooLarge,
          "the answer is larger than \(Self.largestAnswer) bytes"
        )
      }
      guard let answer = response as? HTTPURLResponse else {
        throw HTTPExchangeError(.unreachable, "\(authority) does not speak HTTP")
      }
      return HTTPExchangeAnswer(head: Self.head(of: answer), body: Array(data))
    } catch let error as HTTPExchangeError {
      throw error
    } catch let error as URLError {
      throw Self.failure(error, authority)
    } catch is CancellationError {
      throw HTTPExchangeError(.cancelled, "cancelled")
    } catch {
      throw HTTPExchangeError(.unreachable, "\(authority): \(error.localizedDescription)")
    }
  }

  private static func head(of answer: HTTPURLResponse) -> HTTPResponse {
    var head = HTTPResponse(status: .init(code: answer.statusCode))
    for (name, value) in answer.allHeaderFields {
      guard
        let text = name as? String, let value = value as? String,
        let field = HTTPField.Name(text)
      else { continue }
      head.headerFields.append(HTTPField(name: field, value: value))
    }
    return head
  }

  private static func failure(_ error: URLError, _ authority: String) -> HTTPExchangeError {
    switch error.code {
    case .timedOut: HTTPExchangeError(.timedOut, "\(authority) did not answer in time")
    case .cancelled: HTTPExchangeError(.cancelled, "cancelled")
    case .cannotConnectToHost, .cannotFindHost, .networkConnectionLost, .notConnectedToInternet:
      HTTPExchangeError(.unreachable, "\(authority) cannot be reached")
    default: HTTPExchangeError(.unreachable, "\(authority): \(error.localizedDescription)")
    }
  }
}
