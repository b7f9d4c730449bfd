import Timetable

/// Looks through a timetable once for ids that differ from some ids of a feed in one piece.
///
/// The rest of every id of the feed, with each of its pieces taken out, is put into a small table; then the rests of
/// every id of the timetable are looked up there. Nothing is stored of the timetable.
struct RenamingSearch {
  /// A rest of an id of the feed.
  private struct Rest {
    var id: Int
    var cut: CutID.Cut
    var trips: [UInt32] = []
    var isCommon = false
    /// The next rest in the same place of the table; −1 for none.
    var next: Int32
  }

  private let ids: [CutID]
  private let policy: RealtimePolicy
  private var rests: [Rest] = []
  private var table: [Int32]
  private static let base: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// - Parameters:
  ///   - ids: Ids of the feed.
  ///   - policy: The limits.
  init(_ ids: [CutID], _ policy: RealtimePolicy) {
    self.ids = ids
    self.policy = policy
    var size = 1 << 10
    while size < ids.count * 128 { size *= 2 }
    table = Array(repeating: -1, count: size)
    for (number, id) in ids.enumerated() {
      let hashes = Hashes(id.bytes)
      var found: [Rest] = []
      id.forEachCut(policy) { found.append(Rest(id: number, cut: $0, next: -1)) }
      for var rest in found {
        let slot = hashes.rest(without: rest.cut) & (size - 1)
        rest.next = table[slot]
        table[slot] = Int32(rests.count)
        rests.append(rest)
      }
    }
  }

  /// The renamings that explain most ids, the best first.
  ///
  /// A rest that more than ``RealtimePolicy/mostNamesakes`` trips have says nothing.
  mutating func renamings(in timetable: Timetable) -> [TripRenaming] {
    var before = UnsafeRawBufferPointer(start: nil, count: 0)
    for trip in 0..<UInt32(timetable.tripCount) {
      let id = timetable.tripId(of: trip)
      // The runs of a frequency have one id.
      defer { before = id }
      guard !id.elementsEqual(before), let cut = CutID(id, policy) else { continue }
      examine(at: cut, of: trip)
    }
    return best(in: timetable)
  }

  private mutating func examine(at id: CutID, of trip: UInt32) {
    let hashes = Hashes(id.bytes)
    id.forEachCut(policy) { cut in
      var next = table[hashes.rest(without: cut) & (table.count - 1)]
      while next >= 0 {
        let place = Int(next)
        next = rests[place].next
        guard !rests[place].isCommon, isSame(rests[place], id, cut) else { continue }
        if rests[place].trips.count == policy.mostNamesakes {
          rests[place].isCommon = true
        } else {
          rests[place].trips.append(trip)
        }
      }
    }
  }

  /// Whether two rests are the same, and what was taken out is not.
  private func isSame(_ rest: Rest, _ id: CutID, _ cut: CutID.Cut) -> Bool {
    guard rest.cut.place == cut.place else { return false }
    let (mine, own) = (ids[rest.id].bytes, rest.cut.piece)
    return mine[..<own.lowerBound].elementsEqual(id.bytes[..<cut.piece.lowerBound])
      && mine[own.upperBound...].elementsEqual(id.bytes[cut.piece.upperBound...])
      && !mine[own].elementsEqual(id.bytes[cut.piece])
  }

  private func best(in timetable: Timetable) -> [TripRenaming] {
    var explained: [TripRenaming: Set<Int>] = [:]
    for rest in rests where !rest.isCommon {
      for trip in rest.trips {
        let kept = ids[rest.id].bytes.count - rest.cut.piece.count
        let id = Array(timetable.tripId(of: trip))
        let start = rest.cut.piece.lowerBound
        let renaming = TripRenaming(
          place: rest.cut.place,
          given: Array(ids[rest.id].bytes[rest.cut.piece]),
          own: Array(id[start..<start + id.count - kept])
        )
        explained[renaming, default: []].insert(rest.id)
      }
    }
    let ranked = explained.filter { $1.count * 4 >= ids.count }.sorted { left, right in
      left.value.count == right.value.count
        ? TripRenaming.precedes(left.key, right.key) : left.value.count > right.value.count
    }
    return ranked.prefix(policy.triedRenamings).map(\.key)
  }

  /// Hashes of the beginnings of an id, from which those of its rests follow.
  private struct Hashes {
    private var beginnings: [UInt64] = [0]
    private var powers: [UInt64] = [1]

    init(_ bytes: [UInt8]) {
      beginnings.reserveCapacity(bytes.count + 1)
      powers.reserveCapacity(bytes.count + 1)
      for byte in bytes {
        beginnings.append(beginnings[beginnings.count - 1] &* base &+ UInt64(byte) &+ 1)
        powers.append(powers[powers.count - 1] &* base)
      }
    }

    /// A hash of what is left without a piece.
    func rest(without cut: CutID.Cut) -> Int {
      let end = beginnings.count - 1
      let head = beginnings[cut.piece.lowerBound]
      let length = end - cut.piece.upperBound
      let tail = beginnings[end] &- beginnings[cut.piece.upperBound] &* powers[length]
      let place =
        switch cut.place {
        case .prefix: 1
        case .suffix: 2
        case .part(let number): 3 + number
        }
      let mixed = (head &* base) ^ (tail &+ UInt64(place)) &* 0xBF58_476D_1CE4_E5B9
      return Int(truncatingIfNeeded: (mixed ^ mixed >> 31) >> 8)
    }
  }
}
