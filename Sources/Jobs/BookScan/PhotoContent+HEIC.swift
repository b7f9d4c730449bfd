/// HEIC (ISO/IEC 14496-12, section 8.11, and ISO/IEC 23008-12).
extension PhotoContent {
  /// The kinds of items that a picture is put together of; Exif, XMP and whatever else are other ones.
  private static let pictureItems: Set<String> = ["hvc1", "hev1", "grid", "iden", "iovl"]
  private static let fileBoxes: Set<String> = ["ftyp", "meta", "mdat"]
  private static let metaBoxes: Set<String> = [
    "hdlr", "pitm", "iinf", "iref", "iprp", "iloc", "idat", "dinf", "ipro", "grpl",
  ]
  /// The most items of a photo, and the most parts of all of them; a photo of a telephone has about 60 tiles.
  ///
  /// A part may be described by no byte at all, so without the second limit 24 KB would describe 16 million parts.
  private static let mostItems = 4_096

  /// A HEIC photo whose boxes and items besides those of the picture are empty.
  ///
  /// They keep their places, because others point at places in the file.
  static func heic(_ bytes: [UInt8]) throws(ScanError) -> [UInt8] {
    var picture = bytes
    var kinds: Set<String> = []
    var hasMeta = false
    for box in PhotoHeader.boxes(bytes, in: 0..<bytes.count) {
      guard box.range.upperBound <= bytes.count else { throw cut("HEIC") }
      kinds.insert(box.type)
      if !fileBoxes.contains(box.type) { free(box, in: &picture) }
      guard box.type == "meta" else { continue }
      guard !hasMeta else { throw cut("HEIC") }
      hasMeta = true
      try clear(box, in: &picture)
    }
    guard kinds.isSuperset(of: fileBoxes) else { throw cut("HEIC") }
    return picture
  }

  private static func free(_ box: PhotoHeader.Box, in picture: inout [UInt8]) {
    let type = (box.range.lowerBound + 4)..<(box.range.lowerBound + 8)
    picture.replaceSubrange(type, with: Array("free".utf8))
    clear(box.content, in: &picture)
  }

  private static func clear(_ place: Range<Int>, in picture: inout [UInt8]) {
    picture.replaceSubrange(place, with: [UInt8](repeating: 0, count: place.count))
  }

  /// Empties what the meta box has besides the picture, and the items that do not belong to the picture.
  private static func clear(_ meta: PhotoHeader.Box, in picture: inout [UInt8]) throws(ScanError) {
    guard meta.content.count >= 4 else { throw cut("HEIC") }
    let bytes = picture
    var items: [Int: String] = [:]
    var locations: Range<Int>?
    var data: Range<Int>?
    let inner = PhotoHeader.boxes(bytes, in: meta.content.dropFirst(4))
    for box in inner {
      guard box.range.upperBound <= meta.range.upperBound else { throw cut("HEIC") }
      switch box.type {
      case "iinf": items = try itemKinds(bytes, box.content)
      case "iloc": locations = box.content
      case "idat": data = box.content
      default: if !metaBoxes.contains(box.type) { free(box, in: &picture) }
      }
    }
    guard let locations else { return }
    var places: [Range<Int>] = []
    for item in try itemPlaces(bytes, locations)
    where !pictureItems.contains(items[item.id] ?? "") {
      for part in item.parts {
        switch item.way {
        case 0 where part.upperBound <= bytes.count: places.append(part)
        case 1:
          guard let data, part.upperBound <= data.count else { throw cut("HEIC") }
          places.append(
            (data.lowerBound + part.lowerBound)..<(data.lowerBound + part.upperBound)
          )
        default: throw cut("HEIC")
        }
      }
    }
    // Parts may lie upon each other; each byte is emptied once.
    var done = 0
    for place in places.sorted(by: { $0.lowerBound < $1.lowerBound })
    where place.upperBound > done {
      clear(max(place.lowerBound, done)..<place.upperBound, in: &picture)
      done = place.upperBound
    }
  }

  /// The kinds of items by their numbers; versions of `infe` before 2 have none.
  private static func itemKinds(
    _ bytes: [UInt8],
    _ content: Range<Int>
  ) throws(ScanError) -> [Int: String] {
    var reader = BoxReader(bytes, content)
    let version = try reader.number(1)
    _ = try reader.number(3)
    _ = try reader.number(version == 0 ? 2 : 4)
    var kinds: [Int: String] = [:]
    for box in PhotoHeader.boxes(bytes, in: reader.position..<content.upperBound)
    where box.type == "infe" {
      guard box.range.upperBound <= content.upperBound else { throw cut("HEIC") }
      var reader = BoxReader(bytes, box.content)
      let version = try reader.number(1)
      guard version >= 2 else { continue }
      _ = try reader.number(3)
      let id = try reader.number(version == 2 ? 2 : 4)
      _ = try reader.number(2)
      let kind = try reader.text(4)
      // Of two that are one, none is believed.
      kinds[id] = kinds[id] == nil ? kind : ""
    }
    return kinds
  }

  /// Where an item is.
  private struct Item {
    var id: Int
    /// Counted from: 0 the beginning of the file, 1 that of `idat`, 2 that of another item.
    var way: Int
    var parts: [Range<Int>]
  }

  private static func itemPlaces(
    _ bytes: [UInt8],
    _ content: Range<Int>
  ) throws(ScanError) -> [Item] {
    var reader = BoxReader(bytes, content)
    let version = try reader.number(1)
    guard version <= 2 else { throw cut("HEIC") }
    _ = try reader.number(3)
    let sizes = [try reader.number(1), try reader.number(1)]
    let (ofOffset, ofLength, ofBase) = (sizes[0] >> 4, sizes[0] & 15, sizes[1] >> 4)
    let ofIndex = version == 0 ? 0 : sizes[1] & 15
    let count = try reader.number(version < 2 ? 2 : 4)
    guard count <= mostItems else { throw cut("HEIC") }
    var items: [Item] = []
    var allParts = 0
    for _ in 0..<count {
      let id = try reader.number(version < 2 ? 2 : 4)
      let way = version == 0 ? 0 : try reader.number(2) & 15
      _ = try reader.number(2)
      let base = try reader.number(ofBase)
      let partCount = try reader.number(2)
      allParts += partCount
      guard allParts <= mostItems else { throw cut("HEIC") }
      var parts: [Range<Int>] = []
      for _ in 0..<partCount {
        _ = try reader.number(ofIndex)
        let start = base &+ (try reader.number(ofOffset))
        let length = try reader.number(ofLength)
        // A length of 0 is everything that follows.
        let end = length == 0 && way == 0 ? bytes.count : start &+ length
        guard start >= 0, end >= start else { throw cut("HEIC") }
        parts.append(start..<end)
      }
      items.append(Item(id: id, way: way, parts: parts))
    }
    return items
  }
}

/// Reads numbers from a box.
private struct BoxReader {
  private let bytes: [UInt8]
  private let end: Int
  private(set) var position: Int

  init(_ bytes: [UInt8], _ place: Range<Int>) {
    self.bytes = bytes
    position = place.lowerBound
    end = min(place.upperBound, bytes.count)
  }

  /// The next number of so many bytes, up to 8; 0 of none.
  mutating func number(_ size: Int) throws(ScanError) -> Int {
    guard size <= 8, position + size <= end else { throw PhotoContent.cut("HEIC") }
    let value = bytes[position..<(position + size)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    position += size
    guard let number = Int(exactly: value) else { throw PhotoContent.cut("HEIC") }
    return number
  }

  mutating func text(_ size: Int) throws(ScanError) -> String {
    guard position + size <= end else { throw PhotoContent.cut("HEIC") }
    position += size
    return String(decoding: bytes[(position - size)..<position], as: UTF8.self)
  }
}
