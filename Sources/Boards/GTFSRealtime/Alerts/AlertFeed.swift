/// The service alerts of one feed message.
package struct AlertFeed: Sendable {
  /// The header of the feed.
  package let header: FeedHeader
  /// The usable alerts, in the order of the feed.
  package let alerts: [Alert]
  /// The ids of entities with `is_deleted`; only differential feeds should have any.
  package let deletedEntities: [String]
  /// Counts the outcome of every entity, and why some were rejected.
  package let counters: EntityCounters
}

extension AlertFeed {
  /// Reads a feed from its protobuf form.
  ///
  /// A broken alert is rejected, counted and located in ``counters``; the rest of the feed is read.
  ///
  /// - Throws: If the outer structure is broken, the header is missing, or a limit of the whole feed is
  ///   exceeded; the error says where.
  package init(
    protobuf bytes: UnsafeRawBufferPointer,
    limits: RealtimeLimits = .standard
  ) throws(RealtimeError) {
    self = try AlertReader.read(bytes, limits: limits)
  }

  /// Reads a feed from its protobuf form.
  ///
  /// - Throws: As for the form that takes a buffer.
  package init(
    protobuf bytes: [UInt8],
    limits: RealtimeLimits = .standard
  ) throws(RealtimeError) {
    self = try RealtimeError.reading(bytes) { (buffer) throws(RealtimeError) in
      try AlertFeed(protobuf: buffer, limits: limits)
    }
  }
}
