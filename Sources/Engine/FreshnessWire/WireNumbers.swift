// The numbers and bits are published in wire.json, and Scripts/generate-engine-wire writes them for Swift and JavaScript.

/// An enumeration whose cases have published numbers.
protocol WireNumbered: Hashable {
  /// The case with a number, if there is one.
  init?(wireNumber: Int64)
  /// The number of the case.
  var wireNumber: Int64 { get }
}

extension WireNumbered where Self: RawRepresentable<Int64> {
  init?(wireNumber: Int64) { self.init(rawValue: wireNumber) }
  var wireNumber: Int64 { rawValue }
}

/// A set whose members have published bits.
protocol WireBits: OptionSet {
  /// The bits of the members.
  var wireBits: Int64 { get }
}
