import Testing

@testable import Serving

/// How many places each network holds.
@Suite struct FairPlacesTests {
  private func network(_ number: UInt8) -> ClientNetwork {
    ClientNetwork(address: [10, 0, 0, number])
  }

  private func fill(_ places: inout FairPlaces, _ network: ClientNetwork, percent: Int = 75) -> Int
  {
    var count = 0
    while places.enter(network, percent: percent) == nil { count += 1 }
    return count
  }

  @Test func `one network alone gets nearly all places`() {
    for (most, expected) in [(1, 1), (2, 2), (3, 3), (4, 3), (8, 6), (100, 75), (4_096, 3_072)] {
      var places = FairPlaces(most: most)
      #expect(fill(&places, network(1)) == expected)
    }
    var all = FairPlaces(most: 100)
    #expect(fill(&all, network(1), percent: 100) == 100)
  }

  @Test func `there is always a place for a network that has none`() {
    var places = FairPlaces(most: 1_000)
    let counts = (1...20 as ClosedRange<UInt8>).map { fill(&places, network($0)) }
    #expect(counts.allSatisfy { $0 > 0 } || places.taken == 1_000)
    #expect(counts[0] == 750)
    #expect(counts[1] == 188)
  }

  @Test func `greedy networks that take turns get the same`() {
    var places = FairPlaces(most: 1_000)
    var refused = 0
    while refused < 4 {
      refused = (1...4 as ClosedRange<UInt8>).count {
        places.enter(network($0), percent: 75) != nil
      }
    }
    // Three times the free ones each: 3 / 13 of all.
    #expect(
      (1...4 as ClosedRange<UInt8>).allSatisfy {
        (230...231).contains(places.count(of: network($0)))
      }
    )
    #expect(places.enter(network(5), percent: 75) == nil)
  }

  @Test func `a place that is given back is free, and no client is remembered`() {
    var places = FairPlaces(most: 4)
    #expect(fill(&places, network(1)) == 3)
    #expect(places.enter(network(1), percent: 75) == .share)
    for _ in 0..<3 { places.leave(network(1)) }
    #expect(places.taken == 0)
    #expect(places.known == 0)
  }

  @Test func `a site of IPv6 has no more than one network, and who has no network no share`() {
    func network(_ number: UInt8) -> ClientNetwork {
      ClientNetwork(
        address: [0x20, 1, 0x0D, 0xB8, 0, 1, 0, number] + Array(repeating: 7, count: 8)
      )
    }
    var places = FairPlaces(most: 100)
    let taken = (0..<200 as Range<UInt8>).count { places.enter(network($0), percent: 75) == nil }
    #expect(taken == 75)
    var count = 0
    while places.enter(nil, percent: 75) == nil { count += 1 }
    #expect(count == 25)
    #expect(places.enter(nil, percent: 75) == .full)
  }
}
