/// The idle connections of a server in the order in which they became idle, for each network by itself.
///
/// Every operation takes the same time however many connections there are: each request passes here twice, under a
/// lock that all requests share.
struct IdlePlaces<Connection> {
  /// The network of a connection; `nil` where it is not known.
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
  /// The networks by how many connections they have.
  private var networks: [Int: Set<Network>] = [:]
  private var most = 0

  /// How many connections there are.
  var count: Int { places.count }

  /// The connection that has been idle for longest, of the network that has most; `nil` if there is none.
  var first: Connection? {
    guard let network = networks[most]?.first, let oldest = lines[network]?.oldest else {
      return nil
    }
    return places[oldest]?.connection
  }

  /// Puts a connection at the end of its network's line.
  mutating func insert(_ id: ObjectIdentifier, _ connection: Connection, _ network: Network) {
    remove(id)
    var line = lines[network] ?? Line()
    if let newest = line.newest { places[newest]?.newer = id }
    places[id] = Place(connection: connection, network: network, newer: nil, older: line.newest)
    line.newest = id
    line.oldest = line.oldest ?? id
    change(network, &line, to: line.count + 1)
  }

  /// Takes a connection out, if it is there.
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
