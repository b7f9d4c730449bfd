import Testing

@testable import JobsServer

@Suite struct UploadPermitsTests {
  @Test func `requests and their bytes are bounded together, and given back`() throws {
    let permits = UploadPermits(most: 2, mostBytes: 100)
    var first = permits.take()
    let second = try #require(permits.take())
    #expect(permits.take() == nil)
    #expect(first?.reserve(70) == true)
    #expect(second.reserve(30))
    #expect(!second.reserve(1))
    first = nil
    #expect(second.reserve(70))
    let third = try #require(permits.take())
    #expect(!third.reserve(1))
  }
}
