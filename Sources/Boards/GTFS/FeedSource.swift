#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// A GTFS feed as it lies on disk: a zip archive or a folder.
package enum FeedSource {
  case archive(ZipArchive)
  case folder(String)

  /// Opens a feed.
  ///
  /// - Throws: ``FeedError`` with code `unreadable`, `brokenArchive` or `limitExceeded`.
  package static func open(_ path: String) throws(FeedError) -> FeedSource {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw FeedError(.unreadable, "\(path): \(SystemFailure.text(errno))")
    }
    if status.st_mode & S_IFMT == S_IFDIR { return .folder(path) }
    return .archive(try ZipArchive(path: path))
  }

  /// Opens one file of the feed; `nil` if the feed does not have it.
  package func open(_ file: FeedFile) throws(FeedError) -> (any ByteSource)? {
    switch self {
    case .archive(let archive): return try archive.open(file.rawValue)
    case .folder(let folder):
      let path = folder + "/" + file.rawValue
      guard let size = size(of: file) else { return nil }
      guard size <= FeedLimits.fileBytes else {
        throw FeedError(
          .limitExceeded,
          "\(path): \(size) bytes; the limit is \(FeedLimits.fileBytes)"
        )
      }
      return try FileSource(path: path)
    }
  }

  /// The bytes that the feed is stored in: those of the archive, or of the files that are read.
  package var storedBytes: Int {
    switch self {
    case .archive(let archive): archive.storedBytes
    case .folder: FeedFile.allCases.reduce(0) { $0 + (size(of: $1) ?? 0) }
    }
  }

  /// The size of a file once inflated, in bytes; `nil` if the feed does not have it.
  package func size(of file: FeedFile) -> Int? {
    switch self {
    case .archive(let archive): return archive.size(of: file.rawValue)
    case .folder(let folder):
      var status = stat()
      guard stat(folder + "/" + file.rawValue, &status) == 0 else { return nil }
      return Int(status.st_size)
    }
  }
}
