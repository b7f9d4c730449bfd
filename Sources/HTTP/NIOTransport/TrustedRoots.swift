import NIOSSL

/// The certificate authorities that a client trusts.
public enum TrustedRoots: Hashable, Sendable {
  /// Those of the system.
  case system
  /// Those in a file of PEM certificates, and no others.
  case file(path: String)
  /// Those given as PEM strings, and no others.
  case pem([String])

  /// Returns the TLS configuration of a client.
  ///
  /// - Throws: `NIOSSLError` if a certificate cannot be read.
  func configuration() throws -> TLSConfiguration {
    var configuration = TLSConfiguration.makeClientConfiguration()
    switch self {
    case .system:
      break
    case .file(let path):
      configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(path))
    case .pem(let texts):
      configuration.trustRoots = .certificates(
        try texts.flatMap { try NIOSSLCertificate.fromPEMBytes(Array($0.utf8)) }
      )
    }
    return configuration
  }
}
