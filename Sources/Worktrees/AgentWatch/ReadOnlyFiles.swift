package import Agents

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Opens files of others so that nothing of them changes, not even the time of the last reading.
package enum ReadOnlyFiles: Sendable {
  /// What kind of file may be opened.
  private enum Kind {
    case regular
    case folder

    var mode: mode_t { self == .regular ? S_IFREG : S_IFDIR }
  }

  /// The file status of a regular file; `nil` for everything else.
  package static func stamp(_ path: String) -> LogTail.Stamp? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return stamp(status)
  }

  /// When a folder's list of names last changed, in nanoseconds; `nil` if the folder does not
  /// exist.
  package static func changed(folder path: String) -> Int64? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
    return stamp(status).modified
  }

  /// Reads bytes of a file.
  ///
  /// - Returns: The bytes, fewer if the file ends; `nil` if it cannot be read.
  package static func read(_ path: String, from: Int64, count: Int) -> [UInt8]? {
    guard let file = open(path, .regular) else { return nil }
    defer { close(file) }
    return bytes(most: count) { start, filled in
      pread(file, start + filled, count - filled, off_t(from) + off_t(filled))
    }
  }

  /// Reads a file of the kernel's, whose size is not known before.
  package static func readAll(_ path: String, most: Int) -> [UInt8]? {
    let file = Self.openPlainly(path)
    guard file >= 0 else { return nil }
    defer { close(file) }
    return bytes(most: most) { start, filled in
      #if canImport(Glibc)
      Glibc.read(file, start + filled, most - filled)
      #else
      Darwin.read(file, start + filled, most - filled)
      #endif
    }
  }

  /// Reads bytes piece by piece until the end or the limit.
  private static func bytes(
    most: Int,
    _ read: (_ start: UnsafeMutablePointer<UInt8>, _ filled: Int) -> Int
  ) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: most) { buffer, filled in
      guard let start = buffer.baseAddress else { return }
      while filled < most {
        let got = read(start, filled)
        if got < 0, errno == EINTR { continue }
        guard got > 0 else { break }
        filled += got
      }
    }
  }

  /// The names in a folder, without those that begin with a dot.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - most: The most names.
  /// - Returns: The names in no order; none if it cannot be read.
  package static func names(_ path: String, most: Int) -> [String] {
    guard let file = open(path, .folder) else { return [] }
    guard let folder = fdopendir(file) else {
      close(file)
      return []
    }
    defer { closedir(folder) }
    var names: [String] = []
    while names.count < most, let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }

  /// Where a link leads.
  package static func target(_ path: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4_096) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let count = readlink(path, start, buffer.count)
      guard count > 0 else { return nil }
      let bytes = buffer[..<count].map { UInt8(bitPattern: $0) }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  private static func stamp(_ status: stat) -> LogTail.Stamp {
    #if canImport(Glibc)
    let modified = status.st_mtim
    #else
    let modified = status.st_mtimespec
    #endif
    return LogTail.Stamp(
      device: UInt64(status.st_dev),
      inode: UInt64(status.st_ino),
      size: Int64(status.st_size),
      modified: nanoseconds(Int64(modified.tv_sec), Int64(modified.tv_nsec))
    )
  }

  /// A file system keeps years that do not fit into nanoseconds: those are the last or the first instant.
  private static func nanoseconds(_ seconds: Int64, _ rest: Int64) -> Int64 {
    let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflows ? (seconds < 0 ? .min : .max) : whole.adding(rest)
  }

  private static func openPlainly(_ path: String) -> Int32 {
    #if canImport(Glibc)
    Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    #else
    Darwin.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    #endif
  }

  private static func open(_ path: String, _ kind: Kind) -> Int32? {
    var file: Int32 = -1
    #if canImport(Glibc)
    // Only the owner may leave the time of the last reading as it is.
    let quietly: Int32 = 0o1_000_000
    file = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | quietly)
    #endif
    if file < 0 { file = openPlainly(path) }
    guard file >= 0 else { return nil }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == kind.mode else {
      close(file)
      return nil
    }
    return file
  }
}
