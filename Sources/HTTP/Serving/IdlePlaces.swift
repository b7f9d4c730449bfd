/// The idle connections of a server, per network, in the order in which they became idle.
///
/// Every operation takes constant time: each request passes here twice, under a lock that all requests share.
struct IdlePlaces<Connection> {
  /// The network of a connection; `nil` if it is not known.
  typealias Network = ClientNetwork?

  private struct Place {
    var connection: Connection
    var network: Network
    var newer: ObjectIdentifier?
    var older: ObjectIdentifier?
  }

  /// The connections of a network, linked from the newest to the oldest.
  private struct Line {
    var count = 0
    var newest: ObjectIdentifier?
    var oldest: ObjectIdentifier?
  }

  private var places: [ObjectIdentifier: Place] = [:]
  private var lines: [Network: Line] = [:]
  /// The networks by their number of connections.
  private var networks: [Int: Set<Network>] = [:]
  private var most = 0

  /// The number of connections.
  var count: Int { places.count }

  /// The connection that has been idle longest, in the network with the most connections; `nil` if none is idle.
  var first: Connection? {
    guard let network = networks[most]?.first, let oldest = lines[network]?.oldest else {
      return nil
    }
    return places[oldest]?.connection
  }

  /// The connection of a network that has been idle longest; `nil` if none is idle.
  func first(of network: Network) -> Connection? {
    lines[network]?.oldest.flatMap { places[$0]?.connection }
  }

  /// Inserts a connection as the newest of its network.
  mutating func insert(_ id: ObjectIdentifier, _ connection: Connection, _ network: Network) {
    remove(id)
    var line = lines[network] ?? Line()
    if let newest = line.newest { places[newest]?.newer = id }
    places[id] = Place(connection: connection, network: network, newer: nil, older: line.newest)
    line.newest = id
    line.oldest = line.oldest ?? id
    change(network, &line, to: line.count + 1)
  }

  /// Removes a connection, if present.
  mutating func remove(_ id: ObjectIdentifier) {
    guard let place = places.removeValue(forKey: id), var line = lines[place.network] else {
      return
    }
    if let newer = place.newer {
      places[newer]?.older = place.older
    } else {
      line.newest = place.older
    }
    if let older = place.older {
      places[older]?.newer = place.newer
    } else {
      line.oldest = place.newer
    }
    change(place.network, &line, to: line.count - 1)
  }

  private mutating func change(_ network: Network, _ line: inout Line, to count: Int) {
    let before = line.count
    line.count = count
    if before > 0 {
      networks[before]?.remove(network)
      if networks[before]?.isEmpty == true { networks[before] = nil }
    }
    if count > 0 { networks[count, default: []].insert(network) }
    lines[network] = count > 0 ? line : nil
    // A line changes by one at a time, so the longest one does too.
    if count > most { most = count }
    if networks[most] == nil { most = max(0, most - 1) }
  }
}
