import ConditionalHTTP
import Foundation
import Hashing
import Testing

@Suite struct InstantTextTests {
  @Test func `An instant is written as Foundation writes it`() {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    var state: UInt64 = 1
    for _ in 0..<10_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      // 1900 to 2200, in eighths of a second, which are exact.
      let seconds = Double(Int64(state >> 12) % (9_467_000_000 * 8)) / 8 - 2_208_988_800
      let whole = seconds.rounded(.down)
      let fraction = String(format: "%03d", Int((seconds - whole) * 1_000))
      let expected = Date(timeIntervalSince1970: whole).formatted(style)
        .replacing(".000Z", with: ".\(fraction)Z")
      #expect(InstantText.write(seconds) == expected)
    }
  }

  @Test func `What is written has the milliseconds that tell instants apart`() {
    var random = SplitMix64(seed: 1)
    for _ in 0..<10_000 {
      // All of them are a moment before a full millisecond, where rounding decides.
      let whole = Double(Int64.random(in: 0..<4_000_000_000_000, using: &random))
      let seconds = (whole - Double.random(in: 0..<0.002, using: &random)) / 1_000
      let read = InstantText.read(InstantText.write(seconds)) ?? .nan
      #expect(Int64((read * 1_000).rounded()) == InstantText.milliseconds(of: seconds))
    }
  }

  @Test func `What has no year of four digits is written as the nearest instant that has one`() {
    for seconds in [-Double.infinity, -1e300, -62_200_000_000, -62_135_596_800.001, .nan] {
      #expect(InstantText.write(seconds) == "0001-01-01T00:00:00.000Z")
    }
    for seconds in [Double.infinity, 1e300, 253_402_300_800, Double(Int64.max)] {
      #expect(InstantText.write(seconds) == "9999-12-31T23:59:59.999Z")
    }
    #expect(InstantText.write(-62_135_596_800 + 86_400) == "0001-01-02T00:00:00.000Z")
    #expect(InstantText.write(253_402_300_799.5) == "9999-12-31T23:59:59.500Z")
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000Z"), (-0.001, "1969-12-31T23:59:59.999Z"),
    (951_782_400, "2000-02-29T00:00:00.000Z"), (1_795_503_600.25, "2026-11-24T07:00:00.250Z"),
  ])
  func `An instant is written with milliseconds in UTC`(_ seconds: Double, _ text: String) {
    #expect(InstantText.write(seconds) == text)
    #expect(InstantText.read(text).map { abs($0 - seconds) < 1e-6 } == true)
  }
}
