import Books
import Foundation
import Testing

@testable import BookScan

@Suite struct PhotoTests {
  static func png(_ width: UInt32, _ height: UInt32) -> [UInt8] {
    func bytes(_ value: UInt32) -> [UInt8] {
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
      + bytes(width) + bytes(height)
  }

  static func jpeg(_ width: Int, _ height: Int, segments: [UInt8] = []) -> [UInt8] {
    [0xFF, 0xD8] + segments + [0xFF, 0xC0, 0, 17, 8]
      + [UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255)]
      + [UInt8](repeating: 0, count: 10)
  }

  /// An Exif segment with an orientation, in both byte orders.
  static func exif(_ orientation: UInt8, isLittle: Bool) -> [UInt8] {
    let tiff: [UInt8] =
      isLittle
      ? [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0]
      : [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0]
    let content = Array("Exif".utf8) + [0, 0] + tiff
    return [0xFF, 0xE1, 0, UInt8(content.count + 2)] + content
  }

  @Test func `sizes and orientations are read without decoding`() throws {
    #expect(try PhotoHeader(Self.png(640, 480)).width == 640)
    #expect(try PhotoHeader(Self.jpeg(1_840, 1_500)).height == 1_500)
    for value in UInt8(1)...8 {
      for isLittle in [true, false] {
        let bytes = Self.jpeg(900, 700, segments: Self.exif(value, isLittle: isLittle))
        #expect(try PhotoHeader(bytes).orientation == Int(value))
      }
    }
  }

  @Test func `limits hold before anything decodes the photo`() {
    func code(_ bytes: [UInt8], _ change: (inout ScanLimits) -> Void = { _ in }) -> ScanError.Code?
    {
      var limits = ScanLimits()
      change(&limits)
      do throws(ScanError) {
        _ = try PhotoHeader(bytes, limits: limits)
        return nil
      } catch {
        return error.code
      }
    }
    #expect(code(Self.png(16_000, 3_000)) == nil)
    // A telephone of 50 megapixels.
    #expect(code(Self.jpeg(8_160, 6_144)) == nil)
    #expect(code(Self.png(16_001, 16)) == .tooLarge)
    #expect(code(Self.png(10_000, 10_000)) == .tooLarge)
    #expect(code(Self.png(.max, .max)) == .tooLarge)
    #expect(code(Self.png(15, 400)) == .notAPhoto)
    #expect(code(Self.png(400, 400)) { $0.photoBytes = 23 } == .tooLarge)
  }

  @Test func `what is not a photo is refused with advice`() {
    let heic = [0, 0, 0, 0x18] + Array("ftypheic".utf8) + [0, 0, 0, 0]
    for bytes in [
      [], Array("GIF89a".utf8), heic, [0xFF, 0xD8, 0xFF, 0xDA, 0, 2], [0xFF, 0xD8, 0xFF],
      Array(Self.png(400, 400).prefix(20)), Self.jpeg(400, 400).dropLast(14),
    ] as [[UInt8]] {
      let error = #expect(throws: ScanError.self) { try PhotoHeader(bytes) }
      #expect(error?.code == .notAPhoto)
      #expect(error?.isRetryable == false)
    }
    let error = #expect(throws: ScanError.self) { try PhotoHeader(heic) }
    #expect(error?.description.contains("HEIC") == true)
  }

  @Test func `damaged headers end in an error, never in a crash`() {
    let bytes = Self.jpeg(900, 700, segments: Self.exif(6, isLittle: true))
    for length in 0...bytes.count { _ = try? PhotoHeader(Array(bytes.prefix(length))) }
    for index in bytes.indices {
      for value in [0, 1, 0x7F, 0xFF] as [UInt8] {
        var damaged = bytes
        damaged[index] = value
        _ = try? PhotoHeader(damaged)
      }
    }
  }

  @Test func `words on one spine are one line, and noise is dropped`() {
    func row(_ text: String, _ left: Int, _ top: Int, _ confidence: String = "90") -> String {
      "5\t1\t1\t1\t1\t1\t\(left)\t\(top)\t100\t30\t\(confidence)\t\(text)"
    }
    let table =
      ([
        "level\tpage_num", row("HERBERT", 500, 102), row("DUNE", 10, 100), row("FRANK", 300, 98),
        row("~~", 10, 200), row("xy", 10, 300), row("maybe", 10, 400, "3"),
        row("KINDRED", 10, 140), "4\t1\t1\t1\t1\t0\t0\t0\t9\t9\t-1\t", "broken",
      ] as [String]).joined(separator: "\n")
    let lines = SpineText.lines(SpineText.words(table))
    #expect(lines.map(\.text) == ["DUNE FRANK HERBERT", "KINDRED"])
    #expect(lines[0].confidence == 0.9)
  }

  @Test func `of two readings of a word the surer one counts`() {
    let first = SpineText.Word(
      text: "DUNC",
      confidence: 40,
      left: 10,
      top: 10,
      width: 100,
      height: 30
    )
    let second = SpineText.Word(
      text: "DUNE",
      confidence: 90,
      left: 6,
      top: 5,
      width: 50,
      height: 16
    )
    let other = SpineText.Word(
      text: "EMMA",
      confidence: 20,
      left: 200,
      top: 5,
      width: 50,
      height: 16
    )
    let words = SpineText.merged([first], [second, other].map { $0.scaled(by: 2) })
    #expect(words.map(\.text) == ["DUNE", "EMMA"])
  }

  @Test(arguments: [
    ("ISBN 978-0-441-01359-3", ["9780441013593"]), ("0441013597", ["9780441013593"]),
    ("9780441013593 9780374538651", ["9780441013593", "9780374538651"]), ("978044101359", []),
    ("9780441013594", []), ("080442957X.", ["9780804429573"]),
  ])
  func `printed numbers are found by their check digits`(text: String, numbers: [String]) {
    #expect(SpineText.numbers(in: text).map(\.description) == numbers)
  }
}
