import AsyncHTTPClient
import ConditionalHTTP
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
import NIOSSL

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A failure of a connection to a server, with a message.
struct ConnectionFailure: Error {
  var code: HTTPExchangeError.Code
  var text: String
  /// Whether the connection ended without a byte of a response: a server may close an idle
  /// connection just as a request is sent on it.
  var isLostConnection = false

  /// Converts an error of the underlying libraries.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - authority: The host and port of the server.
  init(_ error: any Error, authority: String) {
    switch error {
    case let failure as ConnectionFailure:
      self = failure
    case is CancellationError:
      self.init(.cancelled, "cancelled")
    case let error as HTTPClientError:
      self.init(client: error, authority: authority)
    case let error as NIOConnectionError:
      self.init(connection: error, authority: authority)
    case let error as IOError:
      self.init(errno: error.errnoCode, authority: authority)
    case let error as ChannelError:
      self.init(channel: error, authority: authority)
    case HTTPParserError.invalidEOFState:
      self.init(.unreachable, "\(authority) closed the connection in the middle of its answer")
    // Which of the two detects it first depends on how the bytes arrive.
    case is HeadTooLarge, HTTPParserError.headerOverflow:
      self.init(.tooLarge, Self.headTooLarge)
    case is HTTPParserError:
      self.init(.unreachable, "\(authority) does not speak HTTP as it should: \(error)")
    case NIOHTTPDecompression.DecompressionError.limit:
      self.init(.tooLarge, Self.tooLarge)
    case is NIOHTTPDecompression.DecompressionError,
      is NIOHTTPDecompression.ExtraDecompressionError:
      let text = "\(authority) sent compressed content that cannot be read: \(error)"
      self.init(.unreachable, text)
    default:
      let text = Self.tls(error).map { "TLS: \($0)" } ?? String(describing: error)
      self.init(.unreachable, "\(authority): \(text)")
    }
  }

  private init(client error: HTTPClientError, authority: String) {
    switch error {
    case .cancelled:
      self.init(.cancelled, "cancelled")
    case .deadlineExceeded, .connectTimeout, .getConnectionFromPoolTimeout, .readTimeout,
      .writeTimeout, .tlsHandshakeTimeout:
      self = .timedOut(authority)
    case .remoteConnectionClosed:
      self.init(lost: "\(authority) closed the connection without an answer")
    case .alreadyShutdown:
      self.init(.unreachable, "this transport has been shut down")
    case .invalidURL, .emptyHost, .emptyScheme:
      self.init(.unreachable, "\(authority) is not an address")
    default:
      self.init(.unreachable, "\(authority): \(error.shortDescription)")
    }
  }

  private init(connection error: NIOConnectionError, authority: String) {
    if let first = error.connectionErrors.first {
      self.init(first.error, authority: authority)
    } else if error.dnsAError != nil || error.dnsAAAAError != nil {
      self.init(.unreachable, "the name \(error.host) cannot be resolved")
    } else {
      self = .timedOut(authority)
    }
  }

  private init(errno: CInt, authority: String) {
    switch errno {
    case ECONNREFUSED:
      self.init(.unreachable, "\(authority) refuses connections")
    case ECONNRESET, EPIPE:
      self.init(lost: "\(authority) broke the connection off")
    case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EADDRNOTAVAIL:
      self.init(.unreachable, "there is no way to \(authority) from here")
    case ETIMEDOUT:
      self = .timedOut(authority)
    case EMFILE, ENFILE:
      self.init(.unreachable, "too many files and connections are open to reach \(authority)")
    default:
      self.init(.unreachable, "\(authority): \(String(cString: strerror(errno)))")
    }
  }

  private init(channel error: ChannelError, authority: String) {
    switch error {
    case .connectTimeout:
      self = .timedOut(authority)
    case .eof, .ioOnClosedChannel, .alreadyClosed, .inputClosed, .outputClosed:
      self.init(lost: "\(authority) closed the connection")
    default:
      self.init(.unreachable, "\(authority): \(error)")
    }
  }

  private init(lost text: String) {
    self.init(.unreachable, text)
    isLostConnection = true
  }

  /// Creates a failure.
  init(_ code: HTTPExchangeError.Code, _ text: String) {
    self.code = code
    self.text = text
  }

  /// Returns the error for a response that did not arrive in time.
  static func timedOut(_ authority: String) -> Self {
    Self(.timedOut, "\(authority) did not answer in time")
  }

  /// The message for a response head that is too large: in total, in the parser's number of fields,
  /// or in one field.
  private static var headTooLarge: String {
    let parser = NIOHTTPDecoderLimitConfiguration()
    return "the head of the answer is larger than \(HTTPTransferLimits.headBytes) bytes, "
      + "\(parser.maxHeaderFieldCount) fields or \(parser.maxHeaderFieldSize) bytes in a field"
  }

  /// The error for a response that is too large.
  static var tooLarge: String {
    "the answer is larger than \(HTTPTransferLimits.answerBytes) bytes"
  }

  /// The error for callers.
  var exchangeError: HTTPExchangeError { HTTPExchangeError(code, text) }

  /// Returns the reason for a failed TLS connection, or `nil` if the error has another cause.
  private static func tls(_ error: any Error) -> String? {
    guard error is NIOSSLError || error is NIOSSLExtraError || error is BoringSSLError else {
      return nil
    }
    if (error as? NIOSSLExtraError) == .failedToValidateHostname {
      return "the certificate is for another name"
    }
    let text = String(describing: error)
    if text.contains("CERTIFICATE_VERIFY_FAILED") { return "the certificate is not trusted" }
    if text.contains("WRONG_VERSION_NUMBER") || text.contains("HTTP_REQUEST") {
      return "the server does not speak TLS on this port"
    }
    if text.contains("uncleanShutdown") { return "the connection was cut off" }
    // What BoringSSL says where the system has no certificates.
    if text == "unknownError([])" {
      return "no certificate authorities can be read; install the package ca-certificates"
    }
    return text
  }
}
