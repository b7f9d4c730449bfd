/// Follows a file that grows line by line, as a value: stamps and bytes go in, complete lines come
/// out.
///
/// ```
///           see(stamp)                       take(bytes, at:)
///  unseen ───────────► following ──request──► following
///                        │   ▲
///   other inode, smaller,│   │ restarted, from the beginning
///   other bytes before   └───┘
/// ```
///
/// 1. A line is returned once, whole, and only after its line feed was read.
/// 2. The same lines are returned however the file is split into reads.
/// 3. No more than one line of ``AgentLimits/longestLine`` bytes is held.
/// 4. A file that was replaced, truncated or rewritten is read from its beginning, and a restart is
///    reported before its first line. A longer replacement is detected because every read starts
///    some bytes early and compares them.
package struct LogTail: Hashable, Sendable {
  /// The file status that identifies a state of a file.
  package struct Stamp: Hashable, Sendable {
    /// The number of the device.
    package var device: UInt64
    /// The number of the inode.
    package var inode: UInt64
    /// The size in bytes.
    package var size: Int64
    /// When the content last changed, in nanoseconds since 1970.
    package var modified: Int64

    /// A stamp.
    package init(device: UInt64, inode: UInt64, size: Int64, modified: Int64) {
      self.device = device
      self.inode = inode
      self.size = size
      self.modified = modified
    }
  }

  /// Bytes to read.
  package struct Request: Hashable, Sendable {
    /// The place of the first byte.
    package var from: Int64
    /// How many bytes.
    package var count: Int
  }

  /// Why a file is read from its beginning again.
  package enum Restart: String, Sendable {
    /// Another file has its name.
    case rotated
    /// It became shorter than what was read.
    case truncated
    /// It was as long or longer, but the bytes before differ.
    case rewritten
  }

  /// A finding in a file.
  package enum Finding: Hashable, Sendable {
    /// A complete line, without its line end; never empty.
    case line([UInt8])
    /// A complete line that exceeds the limit, with its length in bytes.
    case oversized(bytes: Int)
    /// The beginning of a long file that was not read, in bytes.
    case skipped(bytes: Int64)
    /// All lines before belong to content that no longer exists.
    case restarted(Restart)
  }

  private let limits: AgentLimits
  private var stamp: Stamp?
  /// How many bytes of the file were taken.
  private var offset: Int64 = 0
  /// The last bytes that were taken.
  private var seam: [UInt8] = []
  /// The bytes of the line that has not ended.
  private var partial: [UInt8] = []
  /// How long the line is that has not ended, with what is not held.
  private var length = 0
  /// Whether the line that has not ended began before the place where reading began.
  private var isHeadless = false
  private var mustCompare = false

  /// A tail that has seen nothing.
  package init(limits: AgentLimits = AgentLimits()) { self.limits = limits }

  /// How many bytes of the file were taken.
  package var position: Int64 { offset }

  /// Takes notice of what the file system says.
  ///
  /// - Parameter stamp: The current file status.
  /// - Returns: Whether the file restarts, and which part of it is skipped.
  package mutating func see(_ stamp: Stamp) -> [Finding] {
    let last = self.stamp
    self.stamp = stamp
    guard let last else { return begin() }
    if last.inode != stamp.inode || last.device != stamp.device { return restart(.rotated) }
    if stamp.size < offset { return restart(.truncated) }
    if stamp.size == offset, last.modified != stamp.modified { mustCompare = true }
    return []
  }

  /// What to read next; `nil` if nothing is missing.
  package var request: Request? {
    guard let stamp else { return nil }
    let missing = stamp.size - offset
    guard missing > 0 || (mustCompare && !seam.isEmpty) else { return nil }
    return Request(
      from: offset - Int64(seam.count),
      count: seam.count + Int(min(missing, Int64(limits.longestRead)))
    )
  }

  /// Takes bytes that were read.
  ///
  /// - Parameters:
  ///   - bytes: The bytes read; fewer than requested if the file ended.
  ///   - from: The offset of the first byte, from ``request``.
  /// - Returns: The complete lines, in order.
  package mutating func handle(_ bytes: [UInt8], at from: Int64) -> [Finding] {
    guard let stamp, from == offset - Int64(seam.count) else { return [] }
    mustCompare = false
    guard bytes.count >= seam.count else { return restart(.truncated) }
    guard bytes.starts(with: seam) else { return restart(.rewritten) }
    let fresh = bytes[seam.count...]
    offset += Int64(fresh.count)
    seam = Array((seam + fresh.suffix(limits.overlap)).suffix(limits.overlap))
    self.stamp?.size = max(stamp.size, offset)
    return lines(of: fresh)
  }

  private mutating func begin() -> [Finding] {
    guard let stamp, stamp.size > limits.reach else { return [] }
    offset = stamp.size - limits.reach
    isHeadless = true
    return [.skipped(bytes: offset)]
  }

  private mutating func restart(_ reason: Restart) -> [Finding] {
    offset = 0
    seam = []
    partial = []
    length = 0
    isHeadless = false
    mustCompare = false
    return [.restarted(reason)] + begin()
  }

  private mutating func lines(of bytes: ArraySlice<UInt8>) -> [Finding] {
    var findings: [Finding] = []
    var rest = bytes
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      hold(rest[..<end])
      if let finding = finish() { findings.append(finding) }
      rest = rest[(end + 1)...]
    }
    hold(rest)
    return findings
  }

  private mutating func hold(_ bytes: ArraySlice<UInt8>) {
    length += bytes.count
    guard !isHeadless, length <= limits.longestLine else {
      partial = []
      return
    }
    partial += bytes
  }

  private mutating func finish() -> Finding? {
    defer {
      partial = []
      length = 0
      isHeadless = false
    }
    guard !isHeadless else { return nil }
    guard length <= limits.longestLine else { return .oversized(bytes: length) }
    if partial.last == UInt8(ascii: "\r") { partial.removeLast() }
    return partial.allSatisfy { $0 == 0x20 || $0 == 0x09 } ? nil : .line(partial)
  }
}
