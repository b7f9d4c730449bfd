/// The parameters of a statement as libpq takes them.
struct StatementParameters {
  let types: [UInt32]
  let lengths: [Int32]
  let formats: [Int32]
  private let offsets: [Int?]
  private let bytes: [UInt8]

  /// How many there are.
  var count: Int32 { Int32(types.count) }

  /// Encodes parameters.
  ///
  /// - Throws: `PostgresError.Kind.invalidValue` for one that is too long.
  init(_ values: [PostgresValue], _ limits: PostgresClientLimits) throws(PostgresError) {
    var bytes: [UInt8] = []
    var offsets: [Int?] = []
    var lengths: [Int32] = []
    for value in values {
      guard let binary = value.binary else {
        offsets.append(nil)
        lengths.append(0)
        continue
      }
      guard binary.count <= limits.parameterBytes else {
        throw PostgresError(
          .invalidValue,
          "a parameter of \(binary.count) bytes; the most is \(limits.parameterBytes)"
        )
      }
      offsets.append(bytes.count)
      lengths.append(Int32(binary.count))
      bytes += binary
    }
    // An empty value needs an address too.
    self.bytes = bytes + [0]
    self.offsets = offsets
    self.lengths = lengths
    types = values.map(\.type)
    formats = values.map { _ in 1 }
  }

  /// Calls with the addresses of the encoded values.
  func withPointers<Result>(_ body: ([UnsafePointer<CChar>?]) -> Result) -> Result {
    bytes.withUnsafeBytes { buffer in
      let base = buffer.assumingMemoryBound(to: CChar.self).baseAddress
      return body(offsets.map { offset in offset.flatMap { base?.advanced(by: $0) } })
    }
  }
}
