import ArgumentParser
import Commands
import Foundation
import Logging
import ServeSettings
import ServiceLifecycle
import Serving

/// The options of `freshet serve` for TLS.
struct TLSOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Speak HTTPS with the certificate in this PEM file, followed by the intermediate ones. It is read again when it changes, and on SIGHUP.",
      valueName: "file"
    )
  )
  var tlsCertificate: String?

  @Option(help: ArgumentHelp("The private key of the certificate, a PEM file.", valueName: "file"))
  var tlsKey: String?

  @Option(
    help: ArgumentHelp(
      "For how long browsers are asked to use HTTPS only; 0 for not at all. Default: 31536000, a year.",
      valueName: "seconds"
    )
  )
  var hstsSeconds: Int?

  func validate() throws {
    guard (0...TLSLimits.longestStrictTransport).contains(hstsSeconds ?? 0) else {
      throw ValidationError("--hsts-seconds is 0 to \(TLSLimits.longestStrictTransport)")
    }
  }

  /// Returns the certificate, if the options or a settings file name one.
  ///
  /// - Throws: `ValidationError` if only one of the two files is named, ``CommandFailure`` if the file names it, and if one
  ///   cannot be read or used.
  func certificate(or settings: ServeSettings?, socket: String?) throws -> ServerCertificate? {
    let certificate = tlsCertificate ?? settings?.tls?.certificate
    let key = tlsKey ?? settings?.tls?.key
    guard let certificate, let key else {
      if let settings, let tls = settings.tls, tlsCertificate == nil, tlsKey == nil,
        (tls.certificate == nil) != (tls.key == nil)
      {
        throw settings.failure("tls", "expected certificate and key, or neither")
      }
      if certificate != nil { throw ValidationError("--tls-certificate needs --tls-key too") }
      if key != nil { throw ValidationError("--tls-key needs --tls-certificate too") }
      return nil
    }
    guard socket == nil else {
      throw ValidationError("--tls-certificate is for a port; a socket has none of its own")
    }
    do throws(TLSFileError) {
      return try ServerCertificate(TLSFiles(certificate: certificate, key: key))
    } catch {
      throw CommandFailure("freshet serve: \(error)", error.isUnreadable ? .noInput : .badData)
    }
  }

  /// Whether the options or a settings file name a certificate.
  func isAsked(or settings: ServeSettings?) -> Bool {
    (tlsCertificate ?? settings?.tls?.certificate) != nil
  }

  /// The seconds of `Strict-Transport-Security`; 0 for not at all.
  func strictTransport(or settings: ServeSettings?) -> Int {
    hstsSeconds ?? settings?.tls?.hstsSeconds ?? TLSLimits.usualStrictTransport
  }
}

/// Uses new files of a certificate while the server runs.
struct CertificateWatch: Service {
  let certificate: ServerCertificate
  let logger: Logger

  /// Keeps SIGHUP from ending a server that reads its certificate again then, or that has no terminal to lose.
  static func ignoreHangup(isSecure: Bool) {
    if isSecure || isatty(STDIN_FILENO) == 0 { signal(SIGHUP, SIG_IGN) }
  }

  func run() async throws {
    let hangup = SignalSource.make(SIGHUP) { report(certificate.check(isAsked: true)) }
    defer { hangup.cancel() }
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        report(certificate.check())
        warn()
        try? await Task.sleep(for: .seconds(TLSLimits.checkSeconds))
      }
    }
  }

  private func report(_ finding: ServerCertificate.Finding) {
    switch finding {
    case .nothing: break
    case .replaced(let expires):
      logger.notice(
        "new connections use the new certificate",
        metadata: ["expires": "\(Date(timeIntervalSince1970: expires).formatted(.iso8601))"]
      )
    case .rejected(let error):
      logger.error("the certificate before stays in use: \(error)")
    }
  }

  private func warn() {
    guard let days = certificate.warning() else { return }
    let expired = "the certificate has expired: browsers refuse it; renew it"
    let text = days < 0 ? expired : "the certificate expires in \(days) days; renew it"
    logger.warning("\(text)", metadata: ["file": "\(certificate.files.certificate)"])
  }
}
