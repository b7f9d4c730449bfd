// WebP (RFC 9649) and HEIC (ISO/IEC 23008-12), as far as their sizes.
extension PhotoHeader {
  /// The chunks of a WebP photo: the type and the content range of each; the last one may be truncated.
  static func webpParts(_ bytes: [UInt8]) -> [(type: String, range: Range<Int>)] {
    var parts: [(type: String, range: Range<Int>)] = []
    var position = 12
    while position + 8 <= bytes.count, parts.count < mostParts {
      let type = String(decoding: bytes[position..<(position + 4)], as: UTF8.self)
      let length = number(ArraySlice(bytes[(position + 4)..<(position + 8)].reversed()))
      let start = position + 8
      parts.append((type, start..<(start + length)))
      position = start + length + length % 2
    }
    return parts
  }

  /// The most chunks or boxes that are read.
  private static let mostParts = 256

  /// Reads the size and the orientation of a WebP photo.
  mutating func readWebP(_ bytes: [UInt8]) throws(ScanError) {
    for (type, range) in Self.webpParts(bytes) where range.upperBound <= bytes.count {
      let part = Array(bytes[range])
      func little(_ start: Int, _ count: Int) -> Int {
        Self.number(ArraySlice(part[start..<(start + count)].reversed()))
      }
      switch type {
      case "VP8X" where part.count >= 10:
        (width, height) = (little(4, 3) + 1, little(7, 3) + 1)
      case "VP8 " where part.count >= 10 && width == 0:
        (width, height) = (little(6, 2) & 0x3FFF, little(8, 2) & 0x3FFF)
      case "VP8L" where part.count >= 5 && width == 0:
        let bits = little(1, 4)
        (width, height) = (bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
      case "EXIF":
        let mark = Array("Exif".utf8) + [0, 0]
        orientation = Self.orientation(part.starts(with: mark) ? part : mark + part) ?? orientation
      default: break
      }
    }
    guard width > 0 else { throw ScanError(.notAPhoto, "the WebP is cut or broken") }
  }

  /// A box of a file of the ISO base media format.
  struct Box {
    var type: String
    /// Its range, including its header.
    var range: Range<Int>
    /// The range of its content, as far as present.
    var content: Range<Int>
  }

  /// The boxes in a part of a file; the last one may reach behind its end.
  static func boxes(_ bytes: [UInt8], in place: Range<Int>) -> [Box] {
    var boxes: [Box] = []
    var position = place.lowerBound
    while position + 8 <= place.upperBound, boxes.count < mostParts {
      var length = number(bytes[position..<(position + 4)])
      var head = 8
      if length == 1, position + 16 <= place.upperBound {
        // Larger ones than any file that is read are broken.
        length = min(number(bytes[(position + 12)..<(position + 16)]), Int(Int32.max))
        head = 16
      }
      if length == 0 { length = place.upperBound - position }
      guard length >= head else { break }
      let end = position + length
      boxes.append(
        Box(
          type: String(decoding: bytes[(position + 4)..<(position + 8)], as: UTF8.self),
          range: position..<end,
          content: min(position + head, bytes.count)..<min(end, bytes.count)
        )
      )
      position = end
    }
    return boxes
  }

  /// The brands of files whose pictures are HEVC.
  private static let brands: Set<String> = [
    "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1",
  ]

  /// Whether a file says that its pictures are HEVC.
  static func isHEIC(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 12 && bytes[4..<8].elementsEqual("ftyp".utf8)
      && brands.contains(String(decoding: bytes[8..<12], as: UTF8.self))
  }

  /// Reads the size of a HEIC photo: that of the largest of its pictures; a photo is put together of tiles.
  mutating func readHEIC(_ bytes: [UInt8]) throws(ScanError) {
    let broken = ScanError(.notAPhoto, "the HEIC photo is cut or broken")
    guard
      let meta = Self.boxes(bytes, in: 0..<bytes.count).first(where: { $0.type == "meta" }),
      meta.range.upperBound <= bytes.count, meta.content.count > 4
    else { throw broken }
    // Four bytes of version and flags precede the boxes in it.
    let inner = Self.boxes(bytes, in: (meta.content.lowerBound + 4)..<meta.content.upperBound)
    for properties in inner where properties.type == "iprp" {
      guard properties.range.upperBound <= meta.range.upperBound else { throw broken }
      for container in Self.boxes(bytes, in: properties.content) where container.type == "ipco" {
        guard container.range.upperBound <= properties.range.upperBound else { throw broken }
        for size in Self.boxes(bytes, in: container.content)
        where size.type == "ispe" && size.content.count >= 12 {
          let start = size.content.lowerBound
          let wide = Self.number(bytes[(start + 4)..<(start + 8)])
          let high = Self.number(bytes[(start + 8)..<(start + 12)])
          if wide.multipliedReportingOverflow(by: high).partialValue > width * height {
            (width, height) = (wide, high)
          }
        }
      }
    }
    guard width > 0 else { throw broken }
  }
}
