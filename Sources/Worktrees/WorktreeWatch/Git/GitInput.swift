import Glibc

/// The standard input of a git process: an anonymous file.
///
/// A pipe would need a writer that outlives every way in which git can end.
struct GitInput {
  /// The file, at its beginning.
  let descriptor: Int32

  /// Writes an input.
  ///
  /// - Throws: ``GitRunner/Failure/notStarted(_:)`` if the file cannot be written.
  init(_ bytes: [UInt8]) throws(GitRunner.Failure) {
    let folder = TemporaryFolder.base
    let path = HostFile.join(folder, "freshet-input-\(UInt64.random(in: 0 ... .max))")
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Self.failure(folder) }
    unlink(path)
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { all in
        all.baseAddress.map { write(file, $0 + written, bytes.count - written) } ?? -1
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let failure = Self.failure(folder)
        Glibc.close(file)
        throw failure
      }
      written += count
    }
    lseek(file, 0, SEEK_SET)
    descriptor = file
  }

  /// Closes the file.
  func close() { Glibc.close(descriptor) }

  private static func failure(_ folder: String) -> GitRunner.Failure {
    .notStarted("its input cannot be written to \(folder): \(String(cString: strerror(errno)))")
  }
}
