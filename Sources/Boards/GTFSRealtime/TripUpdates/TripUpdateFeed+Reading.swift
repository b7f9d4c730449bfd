extension TripUpdateFeed {
  /// Reads a feed from its protobuf form.
  ///
  /// A broken entity is rejected, counted and located in ``counters``; the rest of the feed is read.
  ///
  /// - Throws: If the outer structure is broken, the header is missing, or a limit of the whole feed is
  ///   exceeded; the error says where.
  package init(
    protobuf bytes: UnsafeRawBufferPointer,
    limits: RealtimeLimits = .standard
  ) throws(RealtimeError) {
    self = try TripUpdateReader.read(bytes, limits: limits)
  }

  /// Reads a feed from its protobuf form.
  ///
  /// - Throws: As for the form that takes a buffer.
  package init(
    protobuf bytes: [UInt8],
    limits: RealtimeLimits = .standard
  ) throws(RealtimeError) {
    self = try RealtimeError.reading(bytes) { (buffer) throws(RealtimeError) in
      try TripUpdateFeed(protobuf: buffer, limits: limits)
    }
  }
}
