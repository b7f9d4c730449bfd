/// A signed statement about a response, which lets the server recognize the response later: the
/// field `x-md-receipt`.
///
/// A receipt is `v1;t=TIME;s=TIME;c=CLIENT;n=NUMBER;p=RECEIPT;m=CODE`: when the server responded
/// and when the data was made (milliseconds since 1970), whether the client is a page or a program,
/// and, if the client named the previous receipt (`x-md-receipt-after`), its number of this request
/// and the beginning of that receipt's code. The code is an HMAC-SHA256 of all that and of other
/// properties of the response: its request id, its entity tag, its subject, the status of its
/// realtime data, and the HTTP status.
///
/// Receipts of one client form a chain: a response that is edited, moved, omitted or inserted
/// breaks it. A receipt cannot be created or repaired without the key.
package struct AnswerReceipt: Hashable, Sendable {
  /// The response field that carries a receipt.
  package static let field = "x-md-receipt"
  /// The request field that names the previous one.
  package static let afterField = "x-md-receipt-after"
  /// The maximum length of a receipt, in bytes.
  package static let longest = 256

  /// The kind of client, as far as a server can tell.
  package enum Client: String, Hashable, Sendable {
    /// A browser, identified by fields that scripts cannot set (`Sec-Fetch-Mode`).
    case page
    /// Anything else.
    case program
  }

  /// What a request says about the previous receipt: `NUMBER;BEGINNING`.
  package struct After: Hashable, Sendable {
    /// The client's number of this request.
    package var number: Int64
    /// The beginning of the code of the previous receipt, ``length`` digits.
    package var receipt: String
    /// The number of digits that identify a receipt.
    package static let length = 16

    /// Refers to the previous receipt; returns `nil` if it is not a valid receipt.
    ///
    /// - Parameters:
    ///   - number: The client's number of its request.
    ///   - receipt: The previous receipt, as received.
    package init?(number: Int64, following receipt: String) {
      guard number >= 0, let before = AnswerReceipt(receipt) else { return nil }
      self.number = number
      self.receipt = before.name
    }

    /// Reads the value of the field.
    package init?(_ text: some StringProtocol) {
      let parts = text.split(separator: ";", omittingEmptySubsequences: false)
      guard parts.count == 2, (1...10).contains(parts[0].utf8.count),
        parts[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(parts[0]),
        parts[1].utf8.count == Self.length, AnswerReceipt.areDigits(parts[1])
      else { return nil }
      self.number = number
      receipt = String(parts[1])
    }

    /// The value of the field.
    package var text: String { "\(number);\(receipt)" }
  }

  /// The properties of a response that its receipt covers.
  package struct Facts: Hashable, Sendable {
    /// Its request id.
    package var requestId: String
    /// Its entity tag, with quotes; that of a compressed variant is equivalent.
    package var entityTag: String
    /// The requested subject, such as a stop_id.
    package var subject: String
    /// The state of realtime data, in the terms of the contract.
    package var realtime: String
    /// The HTTP status.
    package var status: Int

    /// Creates facts.
    package init(
      requestId: String,
      entityTag: String,
      subject: String,
      realtime: String,
      status: Int
    ) {
      self.requestId = requestId
      self.entityTag = entityTag
      self.subject = subject
      self.realtime = realtime
      self.status = status
    }

    fileprivate var bytes: [UInt8] {
      var tag = entityTag
      if tag.hasSuffix("-gzip\"") { tag = tag.dropLast(6) + "\"" }
      // With their lengths, so that no two lists of strings have the same bytes.
      return [requestId, tag, subject, realtime, "\(status)"]
        .flatMap { Array("\($0.utf8.count):\($0)\n".utf8) }
    }
  }

  /// When the server responded, in milliseconds since 1970.
  package let serverTime: Int64
  /// When the data was made, in milliseconds since 1970, if known.
  package let sourceTime: Int64?
  /// The kind of client.
  package let client: Client
  /// The previous receipt, if the client named it.
  package let after: After?
  /// The code in hexadecimal digits.
  package let code: String

  /// Creates the receipt of a response.
  package init(
    _ facts: Facts,
    serverTime: Int64,
    sourceTime: Int64?,
    client: Client,
    after: After?,
    key: ReceiptKey
  ) {
    self.serverTime = serverTime
    self.sourceTime = sourceTime
    self.client = client
    self.after = after
    let head = Self.head(serverTime, sourceTime, client, after)
    code = Self.code(head, facts, key)
  }

  /// Reads a receipt; returns `nil` if the string is not a valid receipt.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.longest else { return nil }
    var values: [Substring: Substring] = [:]
    let parts = text.split(separator: ";", omittingEmptySubsequences: false)
    for part in parts.dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2, values.updateValue(pair[1], forKey: pair[0]) == nil else {
        return nil
      }
    }
    guard parts.first == "v1", let time = values["t"].flatMap({ Int64($0) }),
      let client = values["c"].flatMap({ Client(rawValue: String($0)) }),
      let code = values["m"], code.utf8.count == 64, Self.areDigits(code)
    else { return nil }
    serverTime = time
    sourceTime = values["s"].flatMap { Int64($0) }
    self.client = client
    after = values["n"].flatMap { number in
      values["p"].flatMap { After("\(number);\($0)") }
    }
    self.code = String(code)
    // There is only one spelling, so it contains nothing that the code does not cover.
    guard self.text == text else { return nil }
  }

  /// The value of the field.
  package var text: String { Self.head(serverTime, sourceTime, client, after) + ";m=\(code)" }

  /// The name by which the next request refers to it.
  package var name: String { String(code.prefix(After.length)) }

  /// Returns whether the holder of a key created it for a response.
  package func isGenuine(_ facts: Facts, key: ReceiptKey) -> Bool {
    let head = Self.head(serverTime, sourceTime, client, after)
    return HMACSHA256.areEqual(Array(Self.code(head, facts, key).utf8), Array(code.utf8))
  }

  private static func head(
    _ time: Int64,
    _ source: Int64?,
    _ client: Client,
    _ after: After?
  )
    -> String
  {
    "v1;t=\(time)" + (source.map { ";s=\($0)" } ?? "") + ";c=\(client.rawValue)"
      + (after.map { ";n=\($0.number);p=\($0.receipt)" } ?? "")
  }

  private static func code(_ head: String, _ facts: Facts, _ key: ReceiptKey) -> String {
    let message = Array("freshet receipt\n\(head)\n".utf8) + facts.bytes
    return HMACSHA256.code(message, key: key.bytes).map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
  }

  fileprivate static func areDigits(_ text: some StringProtocol) -> Bool {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}

/// The secret that creates and verifies receipts.
package struct ReceiptKey: Hashable, Sendable {
  /// The allowed sizes of a key, in bytes.
  package static let sizes = 16...4_096

  let bytes: [UInt8]

  /// Reads a key from the contents of a file, without surrounding whitespace; returns `nil` if it
  /// is too short or too long.
  package init?(_ content: some Sequence<UInt8>) {
    var bytes = Array(content.drop { $0 <= 0x20 })
    while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
    guard Self.sizes.contains(bytes.count) else { return nil }
    self.bytes = bytes
  }
}

extension ReceiptKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A description without the secret.
  package var description: String { "a receipt key" }
  /// A description without the secret.
  package var debugDescription: String { description }
  /// A mirror without the secret.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
