import Testing

@testable import Serving

@Suite struct `The order of idle connections` {
  private final class Connection {}

  private static func network(_ number: Int) -> ClientNetwork? {
    number == 0 ? nil : ClientNetwork(address: [10, 0, 0, UInt8(number)])
  }

  /// The same in the plainest way: connections with their networks, in the order in which they became idle.
  private struct Model {
    var order: [(id: ObjectIdentifier, network: Int)] = []

    mutating func insert(_ id: ObjectIdentifier, _ network: Int) {
      remove(id)
      order.append((id, network))
    }

    mutating func remove(_ id: ObjectIdentifier) { order.removeAll { $0.id == id } }

    /// Those that may be closed first: the longest idle ones of the networks with the most.
    var first: Set<ObjectIdentifier> {
      let counts = Dictionary(grouping: order, by: \.network).mapValues(\.count)
      let most = counts.values.max()
      let networks = counts.filter { $0.value == most }.keys
      return Set(networks.compactMap { network in order.first { $0.network == network }?.id })
    }
  }

  @Test func `is that of a list, whatever comes and goes`() {
    let connections = (0..<40).map { _ in Connection() }
    var places = IdlePlaces<ObjectIdentifier>()
    var model = Model()
    var state: UInt64 = 7
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    var networks = [Int](repeating: 0, count: connections.count)
    for step in 0..<20_000 {
      let number = next(connections.count)
      let id = ObjectIdentifier(connections[number])
      switch next(5) {
      case 0, 1:
        networks[number] = next(4)
        places.insert(id, id, Self.network(networks[number]))
        model.insert(id, networks[number])
      case 2:
        places.remove(id)
        model.remove(id)
      case 3 where step % 50 == 0:
        for id in connections.map({ ObjectIdentifier($0) }) {
          places.remove(id)
          model.remove(id)
        }
      default:
        guard let first = places.first else { break }
        places.remove(first)
        model.remove(first)
      }
      #expect(places.count == model.order.count)
      #expect(places.first.map { model.first.contains($0) } ?? model.first.isEmpty)
    }
  }
}
