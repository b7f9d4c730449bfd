import Testing

@testable import ConditionalHTTP

@Suite struct `SHA-256` {
  private func text(_ hash: [UInt8]) -> String {
    hash.map { byte in
      let digits = String(byte, radix: 16)
      return digits.count < 2 ? "0" + digits : digits
    }
    .joined()
  }

  @Test(
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ]
  )
  func `The hash is that of FIPS 180-4`(message: String, hash: String) {
    #expect(text(SHA256.hash(message.utf8)) == hash)
  }

  @Test func `A million bytes have the hash of FIPS 180-4`() {
    let message = [UInt8](repeating: 0x61, count: 1_000_000)
    let hash = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    #expect(text(SHA256.hash(message)) == hash)
  }

  /// The hash of the hashes of 0, 1, … 129 bytes 0, 1, 2 …, computed by Python's `hashlib`: two blocks and every padding.
  @Test func `Messages of every length have the hash that another implementation gives`() {
    let hashes = (0..<130).flatMap { count in SHA256.hash((0..<UInt8(count)).lazy.map { $0 }) }
    let hash = "105812602bb337abca31d9f6bf3a57a3907500005fad7c01e1e1140aa77e4499"
    #expect(text(SHA256.hash(hashes)) == hash)
  }
}
