/// Decides which scans of a repository count when several run at the same time.
///
/// A scan that began later saw what is there later, whichever ends first: an older one never replaces a newer one.
struct ScanOrder {
  private var begun = 0
  private var newest: [String: Int] = [:]

  /// Begins a scan.
  ///
  /// - Returns: Its number.
  mutating func begin() -> Int {
    begun += 1
    return begun
  }

  /// Returns whether a scan that has ended counts; afterwards no older one does.
  mutating func takes(_ number: Int, of common: String) -> Bool {
    guard number > newest[common, default: 0] else { return false }
    newest[common] = number
    return true
  }

  /// Forgets a repository that is gone.
  mutating func remove(_ common: String) { newest[common] = nil }
}
