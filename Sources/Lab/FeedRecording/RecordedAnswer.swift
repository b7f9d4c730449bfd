extension FeedRecording {
  /// The failure of an answer that did not come while somebody had the patience to wait.
  package static let noAnswerInTime = "no answer in time"

  /// An answer, or the lack of one, as it arrived.
  package struct Answer: Hashable, Sendable {
    /// What was asked.
    package var source: Source
    /// When the answer was there, in milliseconds since 1970-01-01T00:00:00Z.
    package var arrival: Int64
    /// How long it took, in milliseconds.
    package var duration: Int64
    /// The HTTP status; 0 if there was no answer.
    package var status: Int
    /// The fields that matter, in their order.
    package var fields: [Field]
    /// Why there was no answer; empty if there was one.
    package var failure: String
    /// Where the body is in the file; `nil` if there is none.
    ///
    /// A 304 has the body that it confirms.
    package var body: BodyPlace?

    /// Creates an answer without a body.
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

    /// Whether the answer brings content or confirms it (a status of 200 to 299, or 304).
    package var isSuccess: Bool { (200...299).contains(status) || status == 304 }

    /// The value of a field; names are compared without regard to case.
    package subscript(field name: String) -> String? {
      fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
  }

  /// Where a body is in a recording.
  package struct BodyPlace: Hashable, Sendable {
    /// The offset of its record from the start of the file, in bytes.
    package let offset: Int64
    /// How many bytes the body has.
    package let count: Int

    /// Names a place.
    package init(offset: Int64, count: Int) {
      self.offset = offset
      self.count = count
    }
  }
}
