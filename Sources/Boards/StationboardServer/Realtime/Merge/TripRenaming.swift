/// A way in which the trip ids of a feed differ from those of the timetable.
///
/// An id is cut at its parts only: runs of digits, runs of letters, and every other byte by itself.
struct TripRenaming: Hashable, Sendable {
  /// Where the ids differ.
  enum Place: Hashable, Sendable {
    /// At the beginning.
    case prefix
    /// At the end.
    case suffix
    /// In one part, after a number of others.
    case part(Int)
  }

  /// Where the ids differ.
  var place: Place
  /// What the feed has there; may be empty at either end.
  var given: [UInt8]
  /// What the timetable has instead, likewise.
  var own: [UInt8]

  /// The id of the timetable for an id of the feed; `nil` if the id does not have what the feed has there.
  func apply(_ id: CutID) -> [UInt8]? {
    switch place {
    case .prefix:
      guard id.bytes.starts(with: given), id.isBoundary(given.count), given.count < id.bytes.count
      else { return nil }
      return own + id.bytes[given.count...]
    case .suffix:
      let rest = id.bytes.count - given.count
      guard rest > 0, id.isBoundary(rest), id.bytes[rest...].elementsEqual(given) else {
        return nil
      }
      return id.bytes[..<rest] + own
    case .part(let number):
      guard number + 1 < id.count, id.bytes[id.part(number)].elementsEqual(given) else {
        return nil
      }
      let part = id.part(number)
      return id.bytes[..<part.lowerBound] + own + id.bytes[part.upperBound...]
    }
  }

  /// The order in which renamings of as many ids are tried: the shortest first.
  static func precedes(_ left: Self, _ right: Self) -> Bool {
    let lengths = [left, right].map { $0.given.count + $0.own.count }
    if lengths[0] != lengths[1] { return lengths[0] < lengths[1] }
    if left.place.rank != right.place.rank { return left.place.rank < right.place.rank }
    if left.given != right.given { return left.given.lexicographicallyPrecedes(right.given) }
    return left.own.lexicographicallyPrecedes(right.own)
  }
}

extension TripRenaming.Place {
  /// The place in the order.
  fileprivate var rank: Int {
    switch self {
    case .prefix: 0
    case .suffix: 1
    case .part(let number): 2 + number
    }
  }
}

/// A trip id with the places where it can be cut.
struct CutID {
  /// The bytes.
  let bytes: [UInt8]
  /// Where each part begins, and the end.
  let cuts: [Int]

  /// Cuts an id; `nil` if it is empty or beyond a limit.
  init?(_ id: some Collection<UInt8>, _ policy: RealtimePolicy) {
    guard !id.isEmpty, id.count <= policy.longestRenamedID else { return nil }
    bytes = Array(id)
    var cuts = [0]
    for place in 1..<max(bytes.count, 1) {
      let kind = Self.kind(bytes[place])
      if kind == .other || kind != Self.kind(bytes[place - 1]) { cuts.append(place) }
    }
    cuts.append(bytes.count)
    guard cuts.count - 1 <= policy.mostIDParts else { return nil }
    self.cuts = cuts
  }

  /// How many parts it has.
  var count: Int { cuts.count - 1 }

  /// Where a part is.
  func part(_ number: Int) -> Range<Int> { cuts[number]..<cuts[number + 1] }

  /// Whether the id can be cut at a place.
  func isBoundary(_ place: Int) -> Bool { cuts.contains(place) }

  private enum Kind {
    case digit
    case letter
    case other
  }

  /// Bytes of letters beyond ASCII are letters.
  private static func kind(_ byte: UInt8) -> Kind {
    switch byte {
    case 0x30...0x39: .digit
    case 0x41...0x5A, 0x61...0x7A, 0x80...: .letter
    default: .other
    }
  }

  /// One way to take a piece out of an id.
  struct Cut {
    var place: TripRenaming.Place
    var piece: Range<Int>
  }

  /// All ways to take a prefix, a suffix or one part out.
  func forEachCut(_ policy: RealtimePolicy, _ body: (Cut) -> Void) {
    for end in 0...min(policy.mostAffixParts, count - 1) {
      body(Cut(place: .prefix, piece: 0..<cuts[end]))
    }
    for start in max(1, count - policy.mostAffixParts)...count {
      body(Cut(place: .suffix, piece: cuts[start]..<bytes.count))
    }
    guard count > 2 else { return }
    for number in 1..<count - 1 {
      body(Cut(place: .part(number), piece: part(number)))
    }
  }
}

/// What was learned of the ids of a feed, and when it is tried again.
struct LearnedRenamings: Sendable {
  /// The renamings, in the order in which they were learned.
  var renamings: [TripRenaming] = []
  /// How many publications go by before the next attempt.
  var pause = 0
  /// How long the last pause was.
  var lastPause = 0

  /// Notes an attempt that taught nothing.
  mutating func notePause(most: Int) {
    lastPause = min(max(lastPause * 2, 1), most)
    pause = lastPause
  }

  /// Notes an attempt that taught something.
  mutating func noteSuccess() { (pause, lastPause) = (0, 0) }
}
