import Glibc
import SystemPackage

/// The standard input of a git process: an anonymous file.
///
/// A pipe would need a writer that outlives every way in which git can end. In swift-subprocess 1.0.2 a write to a git
/// that is gone fails before the pipe is closed, and its `deinit` then stops this process.
struct GitInput: ~Copyable {
  /// The file, at its beginning.
  let descriptor: FileDescriptor

  private init(descriptor: FileDescriptor) { self.descriptor = descriptor }

  deinit { try? descriptor.close() }

  /// Writes an input.
  ///
  /// - Throws: ``GitRunner/Failure/notStarted(_:)`` if the file cannot be written.
  static func containing(_ bytes: [UInt8]) throws(GitRunner.Failure) -> GitInput {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    let path = HostFile.join(folder, "freshet-input-\(UInt64.random(in: 0 ... .max))")
    do {
      let input = GitInput(
        descriptor: try FileDescriptor.open(
          FilePath(path),
          .readWrite,
          options: [.create, .exclusiveCreate, .closeOnExec],
          permissions: .ownerReadWrite
        )
      )
      unlink(path)
      try input.descriptor.writeAll(bytes)
      try input.descriptor.seek(offset: 0, from: .start)
      return input
    } catch {
      throw .notStarted("its input cannot be written to \(folder): \(error)")
    }
  }
}
