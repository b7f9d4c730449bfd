/// The parameters of a statement as libpq takes them.
struct StatementParameters {
  /// A value that stays where it is.
  private struct Large {
    var place: Int
    var bytes: [UInt8]
  }

  /// From how many bytes on a value is not copied before libpq copies it.
  private static let largeBytes = 4_096

  let types: [UInt32]
  let lengths: [Int32]
  let formats: [Int32]
  /// Where in ``bytes`` each value begins; `nil` for `NULL` and for ``large`` values.
  private let offsets: [Int?]
  private let bytes: [UInt8]
  private let large: [Large]

  /// How many there are.
  var count: Int32 { Int32(types.count) }

  /// Encodes parameters.
  ///
  /// - Throws: `PostgresError.Kind.invalidValue` for one that is too long.
  init(_ values: [PostgresValue], _ limits: PostgresClientLimits) throws(PostgresError) {
    var bytes: [UInt8] = []
    var large: [Large] = []
    var offsets: [Int?] = []
    var lengths: [Int32] = []
    for (place, value) in values.enumerated() {
      let binary = value.binary
      lengths.append(Int32(clamping: binary?.count ?? 0))
      guard let binary, binary.count < Self.largeBytes else {
        offsets.append(nil)
        guard let binary else { continue }
        guard binary.count <= limits.parameterBytes else {
          throw PostgresError(
            .invalidValue,
            "a parameter of \(binary.count) bytes; the most is \(limits.parameterBytes)"
          )
        }
        large.append(Large(place: place, bytes: binary))
        continue
      }
      offsets.append(bytes.count)
      bytes += binary
    }
    // An empty value needs an address too.
    bytes.append(0)
    self.bytes = bytes
    self.large = large
    self.offsets = offsets
    self.lengths = lengths
    types = values.map(\.type)
    formats = values.map { _ in 1 }
  }

  /// Calls with the addresses of the encoded values.
  func withPointers<Result>(_ body: ([UnsafePointer<CChar>?]) -> Result) -> Result {
    bytes.withUnsafeBytes { buffer in
      let base = buffer.assumingMemoryBound(to: CChar.self).baseAddress
      let pointers = offsets.map { offset in offset.flatMap { base?.advanced(by: $0) } }
      return Self.add(large[...], to: pointers, body)
    }
  }

  /// Adds the addresses of large values, one after the other, and calls with all.
  private static func add<Result>(
    _ large: ArraySlice<Large>,
    to pointers: [UnsafePointer<CChar>?],
    _ body: ([UnsafePointer<CChar>?]) -> Result
  ) -> Result {
    guard let next = large.first else { return body(pointers) }
    return next.bytes.withUnsafeBytes { buffer in
      var pointers = pointers
      pointers[next.place] = buffer.assumingMemoryBound(to: CChar.self).baseAddress
      return add(large.dropFirst(), to: pointers, body)
    }
  }
}
