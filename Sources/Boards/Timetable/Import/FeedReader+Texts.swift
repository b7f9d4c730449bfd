import GTFS

/// The bytes of fields as texts.
extension FeedReader {
  /// The number of a field's text; the empty text for a column the file does not have.
  ///
  /// Bytes that are not UTF-8 are read in the code page of the feed (``LegacyText``).
  func text(_ reader: CSVReader, _ column: Int?) -> UInt32 {
    let bytes = reader.bytes(column)
    guard bytes.count > 0 else { return 0 }
    guard bytes.count <= FeedLimits.textBytes else {
      warn(reader, column, "longer than \(FeedLimits.textBytes) bytes; cut")
      let cut = String(decoding: bytes.prefix(FeedLimits.textBytes), as: UTF8.self)
      return tables.texts.intern(cut)
    }
    guard let repaired = repaired(bytes) else { return tables.texts.insert(bytes).number }
    if report.encoding == nil, let finding = legacy?.finding {
      report.encoding = ImportReport.Encoding(
        name: finding.encoding.name,
        reason: finding.reason,
        texts: 0
      )
      warn(
        reader,
        column,
        "not UTF-8; such texts are read as \(finding.encoding.name): \(finding.reason)"
      )
    }
    report.encoding?.texts += 1
    return repaired.withUnsafeBytes { tables.texts.insert($0).number }
  }

  /// Lends an id as it is stored: in UTF-8.
  func withStored<Result>(
    _ id: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    guard let repaired = repaired(id) else { return body(id) }
    return repaired.withUnsafeBytes(body)
  }

  /// The number of an id; `nil` if the table does not have it.
  @inline(__always)
  func find(_ id: UnsafeRawBufferPointer, in table: ByteTable) -> UInt32? {
    // What is not UTF-8 is stored as UTF-8, and nearly everything is.
    table.find(id) ?? repaired(id)?.withUnsafeBytes { table.find($0) }
  }

  /// Bytes in UTF-8; `nil` if they are already.
  private func repaired(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    if bytes.allSatisfy({ $0 < 0x80 }) || String(validating: bytes, as: UTF8.self) != nil {
      return nil
    }
    if let legacy { return legacy.utf8(bytes) }
    // The whole feed decides, not the file that is read.
    let decided = LegacyText(path: report.source, given: encoding, timeZone: tables.timeZone)
    legacy = decided
    return decided.utf8(bytes)
  }
}

/// How the texts of a feed are read that are not UTF-8: in one code page, the same for all files.
struct LegacyText {
  /// The code page and why it was chosen.
  let finding: EncodingDetector.Finding
  private let letters: [Unicode.Scalar]?

  /// Decides.
  ///
  /// - Parameters:
  ///   - path: The feed, whose files are read again for this, each up to ``FeedLimits/sampledBytes``.
  ///   - given: The encoding, if it was named; nothing is read then.
  ///   - timeZone: The time zone of the agency.
  init(path: String, given: TextEncoding?, timeZone: String) {
    if let given {
      finding = EncodingDetector.Finding(
        encoding: given,
        reason: "it was named; what cannot be decoded is U+FFFD"
      )
    } else {
      var detector = EncodingDetector()
      // What cannot be read again is an error of the import where it is read for good.
      if let source = try? FeedSource.open(path) {
        for file in FeedFile.allCases where file != .locations {
          try? Self.sample(file, of: source, into: &detector)
        }
      }
      finding = detector.finding(timeZone: timeZone)
    }
    letters = finding.encoding.letters
  }

  private static func sample(
    _ file: FeedFile,
    of source: FeedSource,
    into detector: inout EncodingDetector
  ) throws(FeedError) {
    guard let bytes = try source.open(file) else { return }
    var block = [UInt8](repeating: 0, count: FeedLimits.blockBytes)
    var line: [UInt8] = []
    var read = 0
    while read < FeedLimits.sampledBytes {
      var failure: FeedError?
      let count = block.withUnsafeMutableBytes { buffer in
        do throws(FeedError) {
          return try bytes.read(into: buffer)
        } catch {
          failure = error
          return 0
        }
      }
      if let failure { throw failure }
      guard count > 0 else { break }
      read += count
      var start = 0
      while let end = block[start..<count].firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) {
        line.append(contentsOf: block[start..<end])
        line.withUnsafeBytes { detector.add($0) }
        line.removeAll(keepingCapacity: true)
        start = end + 1
      }
      line.append(contentsOf: block[start..<count])
    }
    line.withUnsafeBytes { detector.add($0) }
  }

  /// Bytes in UTF-8.
  func utf8(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    guard let letters else { return Array(String(decoding: bytes, as: UTF8.self).utf8) }
    return Array(String(String.UnicodeScalarView(bytes.map { letters[Int($0)] })).utf8)
  }
}
