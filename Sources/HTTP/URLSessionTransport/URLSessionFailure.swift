import ConditionalHTTP
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Converts failures of a session to errors with messages.
enum URLSessionFailure {
  /// Returns the error for callers.
  static func exchangeError(_ error: any Error, _ authority: String) -> HTTPExchangeError {
    switch error {
    case let error as HTTPExchangeError: error
    case is CancellationError: HTTPExchangeError(.cancelled, "cancelled")
    case let error as URLError: exchangeError(error, authority)
    default: HTTPExchangeError(.unreachable, "\(authority): \(error.localizedDescription)")
    }
  }

  /// Runs work with a time limit; it is canceled when its time is over.
  static func timeLimit<Value: Sendable>(
    _ timeout: Duration,
    _ authority: String,
    work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask { try await work() }
      group.addTask {
        try await Task.sleep(for: timeout, clock: .continuous)
        return nil
      }
      defer { group.cancelAll() }
      guard let first = try await group.next(), let value = first else {
        throw HTTPExchangeError(.timedOut, "\(authority) did not answer in time")
      }
      return value
    }
  }

  private static func exchangeError(_ error: URLError, _ authority: String) -> HTTPExchangeError {
    let text =
      switch error.code {
      case .timedOut:
        "\(authority) did not answer in time"
      case .cancelled:
        "cancelled"
      case .cannotFindHost, .dnsLookupFailed:
        "the name \(host(of: authority)) cannot be resolved"
      case .cannotConnectToHost:
        "\(authority) refuses connections"
      case .networkConnectionLost:
        "\(authority) broke the connection off"
      case .notConnectedToInternet:
        "there is no way to \(authority) from here"
      case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
        .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
        "\(authority): TLS: \(error.localizedDescription)"
      default:
        "\(authority): \(reason(error))"
      }
    switch error.code {
    case .timedOut: return HTTPExchangeError(.timedOut, text)
    case .cancelled: return HTTPExchangeError(.cancelled, text)
    case .dataLengthExceedsMaximum: return HTTPExchangeError(.tooLarge, text)
    default: return HTTPExchangeError(.unreachable, text)
    }
  }

  private static func reason(_ error: URLError) -> String {
    // libcurl's message when the platform cannot read a field.
    if error.localizedDescription.contains("Failed writing header") {
      return "the answer has a field value that URLSession cannot read on this platform"
    }
    // On platforms other than Apple's a failed handshake has no error code.
    let isTLS = ["SSL", "TLS", "certificate"].contains { error.localizedDescription.contains($0) }
    return (isTLS ? "TLS: " : "") + error.localizedDescription
  }

  private static func host(of authority: String) -> String {
    String(authority.prefix { $0 != ":" })
  }
}
