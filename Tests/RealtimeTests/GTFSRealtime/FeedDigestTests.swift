import GTFSRealtime
import Testing

@Suite struct FeedDigestTests {
  /// The published values of XXH64 with seed 0.
  @Test(arguments: [
    ("", "ef46db3751d8e999-0"), ("a", "d24ec4f1a98c6e5b-1"), ("abc", "44bc2cf5ad770999-3"),
    (
      "Nobody inspects the spammish repetition", "fbcea83c8a378bf1-39"
    ),
  ])
  func `the digest is XXH64`(text: String, digest: String) {
    #expect(FeedDigest(Array(text.utf8)).description == digest)
  }

  @Test func `every byte counts, at every length`() {
    for count in 1...70 {
      let bytes = (0..<count).map { UInt8($0) }
      let digest = FeedDigest(bytes)
      for place in 0..<count {
        var other = bytes
        other[place] ^= 1
        #expect(FeedDigest(other) != digest)
      }
      #expect(FeedDigest(bytes) == digest)
    }
  }
}
