/// The parts of a photo that make its picture: nothing else of a stranger's file is given to a program that decodes it.
///
/// Texts, profiles, previews, places and further pictures stay behind: programs inflate and parse them without
/// limits. How the camera was held is kept.
enum PhotoContent {
  /// A photo with the parts of its picture only.
  ///
  /// - Parameters:
  ///   - bytes: The photo.
  ///   - header: Its header.
  ///   - limits: The limits of the input.
  /// - Returns: A file of the same kind.
  /// - Throws: ``ScanError`` if the file is cut, broken or too much.
  static func picture(
    of bytes: [UInt8],
    _ header: PhotoHeader,
    _ limits: ScanLimits
  ) throws(ScanError) -> [UInt8] {
    switch header.kind {
    case .png: try png(bytes)
    case .jpeg: try jpeg(bytes, header.orientation, limits)
    case .webp: try webp(bytes)
    case .heic: try heic(bytes)
    }
  }

  static func cut(_ kind: String) -> ScanError {
    ScanError(.notAPhoto, "the \(kind) is cut off or broken; send the photo again")
  }

  // MARK: PNG

  private static let pngParts: Set<[UInt8]> = Set(
    ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"].map { Array($0.utf8) }
  )

  private static func png(_ bytes: [UInt8]) throws(ScanError) -> [UInt8] {
    var picture = Array(bytes.prefix(8))
    picture.reserveCapacity(bytes.count)
    var position = 8
    while position + 12 <= bytes.count {
      let length = PhotoHeader.number(bytes[position..<(position + 4)])
      let type = Array(bytes[(position + 4)..<(position + 8)])
      let end = position + 12 + length
      guard end <= bytes.count else { break }
      if pngParts.contains(type) { picture += bytes[position..<end] }
      if type.elementsEqual("IEND".utf8) { return picture }
      position = end
    }
    throw cut("PNG")
  }

  // MARK: JPEG

  private static func jpeg(
    _ bytes: [UInt8],
    _ orientation: Int,
    _ limits: ScanLimits
  ) throws(ScanError) -> [UInt8] {
    var picture: [UInt8] = [0xFF, 0xD8] + (orientation == 1 ? [] : exif(orientation))
    picture.reserveCapacity(bytes.count)
    var position = 2
    var scans = 0
    while position + 1 < bytes.count {
      guard bytes[position] == 0xFF else { break }
      let marker = bytes[position + 1]
      if marker == 0xFF || marker == 0x01 || 0xD0...0xD7 ~= marker {
        position += marker == 0xFF ? 1 : 2
        continue
      }
      if marker == 0xD9 { return picture + [0xFF, 0xD9] }
      guard position + 4 <= bytes.count else { break }
      let length = PhotoHeader.number(bytes[(position + 2)..<(position + 4)])
      let end = position + 2 + length
      guard length >= 2, end <= bytes.count else { break }
      if isOfPicture(marker, length) { picture += bytes[position..<end] }
      position = end
      guard marker == 0xDA else { continue }
      scans += 1
      guard scans <= limits.scans else {
        throw ScanError(.tooLarge, "the JPEG has more than \(limits.scans) scans")
      }
      let next = endOfScan(bytes, from: position)
      picture += bytes[position..<next]
      position = next
    }
    throw cut("JPEG")
  }

  /// Whether a segment is a table, a frame or a scan, or says how colors are meant.
  private static func isOfPicture(_ marker: UInt8, _ length: Int) -> Bool {
    switch marker {
    case 0xC0...0xCF, 0xDA...0xDD: true
    // JFIF without a preview, Adobe.
    case 0xE0: length <= 16
    case 0xEE: length <= 64
    default: false
    }
  }

  /// Returns where the compressed data of a scan ends: at the first marker other than a restart.
  private static func endOfScan(_ bytes: [UInt8], from start: Int) -> Int {
    bytes.withUnsafeBufferPointer { bytes in
      var position = start
      while position + 1 < bytes.count {
        let next = bytes[position + 1]
        if bytes[position] == 0xFF, next != 0, next != 0xFF, !(0xD0...0xD7 ~= next) {
          return position
        }
        position += 1
      }
      return bytes.count
    }
  }

  /// An Exif segment that says how the camera was held, and nothing else.
  private static func exif(_ orientation: Int) -> [UInt8] {
    let tiff: [UInt8] = [
      0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0,
      0, 0, 0, 0,
    ]
    let content = Array("Exif".utf8) + [0, 0] + tiff
    return [0xFF, 0xE1, 0, UInt8(content.count + 2)] + content
  }

  // MARK: WebP

  private static func webp(_ bytes: [UInt8]) throws(ScanError) -> [UInt8] {
    var parts: [UInt8] = []
    var hasPicture = false
    for (type, range) in PhotoHeader.webpParts(bytes) {
      guard range.upperBound <= bytes.count else { break }
      switch type {
      case "VP8 ", "VP8L", "ALPH":
        parts += bytes[(range.lowerBound - 8)..<range.upperBound]
        hasPicture = hasPicture || type != "ALPH"
      case "VP8X":
        var part = Array(bytes[(range.lowerBound - 8)..<range.upperBound])
        // Transparency is left; profiles, places and movement are not.
        if part.count > 8 { part[8] &= 0x10 }
        parts += part
      case "ANIM", "ANMF": throw ScanError(.notAPhoto, "the WebP is a moving picture; send a photo")
      default: break
      }
      if range.count % 2 == 1, !parts.isEmpty, parts.count % 2 == 1 { parts.append(0) }
    }
    guard hasPicture else { throw cut("WebP") }
    let size = parts.count + 4
    let length = (0..<4).map { UInt8(truncatingIfNeeded: size >> ($0 * 8)) }
    return Array("RIFF".utf8) + length + Array("WEBP".utf8) + parts
  }
}
