import NIOSSL

/// A self-signed certificate for localhost and 127.0.0.1, with its key; for tests only.
enum TestCertificate {
  /// The settings of a server that shows the certificate.
  static func context() throws -> NIOSSLContext {
    let chain = try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8))
    let key = try NIOSSLPrivateKey(bytes: Array(keyPEM.utf8), format: .pem)
    return try NIOSSLContext(
      configuration: .makeServerConfiguration(
        certificateChain: chain.map { .certificate($0) },
        privateKey: .privateKey(key)
      )
    )
  }

  /// The certificate, valid for a hundred years.
  static let pem = """
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

  private static let keyPEM = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgy+5X7lVRvFKYdgMC
    RjStRAVQmcU7SJLPfvAV6Aam64OhRANCAAQ11HPLIs7A3G/84oJbqZcfNQyfqVAA
    htdIDJqZG9qXXdylqQmHIx+77vNBR+M8ztBKfZv6cllTCtV6svjB7yZ3
    -----END PRIVATE KEY-----
    """
}
