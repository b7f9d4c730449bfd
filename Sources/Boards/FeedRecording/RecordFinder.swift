/// Finds the next complete record after damage.
struct RecordFinder {
  let file: RecordingFile
  /// The size of the file in bytes.
  let size: Int64

  /// The number of bytes per read.
  private static let window = 1 << 20

  /// Returns the offset of the first valid record after an offset, by length, kind and checksum, or
  /// `nil`.
  func firstRecord(from damage: Int64) throws(FeedRecording.Failure) -> Int64? {
    let headerBytes = FeedRecording.recordHeaderBytes
    var start = damage + 1
    while size - start > Int64(headerBytes) {
      let count = Int(min(size - start, Int64(Self.window + headerBytes)))
      let bytes = try file.read(count, at: start)
      for place in 0...(count - headerBytes) {
        // Most positions fail here, before anything else is checked.
        guard bytes[place] == ~bytes[place + 4], bytes[place + 1] == ~bytes[place + 5],
          bytes[place + 2] == ~bytes[place + 6], bytes[place + 3] == ~bytes[place + 7]
        else { continue }
        let header = Array(bytes[place..<place + headerBytes])
        if try isRecord(header, at: start + Int64(place)) { return start + Int64(place) }
      }
      start += Int64(count - headerBytes + 1)
    }
    return nil
  }

  private func isRecord(
    _ header: [UInt8],
    at offset: Int64
  ) throws(FeedRecording.Failure) -> Bool {
    let length = Int64(RecordingScan.word(header, 0))
    let start = offset + Int64(header.count)
    guard length > 0, length <= FeedRecording.Limits.bodyBytes + 1, size - start >= length else {
      return false
    }
    let kind = try file.read(1, at: start)[0]
    guard RecordKind(rawValue: kind) != nil else { return false }
    let payload = try file.read(Int(length), at: start)
    do throws(FeedRecording.Failure) {
      try RecordingScan.check(payload, against: header, at: offset, in: file.path)
      return true
    } catch {
      return false
    }
  }
}
