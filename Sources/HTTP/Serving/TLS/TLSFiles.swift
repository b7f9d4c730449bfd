import Foundation
import NIOSSL

/// Where the certificate and the key of a server are, as PEM files.
package struct TLSFiles: Hashable, Sendable {
  /// The path of the certificate, followed by the intermediate ones in its file.
  package let certificate: String
  /// The path of the private key.
  package let key: String

  /// Names the files.
  package init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }
}

/// Why a certificate and its key cannot be used, for the person who set the server up.
package struct TLSFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Whether a file could not be read; otherwise its content is wrong.
  package let isUnreadable: Bool
  /// The file, what is wrong with it, and what to do.
  package let description: String

  init(_ path: String, _ text: String, isUnreadable: Bool = false) {
    self.isUnreadable = isUnreadable
    description = "\(path): \(text)"
  }
}

/// What identifies the state of the two files without reading them.
struct TLSFileState: Hashable, Sendable {
  private struct Item: Hashable {
    var number: UInt64
    var bytes: UInt64
    var modified: Date
  }

  private let items: [Item?]

  /// Examines the files, following symbolic links; a file that is not there counts as a state too.
  init(of files: TLSFiles) {
    items = [files.certificate, files.key].map { path in
      let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
      guard let found = try? FileManager.default.attributesOfItem(atPath: target) else {
        return nil
      }
      return Item(
        number: (found[.systemFileNumber] as? NSNumber)?.uint64Value ?? 0,
        bytes: (found[.size] as? NSNumber)?.uint64Value ?? 0,
        modified: found[.modificationDate] as? Date ?? .distantPast
      )
    }
  }
}

/// A certificate with its chain and key, checked and ready for connections.
struct TLSCredential: Sendable {
  let context: NIOSSLContext
  /// When the first certificate of the chain expires, in seconds since 1970.
  let expires: Double

  /// The cipher suites of TLS 1.2: ECDHE with AEAD only.
  ///
  /// TLS 1.3 has no others.
  private static let cipherSuites = [
    "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-CHACHA20-POLY1305",
  ].joined(separator: ":")

  /// Reads and checks the files.
  ///
  /// - Parameters:
  ///   - files: The files.
  ///   - now: The time in seconds since 1970.
  /// - Throws: ``TLSFileError`` that names the file and what to do.
  init(_ files: TLSFiles, now: Double) throws(TLSFileError) {
    let chain = try Self.chain(files)
    let key = try Self.key(files)
    expires = try Self.expiry(of: chain, files.certificate, now: now)
    do {
      context = try Self.context(chain, key)
    } catch {
      throw Self.mismatch(files, chain, key, error)
    }
  }

  private static func context(
    _ chain: [NIOSSLCertificate],
    _ key: NIOSSLPrivateKey
  ) throws -> NIOSSLContext {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) },
      privateKey: .privateKey(key)
    )
    configuration.minimumTLSVersion = .tlsv12
    configuration.cipherSuites = cipherSuites
    configuration.applicationProtocols = ["h2", "http/1.1"]
    return try NIOSSLContext(configuration: configuration)
  }

  // MARK: Files

  private static func read(_ path: String, _ what: String) throws(TLSFileError) -> [UInt8] {
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let found: [FileAttributeKey: Any]
    do {
      found = try FileManager.default.attributesOfItem(atPath: target)
    } catch {
      let isAbsent = (error as? CocoaError)?.code == .fileReadNoSuchFile
      let reason =
        isAbsent ? "there is no such file" : "cannot be read: \(error.localizedDescription)"
      throw TLSFileError(path, "\(reason); expected \(what)", isUnreadable: true)
    }
    guard found[.type] as? FileAttributeType == .typeRegular else {
      throw TLSFileError(path, "is not a file; expected \(what)", isUnreadable: true)
    }
    let bytes: [UInt8]
    do {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: target))
      defer { try? handle.close() }
      bytes = Array(try handle.read(upToCount: TLSLimits.fileBytes + 1) ?? Data())
    } catch {
      throw TLSFileError(
        path,
        "cannot be read; let the user that runs the server read it: \(error.localizedDescription)",
        isUnreadable: true
      )
    }
    guard bytes.count <= TLSLimits.fileBytes else {
      throw TLSFileError(path, "is longer than \(TLSLimits.fileBytes) bytes; expected \(what)")
    }
    return bytes
  }

  private static func chain(_ files: TLSFiles) throws(TLSFileError) -> [NIOSSLCertificate] {
    let path = files.certificate
    let expected = "a PEM file with the server's certificate, then the intermediate ones"
    let bytes = try read(path, expected)
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.contains("-----BEGIN CERTIFICATE-----") else {
      let isKey = text.contains("PRIVATE KEY-----")
      throw TLSFileError(
        path,
        isKey
          ? "is a private key; it belongs to --tls-key. Expected \(expected)"
          : "has no certificate; expected \(expected)"
      )
    }
    let chain: [NIOSSLCertificate]
    do {
      chain = try NIOSSLCertificate.fromPEMBytes(bytes)
    } catch {
      throw TLSFileError(path, "a certificate in it is damaged; copy the file again")
    }
    guard (1...TLSLimits.chain).contains(chain.count) else {
      throw TLSFileError(
        path,
        "has \(chain.count) certificates; expected the chain of the server, at most \(TLSLimits.chain)"
      )
    }
    return chain
  }

  private static func key(_ files: TLSFiles) throws(TLSFileError) -> NIOSSLPrivateKey {
    let path = files.key
    let expected = "a PEM file with the private key of the certificate"
    let bytes = try read(path, expected)
    let text = String(decoding: bytes, as: UTF8.self)
    if text.contains("BEGIN ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENCRYPTED") {
      throw TLSFileError(
        path,
        "the key is encrypted, and a server cannot ask for the passphrase;"
          + " decrypt it into a file that only the server's user may read: openssl pkey -in KEY -out NEW"
      )
    }
    guard text.contains("PRIVATE KEY-----") else {
      let isCertificate = text.contains("BEGIN CERTIFICATE")
      throw TLSFileError(
        path,
        isCertificate
          ? "is a certificate; it belongs to --tls-certificate. Expected \(expected)"
          : "has no private key; expected \(expected)"
      )
    }
    do {
      return try NIOSSLPrivateKey(bytes: bytes, format: .pem)
    } catch {
      throw TLSFileError(path, "the key in it is damaged, or of a kind that TLS does not use")
    }
  }

  // MARK: Checks

  private static func expiry(
    of chain: [NIOSSLCertificate],
    _ path: String,
    now: Double
  ) throws(TLSFileError) -> Double {
    var expires = Double.infinity
    for (index, certificate) in chain.enumerated() {
      let name = index == 0 ? "the certificate" : "certificate \(index + 1) of the chain"
      let (begins, ends) = (
        Double(certificate.notValidBefore), Double(certificate.notValidAfter)
      )
      guard now <= ends else {
        throw TLSFileError(path, "\(name) expired on \(date(ends)); renew it")
      }
      guard now >= begins else {
        throw TLSFileError(
          path,
          "\(name) is valid from \(date(begins)) on; is the clock of this machine right?"
        )
      }
      expires = min(expires, ends)
    }
    return expires
  }

  /// An instant in UTC, to the minute.
  static func date(_ seconds: Double) -> String {
    let text = Date(timeIntervalSince1970: seconds).formatted(.iso8601)
    return text.prefix(16).replacing("T", with: " ") + " UTC"
  }

  /// Why chain and key do not go together.
  private static func mismatch(
    _ files: TLSFiles,
    _ chain: [NIOSSLCertificate],
    _ key: NIOSSLPrivateKey,
    _ error: any Error
  ) -> TLSFileError {
    let isOrdered = !chain.dropFirst().contains { (try? context([$0], key)) != nil }
    guard isOrdered else {
      return TLSFileError(
        files.certificate,
        "the certificate of the key must come first, the intermediate ones behind it"
      )
    }
    guard case NIOSSLError.failedToLoadPrivateKey = error else {
      return TLSFileError(files.certificate, "cannot be used with \(files.key): \(error)")
    }
    return TLSFileError(
      files.key,
      "is not the key of the certificate in \(files.certificate); name two files of the same certificate"
    )
  }
}
