/// The publications that a server was given: the ground truth for the age on a page.
///
/// A value without a clock. Instants are milliseconds since 1970-01-01T00:00:00Z.
package struct SourceGroundTruth: Hashable, Sendable {
  /// One publication.
  package struct Publication: Hashable, Sendable {
    /// When it was made.
    package let madeAt: Int64
    /// When the server received it whole for the first time.
    package let arrivedAt: Int64
    /// Whether its stamp says when it was made.
    package let isStampRight: Bool

    /// A publication.
    package init(madeAt: Int64, arrivedAt: Int64, isStampRight: Bool = true) {
      self.madeAt = madeAt
      self.arrivedAt = arrivedAt
      self.isStampRight = isStampRight
    }

    /// The instant that its age counts from: when it was made, and when it arrived if its stamp is wrong, since no client
    /// but the producer knows more.
    package var ageCountsFrom: Int64 { isStampRight ? madeAt : arrivedAt }
  }

  /// How many publications are remembered.
  package static let remembered = 1_000
  /// By how much a stated arrival may differ, in milliseconds: servers count arrivals in whole seconds, when the first byte
  /// or when the last one came.
  package static let arrivalSlack: Int64 = 2_000

  private var publications: [Publication] = []

  /// No publication.
  package init() {}

  /// The newest publication.
  package var newest: Publication? { publications.last }

  /// The server has received a publication; the same one again changes nothing.
  package mutating func receive(_ publication: Publication) {
    guard !publications.contains(where: { $0.madeAt == publication.madeAt }) else { return }
    publications.append(publication)
    if publications.count > Self.remembered { publications.removeFirst() }
  }

  /// Returns the publication that a response was made of.
  ///
  /// - Parameters:
  ///   - stated: When the response says that its data was made. It counts only if such a publication was given.
  ///   - answeredAt: When the response was made: it cannot have anything newer.
  /// - Returns: The publication; the newest at that time if none has the stated time.
  package func publication(stated: Int64?, answeredAt: Int64) -> Publication? {
    let possible = publications.filter { $0.arrivedAt <= answeredAt }
    guard let stated else { return possible.last }
    return possible.last { publication in
      publication.isStampRight
        ? publication.madeAt == stated
        : (publication.arrivedAt - stated).magnitude <= UInt64(Self.arrivalSlack)
    } ?? possible.last
  }
}
