import CZip

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// A zip archive whose members are read as streams, without unpacking to disk.
///
/// Members are found by file name; if the feed lies in a sub-folder of the archive, in the one
/// nearest to the root that has a stops.txt; if it lies in the only archive within the archive, in that
/// one. Limits (``FeedLimits``) hold on what is really
/// inflated, not on what the archive's directory claims.
package final class ZipArchive {
  private let handle: OpaquePointer
  private let path: String
  private let members: [String: Member]
  private var inflated = 0
  /// The bytes of the file.
  package let storedBytes: Int

  private struct Member {
    var index: UInt64
    var size: Int
    var storedSize: Int
    var isEncrypted: Bool
  }

  /// Opens an archive and reads its directory.
  ///
  /// - Throws: ``FeedError`` with code `brokenArchive` or `limitExceeded`.
  package init(path: String) throws(FeedError) {
    self.path = path
    storedBytes = Self.size(of: path)
    var code: Int32 = 0
    guard let handle = zip_open(path, ZIP_RDONLY, &code) else {
      var failure = zip_error_t()
      zip_error_init_with_code(&failure, code)
      defer { zip_error_fini(&failure) }
      let reason = zip_error_strerror(&failure).map { String(cString: $0) } ?? "error \(code)"
      throw Self.unreadable(path, code, reason)
    }
    do {
      (self.handle, members) = try Self.feed(
        in: handle,
        path: path,
        FeedBudget(stored: storedBytes)
      )
    } catch {
      zip_discard(handle)
      throw error
    }
  }

  private static func unreadable(_ place: String, _ code: Int32, _ reason: String) -> FeedError {
    let detail = code == ZIP_ER_NOZIP ? "" : ": \(reason)"
    return FeedError(.brokenArchive, "\(place) is not a readable zip archive\(detail)")
  }

  private static func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// The archive that holds the feed, with its members: the one given, or the only one within it.
  private static func feed(
    in handle: OpaquePointer,
    path: String,
    _ budget: FeedBudget
  ) throws(FeedError) -> (OpaquePointer, [String: Member]) {
    let members = try directory(of: handle, path: path)
    guard let name = try nestedArchive(in: members, path: path), let member = members[name] else {
      return (handle, members)
    }
    let inner = try open(member, name, of: handle, path: path, budget)
    do {
      let members = try directory(of: inner, path: "\(path): \(name)")
      zip_discard(handle)
      return (inner, members)
    } catch {
      zip_discard(inner)
      throw error
    }
  }

  /// The name of the archive that holds the feed, in an archive that does not hold it itself.
  private static func nestedArchive(
    in members: [String: Member],
    path: String
  ) throws(FeedError) -> String? {
    guard members["stops.txt"] == nil else { return nil }
    let archives = members.keys
      .filter { $0.lowercased().hasSuffix(".zip") && !$0.hasPrefix("__MACOSX/") }.sorted()
    guard archives.count > 1 else { return archives.first }
    throw FeedError(
      .missingFile,
      "\(path): stops.txt is missing, and there are \(archives.count) archives in this one:"
        + " \(archives.prefix(3).joined(separator: ", "))\(archives.count > 3 ? " …" : "");"
        + " unpack it, and import one of them"
    )
  }

  /// Opens an archive within an archive.
  ///
  /// It is read into memory: its directory is at its end.
  private static func open(
    _ member: Member,
    _ name: String,
    of outer: OpaquePointer,
    path: String,
    _ budget: FeedBudget
  ) throws(FeedError) -> OpaquePointer {
    guard !member.isEncrypted else {
      throw FeedError(.brokenArchive, "\(path): \(name) is encrypted")
    }
    let most = min(FeedLimits.nestedArchiveBytes, budget.bytes)
    guard member.size <= most else {
      throw FeedError(
        .limitExceeded,
        "\(path): \(name) has \(member.size) bytes; the limit for an archive within this archive is"
          + " \(most): unpack it first"
      )
    }
    guard let file = zip_fopen_index(outer, member.index, 0),
      let bytes = malloc(max(1, member.size))
    else {
      throw FeedError(.brokenArchive, "\(path): \(name) cannot be opened")
    }
    defer { zip_fclose(file) }
    var count = 0
    while count < member.size {
      let read = zip_fread(file, bytes + count, UInt64(member.size - count))
      guard read > 0 else { break }
      count += Int(read)
    }
    var failure = zip_error_t()
    zip_error_init(&failure)
    defer { zip_error_fini(&failure) }
    guard count == member.size,
      let source = zip_source_buffer_create(bytes, UInt64(count), 1, &failure)
    else {
      free(bytes)
      throw FeedError(.brokenArchive, "\(path): \(name) is damaged after \(count) bytes")
    }
    guard let inner = zip_open_from_source(source, ZIP_RDONLY, &failure) else {
      // The source, and its bytes with it, belongs to the archive only once that is open.
      zip_source_free(source)
      let reason = zip_error_strerror(&failure).map { String(cString: $0) } ?? "unknown failure"
      throw Self.unreadable("\(path): \(name)", zip_error_code_zip(&failure), reason)
    }
    return inner
  }

  deinit { zip_discard(handle) }

  private static func directory(
    of handle: OpaquePointer,
    path: String
  ) throws(FeedError) -> [String: Member] {
    let count = zip_get_num_entries(handle, 0)
    guard count <= FeedLimits.archiveEntries else {
      throw FeedError(
        .limitExceeded,
        "\(path): \(count) entries; the limit is \(FeedLimits.archiveEntries)"
      )
    }
    var all: [String: Member] = [:]
    for index in 0..<UInt64(max(0, count)) {
      var status = zip_stat_t()
      zip_stat_init(&status)
      guard zip_stat_index(handle, index, 0, &status) == 0, let name = status.name else { continue }
      all[String(cString: name)] = Member(
        index: index,
        size: Int(clamping: status.size),
        storedSize: Int(clamping: status.comp_size),
        isEncrypted: status.encryption_method != UInt16(ZIP_EM_NONE)
      )
    }
    let anchor = "stops.txt"
    let folder = all.keys.filter { $0 == anchor || $0.hasSuffix("/" + anchor) }
      .filter { !$0.hasPrefix("__MACOSX/") }
      .min { left, right in
        let (leftDepth, rightDepth) = (left.count { $0 == "/" }, right.count { $0 == "/" })
        return (leftDepth, left) < (rightDepth, right)
      }
      .map { String($0.dropLast(anchor.utf8.count)) }
    guard let folder, !folder.isEmpty else { return all }
    var nested: [String: Member] = [:]
    for (name, member) in all where name.hasPrefix(folder) {
      nested[String(name.dropFirst(folder.count))] = member
    }
    return nested
  }

  /// The inflated size of a member as the archive's directory claims it, in bytes.
  package func size(of name: String) -> Int? { members[name]?.size }

  /// Opens a member for reading; `nil` if the archive has no member of that name.
  package func open(_ name: String) throws(FeedError) -> (any ByteSource)? {
    guard let member = members[name] else { return nil }
    guard !member.isEncrypted else {
      throw FeedError(.brokenArchive, "\(path): \(name) is encrypted")
    }
    guard member.size <= FeedLimits.fileBytes else {
      throw FeedError(
        .limitExceeded,
        "\(path): \(name) has \(member.size) bytes; the limit is \(FeedLimits.fileBytes)"
      )
    }
    guard let file = zip_fopen_index(handle, member.index, 0) else {
      throw FeedError(.brokenArchive, "\(path): \(name) cannot be opened: \(lastFailure)")
    }
    return ZipMemberSource(
      file: file,
      archive: self,
      name: name,
      storedSize: member.storedSize
    )
  }

  private var lastFailure: String {
    zip_strerror(handle).map { String(cString: $0) } ?? "unknown failure"
  }

  fileprivate func account(
    _ count: Int,
    of name: String,
    total: Int,
    stored: Int
  ) throws(FeedError) {
    inflated += count
    guard inflated <= FeedLimits.feedBytes, total <= FeedLimits.fileBytes else {
      throw FeedError(
        .limitExceeded,
        "\(path): \(name) inflates past the limit of \(FeedLimits.fileBytes) bytes for a file"
          + " and \(FeedLimits.feedBytes) for the feed"
      )
    }
    guard
      total <= FeedLimits.ratioFloorBytes
        || total / max(1, stored) <= FeedLimits.inflationRatio
    else {
      throw FeedError(
        .limitExceeded,
        "\(path): \(name) inflates to more than \(FeedLimits.inflationRatio) times its stored"
          + " size: this looks like a zip bomb"
      )
    }
  }

  private final class ZipMemberSource: ByteSource {
    let file: OpaquePointer
    let archive: ZipArchive
    let name: String
    let storedSize: Int
    var total = 0

    init(file: OpaquePointer, archive: ZipArchive, name: String, storedSize: Int) {
      self.file = file
      self.archive = archive
      self.name = name
      self.storedSize = storedSize
    }

    deinit { zip_fclose(file) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(FeedError) -> Int {
      let count = Int(zip_fread(file, buffer.baseAddress, UInt64(buffer.count)))
      guard count >= 0 else {
        let reason = zip_file_strerror(file).map { String(cString: $0) } ?? "unknown failure"
        throw FeedError(
          .brokenArchive,
          "\(archive.path): \(name) is damaged after \(total) bytes: \(reason)"
        )
      }
      total += count
      try archive.account(count, of: name, total: total, stored: storedSize)
      return count
    }
  }
}
