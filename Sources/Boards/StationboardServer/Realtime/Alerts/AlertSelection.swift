import Timetable

/// The alerts of one board: those above the rows, and those of each row.
///
/// A banner is an alert about the stop (the stop asked for, one below or above it) or about an agency or
/// a route type as a whole that departs from the stop. A row carries the alerts about its trip, its
/// route, its direction, and about its route, agency or route type at its stop. An alert about a route,
/// agency or route type at the stop that no row carries is a banner too, so that it is seen although
/// nothing of it departs. What is a banner is not repeated on rows.
///
/// Contains only currently active alerts, by severity, effect and id, each id once per list.
struct AlertSelection: Sendable {
  /// An alert and the first of its selectors that concerns the board.
  struct Hit: Hashable, Sendable {
    /// The place in ``AlertIndex/alerts``.
    var alert: UInt32
    /// The place in ``AlertIndex/selectors``.
    var selector: UInt32
  }

  let index: AlertIndex
  /// The language asked for; `nil` for none in particular.
  let language: String?
  /// The alerts above the rows.
  private(set) var banners: [Hit] = []
  /// The first instant at which a period starts or ends and the same board has other alerts.
  ///
  /// In seconds since 1970-01-01T00:00:00Z; until then, not included, this is right. `nil` if time
  /// changes nothing.
  private(set) var nextChangeAt: Double?
  /// How many alerts are left out by ``AlertLimits``.
  private(set) var leftOut = 0
  private var rowHits: [Hit] = []
  private var rowEnds: [Int] = []

  /// Selects the alerts of a board.
  ///
  /// - Parameters:
  ///   - index: The alerts.
  ///   - stop: The stop that was asked for.
  ///   - rows: The rows of the board.
  ///   - realtime: The realtime the rows were made with.
  ///   - now: The current time, in seconds since 1970-01-01T00:00:00Z.
  ///   - language: The language asked for.
  init(
    index: AlertIndex,
    stop: Int,
    rows: [BoardRow],
    realtime: RealtimeIndex? = nil,
    now: Double,
    language: String?
  ) {
    self.index = index
    self.language = language
    guard !index.alerts.isEmpty else { return }
    var work = AlertSelectionWork(index: index, now: now)
    banners = work.banners(at: UInt32(stop))
    rowEnds.reserveCapacity(rows.count)
    for row in rows {
      let row = AlertSelectionWork.Row(row, index.directory, realtime)
      leftOut += work.append(row, to: &rowHits)
      rowEnds.append(rowHits.count)
    }
    let unseen = work.unseen(at: UInt32(stop))
    if !unseen.isEmpty { banners = (banners + unseen).sorted { $0.alert < $1.alert } }
    if banners.count > AlertLimits.banners {
      leftOut += banners.count - AlertLimits.banners
      banners.removeSubrange(AlertLimits.banners...)
    }
    nextChangeAt = work.nextChange.map { Double($0) }
  }

  /// The alerts of a row, by its index among the rows; empty if the index is out of range.
  func rowAlerts(_ row: Int) -> ArraySlice<Hit> {
    guard rowEnds.indices.contains(row) else { return [] }
    return rowHits[(row == 0 ? 0 : rowEnds[row - 1])..<rowEnds[row]]
  }

  /// All alerts of the board, each once, in the same order.
  var entities: [Hit] {
    var seen: Set<UInt32> = []
    var hits: [Hit] = []
    for hit in banners + rowHits where seen.insert(hit.alert).inserted { hits.append(hit) }
    return hits.sorted { $0.alert < $1.alert }
  }

  /// Whether the board has no alert.
  var isEmpty: Bool { banners.isEmpty && rowHits.isEmpty }
}
