/// How many of a fixed number of places each client network holds: connections, long polls and streams, uploads.
///
/// A network may take another place while it holds fewer than a set multiple of those that are free (the dynamic threshold of
/// Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet switches", 1998). Alone it gets
/// nearly all places; of several greedy ones each gets the same number; and there are always some left for a network that holds
/// none. A site of IPv6 (48 bits) is held to the same rule, so that a client with many networks gets no more than one.
package struct FairPlaces: Sendable {
  /// The reasons to refuse a place.
  package enum Refusal: Hashable, Sendable {
    /// The network has its share.
    case share
    /// All places are taken.
    case full
  }

  /// The number of all places.
  package let most: Int
  /// The number of places that are taken.
  package private(set) var taken = 0
  private var networks: [ClientNetwork: Int] = [:]
  private var sites: [ClientNetwork: Int] = [:]

  /// Creates places, all of them free.
  package init(most: Int) { self.most = most }

  /// How many networks hold places.
  var known: Int { networks.count }

  /// How many places a network holds.
  package func count(of network: ClientNetwork) -> Int { networks[network] ?? 0 }

  /// Takes a place.
  ///
  /// - Parameters:
  ///   - network: The network; `nil` for clients without a share, such as those of a Unix socket.
  ///   - percent: The most percent of all places that one network holds while no other network holds any; 100 for no rule.
  /// - Returns: Why it was refused; `nil` if the place is taken.
  package mutating func enter(_ network: ClientNetwork?, percent: Int) -> Refusal? {
    guard taken < most else { return .full }
    if let network {
      let site = network.site
      let held = max(networks[network] ?? 0, site.flatMap { sites[$0] } ?? 0)
      guard Self.isOpen(to: held, free: most - taken, percent: percent) else { return .share }
      networks[network, default: 0] += 1
      if let site { sites[site, default: 0] += 1 }
    }
    taken += 1
    return nil
  }

  /// Whether a client that holds this many places may take another one.
  ///
  /// - Parameters:
  ///   - held: How many it holds.
  ///   - free: How many are free.
  ///   - percent: The most percent of all places that it holds while no other network holds any; 100 for no rule.
  /// - Returns: Whether it may.
  package static func isOpen(to held: Int, free: Int, percent: Int) -> Bool {
    percent >= 100 || held * (100 - percent) < percent * free
  }

  /// Gives a place back.
  package mutating func leave(_ network: ClientNetwork?) {
    taken -= 1
    guard let network else { return }
    Self.reduce(&networks, network)
    if let site = network.site { Self.reduce(&sites, site) }
  }

  private static func reduce(_ counts: inout [ClientNetwork: Int], _ key: ClientNetwork) {
    let count = (counts[key] ?? 0) - 1
    counts[key] = count > 0 ? count : nil
  }
}
