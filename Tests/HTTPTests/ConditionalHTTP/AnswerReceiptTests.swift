import Testing

@testable import ConditionalHTTP

@Suite("Receipts of answers")
struct AnswerReceiptTests {
  private func bytes(_ digits: String) -> [UInt8] {
    stride(from: 0, to: digits.count, by: 2).compactMap { place in
      let start = digits.index(digits.startIndex, offsetBy: place)
      return UInt8(digits[start...].prefix(2), radix: 16)
    }
  }

  @Test(
    arguments: [
      (
        [UInt8](repeating: 0x0B, count: 20), "Hi There",
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        Array("Jefe".utf8), "what do ya want for nothing?",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        [UInt8](repeating: 0xAA, count: 131),
        "Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
      (
        [UInt8](repeating: 0xAA, count: 131),
        "This is a test using a larger than block-size key and a larger than block-size data."
          + " The key needs to be hashed before being used by the HMAC algorithm.",
        "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
      ),
    ]
  )
  func `The code is that of RFC 4231`(key: [UInt8], message: String, code: String) {
    #expect(HMACSHA256.code(message.utf8, key: key) == bytes(code))
  }

  private let facts = AnswerReceipt.Facts(
    requestId: "sb-0123456789ab",
    entityTag: "\"2rsg8d6e2nft\"",
    subject: "Parent8501120",
    realtime: "applied",
    status: 200
  )

  private func key(_ text: String = "a key of sixteen bytes or more") throws -> ReceiptKey {
    try #require(ReceiptKey(text.utf8))
  }

  private func receipt(_ after: AnswerReceipt.After? = nil) throws -> AnswerReceipt {
    AnswerReceipt(
      facts,
      serverTime: 1_795_503_600_417,
      sourceTime: 1_795_503_585_000,
      client: .page,
      after: after,
      key: try key()
    )
  }

  @Test
  func `A receipt is read as it was written, and genuine for its answer only`() throws {
    let first = try receipt()
    let after = try #require(AnswerReceipt.After(number: 12, following: first.text))
    #expect(AnswerReceipt.After(after.text) == after)
    for receipt in [first, try receipt(after)] {
      let read = try #require(AnswerReceipt(receipt.text))
      #expect(read == receipt && receipt.text.utf8.count <= AnswerReceipt.longest)
      #expect(read.isGenuine(facts, key: try key()))
      #expect(!read.isGenuine(facts, key: try key("another key of sixteen bytes")))
      var other = facts
      other.entityTag = "\"2rsg8d6e2nft-gzip\""
      #expect(read.isGenuine(other, key: try key()), "a compressed variant is the same answer")
      for change in 0..<5 {
        var other = facts
        switch change {
        case 0: other.requestId += "0"
        case 1: other.entityTag = "\"2rsg8d6e2nfu\""
        case 2: other.subject = "Parent8503000"
        case 3: other.realtime = "stale_cache"
        default: other.status = 304
        }
        #expect(!read.isGenuine(other, key: try key()))
      }
      // What one member loses, the next one gets.
      var moved = facts
      (moved.subject, moved.realtime) = ("Parent850112", "0applied")
      #expect(!read.isGenuine(moved, key: try key()))
    }
  }

  @Test
  func `Every edited receipt is invalid or not genuine`() throws {
    let after = AnswerReceipt.After(number: 7, following: try receipt().text)
    let text = Array(try receipt(after).text.utf8)
    for place in text.indices {
      for byte in Array("0a;=x".utf8) where byte != text[place] {
        var edited = text
        edited[place] = byte
        let read = AnswerReceipt(String(decoding: edited, as: UTF8.self))
        #expect(try read?.isGenuine(facts, key: key()) != true)
      }
    }
    for more in [";c=page", ";x=1", " ", "0"] {
      #expect(AnswerReceipt(String(decoding: text, as: UTF8.self) + more) == nil)
    }
    for text in ["", "v1", "v2;t=1;c=page;m=0", ";", "v1;t=;c=page;m="] {
      #expect(AnswerReceipt(text) == nil)
    }
  }

  @Test
  func `What a client may say of the receipt before is bounded`() {
    #expect(AnswerReceipt.After("12;0123456789abcdef")?.number == 12)
    for text in [
      "", ";", "12;", "12;0123456789abcde", "12;0123456789ABCDEF", "-1;0123456789abcdef",
      "12345678901;0123456789abcdef", "1;0123456789abcdef;m=0", "1;0123456789abcde\n",
    ] {
      #expect(AnswerReceipt.After(text) == nil, "\(text)")
    }
  }

  @Test
  func `A key has its sizes, without the white space of its file, and shows nothing`() throws {
    #expect(ReceiptKey("short".utf8) == nil)
    #expect(ReceiptKey([UInt8](repeating: 0x61, count: 4_097)) == nil)
    #expect(ReceiptKey("\n  sixteen bytes !!\r\n".utf8) == ReceiptKey("sixteen bytes !!".utf8))
    #expect(!"\(try key()) \(String(reflecting: try key()))".contains("sixteen"))
  }
}
