/// What a server needs to do what it was asked to, as it is at one moment.
package struct DependencyReading: Hashable, Sendable {
  /// How well a dependency works.
  package enum State: String, Hashable, Sendable, Encodable, CaseIterable {
    /// As it should.
    case ok
    /// Worse than it should; requests are answered, and say so where it matters.
    case degraded
    /// Not at all.
    case down
  }

  /// Its name, the same for as long as the server runs.
  package var name: String
  package var state: State
  /// Why it is not ``State/ok``, for operators; may name paths and addresses.
  package var detail: String?
  /// Whether the server is not ready while it is down.
  package var isRequired: Bool

  /// Creates a reading.
  package init(_ name: String, _ state: State, detail: String? = nil, isRequired: Bool = false) {
    self.name = name
    self.state = state
    self.detail = detail
    self.isRequired = isRequired
  }
}

/// The dependencies of a server and since when each has been in its state.
///
/// The caller supplies the time.
struct DependencyStates: Hashable, Sendable {
  /// A dependency in its state.
  struct Entry: Hashable, Sendable {
    var reading: DependencyReading
    /// When it got into its state, in seconds since 1970.
    var since: Double
  }

  /// The most dependencies that are remembered; further ones are dropped.
  static let most = 256

  /// The dependencies in the order in which they were read.
  private(set) var entries: [Entry] = []

  /// Whether nothing that is required is down; also before the first reading nothing is.
  var isReady: Bool {
    !entries.isEmpty
      && entries.allSatisfy { !$0.reading.isRequired || $0.reading.state != .down }
  }

  /// Takes the newest readings; a dependency that is not among them is forgotten.
  mutating func update(_ readings: [DependencyReading], now: Double) {
    let before = Dictionary(
      entries.map { ($0.reading.name, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    entries = readings.prefix(Self.most).map { reading in
      let known = before[reading.name]
      let since = known?.reading.state == reading.state ? known?.since : nil
      return Entry(reading: reading, since: since ?? now)
    }
  }
}
