package import ConditionalHTTP
import Hashing

/// The samples of one file, read as a stream: for any size, at most ``ReportLimits/mostSamples``
/// samples and one line are kept.
package struct Recording: Sendable {
  /// A line that is not a sample.
  package struct BrokenLine: Hashable, Sendable {
    /// Its number, from 1.
    package var line: Int
    /// The problem.
    package var problem: String
  }

  /// The name of the file, for display.
  package let name: String
  /// The samples, in the order of the file.
  package private(set) var samples: [RecordedSample] = []
  /// The strings of the samples.
  package private(set) var strings = StringTable()
  /// The number of lines that were read, without empty ones.
  package private(set) var lines = 0
  /// The number of lines about something other than a request.
  package private(set) var otherLines = 0
  /// The number of lines that cannot be read.
  package private(set) var broken = 0
  /// The first of them.
  package private(set) var firstBroken: [BrokenLine] = []
  /// Whether the file ends within a line, as after a kill.
  package private(set) var isTorn = false
  /// The screen contents; only clients of workspaces record them.
  package private(set) var shown: [ShownWorkspace] = []
  /// The bytes of exchanges; only clients of workspaces record them.
  package private(set) var wire: [WireBytes] = []
  /// The samples that were dropped because there are too many.
  package private(set) var leftOut = 0

  /// Whether receipts were verified.
  package var isVerified: Bool { key != nil }
  private let key: ReceiptKey?
  private let mostSamples: Int
  private var pending: [UInt8] = []
  private var isTooLong = false
  private var number = 0

  /// Creates an empty recording.
  ///
  /// - Parameters:
  ///   - name: The name of the file, for display.
  ///   - mostSamples: The maximum number of samples that are judged.
  ///   - key: The key to verify receipts; `nil` leaves them unread.
  package init(
    name: String,
    mostSamples: Int = ReportLimits.mostSamples,
    key: ReceiptKey? = nil
  ) {
    self.name = name
    self.key = key
    self.mostSamples = mostSamples
  }

  /// Creates a recording from bytes.
  package init(name: String, _ bytes: some Sequence<UInt8>, key: ReceiptKey? = nil) {
    self.init(name: name, key: key)
    Array(bytes).withUnsafeBytes { read($0) }
    finish()
  }

  /// The first and the last instant of any line; equal without lines.
  package var span: (begin: Int64, end: Int64) {
    let instants =
      samples.flatMap { [$0.startedAt, $0.endedAt] } + shown.map(\.at) + wire.map(\.at)
    return (instants.min() ?? 0, instants.max() ?? 0)
  }

  /// Reads some more of the file.
  package mutating func read(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      consume(rest[rest.startIndex..<end])
      endLine()
      rest = rest[(end + 1)...]
    }
    consume(rest)
  }

  /// Ends the reading.
  package mutating func finish() {
    guard !pending.isEmpty || isTooLong else { return }
    // A line without an end is complete, or was cut when its writer was killed.
    let count = broken
    endLine()
    guard broken > count else { return }
    isTorn = true
    broken = count
    lines -= 1
    if firstBroken.last?.line == number { firstBroken.removeLast() }
  }

  private mutating func consume(_ bytes: Slice<UnsafeRawBufferPointer>) {
    guard pending.count + bytes.count <= ReportLimits.longestLine else {
      isTooLong = true
      pending.removeAll(keepingCapacity: true)
      return
    }
    if !isTooLong { pending += bytes }
  }

  private mutating func endLine() {
    number += 1
    defer {
      pending.removeAll(keepingCapacity: true)
      isTooLong = false
    }
    guard !isTooLong else {
      lines += 1
      reject("the line is longer than \(ReportLimits.longestLine) bytes")
      return
    }
    let line = pending
    guard line.contains(where: { $0 != 0x20 && $0 != 0x0D && $0 != 0x09 }) else { return }
    lines += 1
    do throws(RecordLine.Fault) {
      let members = try RecordLine.members(of: line)
      if let event = members["event"], event != .text("request") {
        try consume(event, members)
        return
      }
      var reader = SampleReader(members: members, strings: strings, key: key)
      let sample = try reader.sample(line: number, hash: FNV1a.hash(line))
      strings = reader.strings
      if samples.count < mostSamples {
        samples.append(sample)
      } else {
        leftOut += 1
      }
    } catch {
      reject(error.problem)
    }
  }

  private mutating func consume(
    _ event: RecordLine.Value,
    _ members: [String: RecordLine.Value]
  ) throws(RecordLine.Fault) {
    let reader = WorkspaceLineReader(members: members, line: number)
    switch event {
    case .text("shown") where shown.count < WorkspaceReportLimits.mostLines:
      shown.append(try reader.shown())
    case .text("wire") where wire.count < WorkspaceReportLimits.mostLines:
      wire.append(try reader.wire())
    case .text("shown"), .text("wire"): leftOut += 1
    default: otherLines += 1
    }
  }

  private mutating func reject(_ problem: String) {
    broken += 1
    guard firstBroken.count < ReportLimits.mostLines else { return }
    firstBroken.append(BrokenLine(line: number, problem: problem))
  }
}
