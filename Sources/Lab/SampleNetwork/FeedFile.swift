#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A file of the feed that is being written, with its own buffer.
///
/// Invariants: `used` never exceeds the capacity; the bytes in the buffer follow those in the file.
struct FeedFile: ~Copyable {
  private static let capacity = 1 << 20

  let name: String
  private let path: String
  private let descriptor: Int32
  private let buffer: UnsafeMutablePointer<UInt8>
  private var used = 0
  private var written = 0
  private(set) var rows = 0

  /// Creates the file, or empties it if there is one, and writes its header.
  init(named name: String, in directory: String, header: String) throws(SampleError) {
    self.name = name
    self.path = directory + "/" + name
    self.descriptor = open(self.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    self.buffer = .allocate(capacity: FeedFile.capacity)
    guard self.descriptor >= 0 else { throw FeedFile.failure("cannot create", self.path) }
    try self.append(header)
    try self.append(UInt8(ascii: "\n"))
  }

  deinit {
    if self.descriptor >= 0 { _ = close(self.descriptor) }
    self.buffer.deallocate()
  }

  /// Creates a folder and those above it where they are missing.
  static func createDirectory(_ directory: String) throws(SampleError) {
    var path = directory.hasPrefix("/") ? "/" : ""
    for part in directory.split(separator: "/") {
      path += part
      guard mkdir(path, 0o755) == 0 || errno == EEXIST || errno == EISDIR else {
        throw FeedFile.failure("cannot create", path)
      }
      path += "/"
    }
  }

  /// Counts rows written with the methods below.
  mutating func count(rows: Int) { self.rows += rows }

  mutating func append(_ byte: UInt8) throws(SampleError) {
    try self.reserve(1)
    self.buffer[self.used] = byte
    self.used += 1
  }

  mutating func append(_ text: String) throws(SampleError) {
    var text = text
    let bytes = text.withUTF8 { Array($0) }
    try self.append(bytes)
  }

  mutating func append(_ bytes: [UInt8]) throws(SampleError) {
    try self.reserve(bytes.count)
    let count = bytes.count
    let target = self.buffer + self.used
    bytes.withUnsafeBufferPointer { source in
      if let base = source.baseAddress { target.update(from: base, count: count) }
    }
    self.used += count
  }

  /// Writes a row of fields, quoting those that need it.
  mutating func append(row fields: [String]) throws(SampleError) {
    for (index, field) in fields.enumerated() {
      if index > 0 { try self.append(UInt8(ascii: ",")) }
      try self.append(field.quotedForCSV)
    }
    try self.append(UInt8(ascii: "\n"))
    self.rows += 1
  }

  /// Provides space in the buffer for a row of bounded length.
  ///
  /// - Parameters:
  ///   - bound: The maximum number of bytes of the row, at most the capacity of the buffer.
  ///   - fill: Writes the row and returns the first position after it.
  /// - Throws: An error if the bytes before it cannot be written.
  @inline(__always)
  mutating func fill(
    atMost bound: Int,
    _ fill: (UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8>
  ) throws(SampleError) {
    try self.reserve(bound)
    let end = fill(self.buffer + self.used)
    self.used = end - self.buffer
  }

  /// Writes the rest and returns a summary of the file.
  consuming func finish() throws(SampleError) -> SampleSummary.File {
    try self.flush()
    return SampleSummary.File(name: self.name, rows: self.rows, bytes: self.written)
  }

  @inline(__always)
  private mutating func reserve(_ count: Int) throws(SampleError) {
    if count > FeedFile.capacity - self.used { try self.flush() }
    precondition(count <= FeedFile.capacity - self.used)
  }

  private mutating func flush() throws(SampleError) {
    var start = 0
    while start < self.used {
      let count = write(self.descriptor, self.buffer + start, self.used - start)
      if count < 0 {
        if errno == EINTR { continue }
        throw FeedFile.failure("cannot write", self.path)
      }
      start += count
    }
    self.written += self.used
    self.used = 0
  }

  private static func failure(_ what: String, _ path: String) -> SampleError {
    let reason = String(cString: strerror(errno))
    return SampleError(code: .cannotWrite, message: "\(what) \(path): \(reason)")
  }
}

extension String {
  /// The text as a field of a comma separated file: in quotes if it needs them.
  var quotedForCSV: String {
    guard self.utf8.contains(where: { $0 == 0x2C || $0 == 0x22 || $0 == 0x0A || $0 == 0x0D }) else {
      return self
    }
    var quoted = "\""
    for character in self.unicodeScalars {
      if character == "\"" { quoted += "\"" }
      quoted.unicodeScalars.append(character)
    }
    return quoted + "\""
  }
}
