import Testing

@testable import WebSocketNIO

@Suite struct `Lengths of frames on the wire` {
  /// A head with a length in as many bytes as asked, and a payload of zeros.
  private static func frame(_ length: Int, bytes: Int, isMasked: Bool = true) -> [UInt8] {
    let mark: UInt8 = isMasked ? 0x80 : 0
    var frame: [UInt8] = [0x82]
    switch bytes {
    case 1: frame.append(mark | UInt8(length))
    case 2: frame += [mark | 126, UInt8(length >> 8), UInt8(length & 0xFF)]
    default:
      frame.append(mark | 127)
      for shift in stride(from: 56, through: 0, by: -8) {
        frame.append(UInt8(truncatingIfNeeded: length >> shift))
      }
    }
    return frame + [UInt8](repeating: 0, count: length + (isMasked ? 4 : 0))
  }

  @Test(arguments: [1, 2, 3, 9, 1_000_000]) func `the shortest form passes in any pieces`(
    piece: Int
  ) {
    let lengths = [(0, 1), (1, 1), (125, 1), (126, 2), (65_535, 2), (65_536, 8), (70_000, 8)]
    let frames = lengths.flatMap { length, bytes in
      Self.frame(length, bytes: bytes) + Self.frame(length, bytes: bytes, isMasked: false)
    }
    var scan = WebSocketLengths()
    for start in stride(from: 0, to: frames.count, by: piece) {
      #expect(scan.consume(frames[start..<min(frames.count, start + piece)]) == nil)
    }
  }

  @Test(arguments: [(0, 2), (125, 2), (0, 8), (126, 8), (65_535, 8)])
  func `a longer form ends the stream at its head`(length: Int, bytes: Int) {
    let before = Self.frame(7, bytes: 1)
    let bad = Self.frame(length, bytes: bytes)
    var scan = WebSocketLengths()
    #expect(scan.consume(before + bad) == before.count + 1 + bytes)
    var slow = WebSocketLengths()
    var places: [Int] = []
    for (place, byte) in (before + bad).enumerated() where places.isEmpty {
      if slow.consume([byte]) != nil { places.append(place) }
    }
    #expect(places == [before.count + 1 + bytes])
  }

  @Test func `the first bit of a long length is never set`() {
    var scan = WebSocketLengths()
    #expect(scan.consume([0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 1]) != nil)
    var largest = WebSocketLengths()
    #expect(largest.consume([0x82, 0xFF, 0x7F] + [UInt8](repeating: 0xFF, count: 7)) == nil)
  }
}
