/// The facts in the first bytes of a photo, read without decoding anything.
package struct PhotoHeader: Hashable, Sendable {
  /// The kinds of photos that are read.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// JPEG (ISO/IEC 10918-1).
    case jpeg
    /// PNG (<https://www.w3.org/TR/png/>).
    case png
    /// WebP (RFC 9649).
    case webp
    /// HEIC (ISO/IEC 23008-12 with HEVC), as iPhones write it.
    case heic
  }

  /// The kind.
  package var kind: Kind
  /// Pixels from left to right, before any turning.
  package var width: Int
  /// Pixels from top to bottom, before any turning.
  package var height: Int
  /// How the camera was held (Exif 2.3, 1 to 8); 1 if nothing is said.
  package var orientation = 1

  /// The media type.
  package var mediaType: String { "image/" + kind.rawValue }

  /// Reads a header.
  ///
  /// - Throws: ``ScanError`` `notAPhoto` or `tooLarge`.
  package init(_ bytes: [UInt8], limits: ScanLimits = ScanLimits()) throws(ScanError) {
    guard bytes.count <= limits.photoBytes else {
      throw ScanError(
        .tooLarge,
        "the photo has \(bytes.count) bytes; the most is \(limits.photoBytes)"
      )
    }
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      kind = .png
      guard bytes.count >= 24, bytes[12..<16].elementsEqual("IHDR".utf8) else {
        throw ScanError(.notAPhoto, "the PNG has no header")
      }
      width = Self.number(bytes[16..<20])
      height = Self.number(bytes[20..<24])
    } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      kind = .jpeg
      width = 0
      height = 0
      try readSegments(bytes)
    } else if bytes.count >= 16, bytes.starts(with: "RIFF".utf8),
      bytes[8..<12].elementsEqual("WEBP".utf8)
    {
      kind = .webp
      width = 0
      height = 0
      try readWebP(bytes)
    } else if Self.isHEIC(bytes) {
      kind = .heic
      width = 0
      height = 0
      try readHEIC(bytes)
    } else {
      throw ScanError(.notAPhoto, Self.advice(bytes))
    }
    guard width >= 16, height >= 16 else {
      throw ScanError(.notAPhoto, "the photo has \(width) by \(height) pixels; too few to read")
    }
    guard width <= limits.longestSide, height <= limits.longestSide,
      width.multipliedReportingOverflow(by: height).partialValue <= limits.pixels
    else {
      throw ScanError(
        .tooLarge,
        "the photo has \(width) by \(height) pixels; the most is \(limits.pixels / 1_000_000) million, "
          + "and \(limits.longestSide) on a side"
      )
    }
  }

  static func number(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reduce(0) { $0 << 8 | Int($1) }
  }

  private static func advice(_ bytes: [UInt8]) -> String {
    let isFilm = bytes.count > 12 && bytes[4..<8].elementsEqual("ftyp".utf8)
    let found = isFilm ? "an AVIF photo or a film" : "no photo"
    return "the file is \(found); JPEG, PNG, HEIC and WebP are read"
  }

  /// Walks the segments of a JPEG up to the one that has the size.
  private mutating func readSegments(_ bytes: [UInt8]) throws(ScanError) {
    var position = 2
    while position + 4 <= bytes.count {
      guard bytes[position] == 0xFF else { break }
      let marker = bytes[position + 1]
      // Fill bytes may precede a marker.
      if marker == 0xFF {
        position += 1
        continue
      }
      if marker == 0x01 || 0xD0...0xD7 ~= marker {
        position += 2
        continue
      }
      let length = Self.number(bytes[(position + 2)..<(position + 4)])
      guard length >= 2, position + 2 + length <= bytes.count else { break }
      let segment = bytes[(position + 4)..<(position + 2 + length)]
      switch marker {
      case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
        guard segment.count >= 5 else { break }
        let start = segment.startIndex
        height = Self.number(segment[(start + 1)..<(start + 3)])
        width = Self.number(segment[(start + 3)..<(start + 5)])
        return
      case 0xE1: orientation = Self.orientation(Array(segment)) ?? orientation
      case 0xD9, 0xDA: throw ScanError(.notAPhoto, "the JPEG has no size")
      default: break
      }
      position += 2 + length
    }
    throw ScanError(.notAPhoto, "the JPEG is cut or broken")
  }

  /// The orientation in an Exif segment; every offset is checked.
  static func orientation(_ bytes: [UInt8]) -> Int? {
    guard bytes.starts(with: Array("Exif".utf8) + [0, 0]), bytes.count >= 14 else { return nil }
    let tiff = Array(bytes[6...])
    let isLittle = tiff.starts(with: "II".utf8)
    guard isLittle || tiff.starts(with: "MM".utf8) else { return nil }
    func read(_ offset: Int, _ count: Int) -> Int? {
      guard offset >= 0, offset <= tiff.count - count else { return nil }
      let slice = tiff[offset..<(offset + count)]
      return number(isLittle ? ArraySlice(slice.reversed()) : slice)
    }
    guard let directory = read(4, 4), let entries = read(directory, 2), entries <= 512 else {
      return nil
    }
    for index in 0..<entries {
      let entry = directory + 2 + index * 12
      guard let tag = read(entry, 2) else { return nil }
      if tag == 0x0112, let value = read(entry + 8, 2), 1...8 ~= value { return value }
    }
    return nil
  }
}
