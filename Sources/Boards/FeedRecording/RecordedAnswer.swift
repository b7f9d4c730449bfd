extension FeedRecording {
  /// The failure of a response that did not arrive before the timeout.
  package static let noAnswerInTime = "no answer in time"

  /// A response, or the lack of one, as it arrived.
  package struct Answer: Hashable, Sendable {
    /// The source.
    package var source: Source
    /// When the response arrived, in milliseconds since 1970-01-01T00:00:00Z.
    package var arrival: Int64
    /// How long it took, in milliseconds.
    package var duration: Int64
    /// The HTTP status; 0 without a response.
    package var status: Int
    /// The relevant fields, in order.
    package var fields: [Field]
    /// The reason for a missing response; empty if there was one.
    package var failure: String
    /// The position of the body in the file; `nil` without a body.
    ///
    /// A 304 has the body that it confirms.
    package var body: BodyPlace?

    /// Creates a response without a body.
    package init(
      source: Source,
      arrival: Int64,
      duration: Int64,
      status: Int,
      fields: [Field] = [],
      failure: String = ""
    ) {
      self.source = source
      self.arrival = arrival
      self.duration = duration
      self.status = status
      self.fields = fields
      self.failure = failure
    }

    /// Whether the response delivers content or confirms it (a status of 200 to 299, or 304).
    package var isSuccess: Bool { (200...299).contains(status) || status == 304 }

    /// Returns the value of a field; names are case-insensitive.
    package subscript(field name: String) -> String? {
      fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
  }

  /// The position of a body in a recording.
  package struct BodyPlace: Hashable, Sendable {
    /// The offset of its record from the start of the file, in bytes.
    package let offset: Int64
    /// The size of the body in bytes.
    package let count: Int

    /// Creates a place.
    package init(offset: Int64, count: Int) {
      self.offset = offset
      self.count = count
    }
  }
}
