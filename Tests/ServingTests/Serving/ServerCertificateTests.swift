import Foundation
import Testing

@testable import Serving

@Suite struct ServerCertificateTests {
  /// A self-signed certificate of localhost from 2026-11-21 to 2126-10-28, and its key.
  private static let pem = """
    -----BEGIN CERTIFICATE-----
    MIIBojCCAUegAwIBAgIUUDOTkA5QXFODIweo+7hlZh2QRgIwCgYIKoZIzj0EAwIw
    FzEVMBMGA1UEAwwMZnJlc2hldCB0ZXN0MCAXDTI2MTEyMTA5MjAxM1oYDzIxMjYx
    MDI4MDkyMDEzWjAXMRUwEwYDVQQDDAxmcmVzaGV0IHRlc3QwWTATBgcqhkjOPQIB
    BggqhkjOPQMBBwNCAAQ11HPLIs7A3G/84oJbqZcfNQyfqVAAhtdIDJqZG9qXXdyl
    qQmHIx+77vNBR+M8ztBKfZv6cllTCtV6svjB7yZ3o28wbTAdBgNVHQ4EFgQUX0GP
    pRbI9NKiqMxsrcfkij0f3A8wHwYDVR0jBBgwFoAUX0GPpRbI9NKiqMxsrcfkij0f
    3A8wGgYDVR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMA8GA1UdEwEB/wQFMAMBAf8w
    CgYIKoZIzj0EAwIDSQAwRgIhAOeIb7zW5EpJwBvnq32NhIdrub3D6nTbFX1lH4fX
    DjLKAiEAgu9fLM3jVML6/2TUjQoZi6/F5fjRc0BM99czoHd5atw=
    -----END CERTIFICATE-----

    """
  private static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgy+5X7lVRvFKYdgMC
    RjStRAVQmcU7SJLPfvAV6Aam64OhRANCAAQ11HPLIs7A3G/84oJbqZcfNQyfqVAA
    htdIDJqZG9qXXdylqQmHIx+77vNBR+M8ztBKfZv6cllTCtV6svjB7yZ3
    -----END PRIVATE KEY-----

    """
  /// 2027-01-01, while the certificate is valid.
  private static let now = 1_798_761_600.0
  private static let day = 86_400.0

  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "freshet-certificate-\(UUID().uuidString)")
  private let files: TLSFiles

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    files = TLSFiles(
      certificate: folder.appending(path: "c.pem").path,
      key: folder.appending(path: "k.pem").path
    )
    try Self.pem.write(toFile: files.certificate, atomically: true, encoding: .utf8)
    try Self.key.write(toFile: files.key, atomically: true, encoding: .utf8)
  }

  private func remove() { try? FileManager.default.removeItem(at: folder) }

  @Test func `Files are valid only between their dates`() throws {
    defer { remove() }
    #expect(throws: TLSFileError.self) { try ServerCertificate(files, now: 1_700_000_000) }
    #expect(throws: TLSFileError.self) { try ServerCertificate(files, now: 5_000_000_000) }
    let early = #expect(throws: TLSFileError.self) {
      try ServerCertificate(files, now: 1_700_000_000)
    }
    #expect(early?.description.contains("is valid from 2026-11-21 09:20 UTC on") == true)
    #expect(try ServerCertificate(files, now: Self.now).expires > Self.now)
  }

  @Test func `New files count once they have stayed the same for a check`() throws {
    defer { remove() }
    let certificate = try ServerCertificate(files, now: Self.now)
    #expect(certificate.check(now: Self.now) == .nothing)
    try (Self.key + "\n").write(toFile: files.key, atomically: true, encoding: .utf8)
    #expect(certificate.check(now: Self.now) == .nothing)
    #expect(certificate.check(now: Self.now) == .replaced(expires: certificate.expires))
    #expect(certificate.check(now: Self.now) == .nothing)
    // A check by hand does not wait.
    #expect(
      certificate.check(isAsked: true, now: Self.now) == .replaced(expires: certificate.expires)
    )
  }

  @Test func `Wrong files are reported once and replace nothing`() throws {
    defer { remove() }
    let certificate = try ServerCertificate(files, now: Self.now)
    try "nothing".write(toFile: files.key, atomically: true, encoding: .utf8)
    #expect(certificate.check(now: Self.now) == .nothing)
    guard case .rejected(let error) = certificate.check(now: Self.now) else {
      Issue.record("wrong files were used")
      return
    }
    #expect(error.description.hasPrefix(files.key))
    #expect(certificate.check(now: Self.now) == .nothing)
    try FileManager.default.removeItem(atPath: files.key)
    #expect(certificate.check(now: Self.now) == .nothing)
    guard case .rejected(let absent) = certificate.check(now: Self.now) else {
      Issue.record("absent files were used")
      return
    }
    #expect(absent.isUnreadable)
  }

  @Test func `Each threshold of expiry warns once`() throws {
    defer { remove() }
    let certificate = try ServerCertificate(files, now: Self.now)
    let end = certificate.expires
    #expect(certificate.warning(now: end - 15 * Self.day) == nil)
    #expect(certificate.warning(now: end - 13.5 * Self.day) == 13)
    #expect(certificate.warning(now: end - 12 * Self.day) == nil)
    #expect(certificate.warning(now: end - 0.5 * Self.day) == 0)
    #expect(certificate.warning(now: end - 0.4 * Self.day) == nil)
    #expect(certificate.warning(now: end + 1) == -1)
    #expect(certificate.warning(now: end + Self.day) == nil)
  }
}
