import GTFS

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// A read-only file mapping; unmapped when the last reference to it goes away.
final class MappedFile: @unchecked Sendable {
  let bytes: UnsafeRawBufferPointer

  /// - Throws: ``FeedError`` with code `unreadable` or `damagedTimetable` (an empty file).
  init(path: String) throws(FeedError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw FeedError(.unreadable, "\(path): cannot be opened: \(SystemFailure.text(errno))")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw FeedError(.unreadable, "\(path): cannot be read: \(SystemFailure.text(errno))")
    }
    let count = Int(status.st_size)
    guard count > 0 else { throw FeedError(.damagedTimetable, "\(path): the file is empty") }
    guard
      let base = mmap(nil, count, PROT_READ, MAP_SHARED, descriptor, 0), base != MAP_FAILED
    else {
      throw FeedError(.unreadable, "\(path): cannot be mapped: \(SystemFailure.text(errno))")
    }
    bytes = UnsafeRawBufferPointer(start: base, count: count)
  }

  deinit {
    munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
  }
}
