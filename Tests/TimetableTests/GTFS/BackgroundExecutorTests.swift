import GTFS
import Testing

@Suite struct BackgroundExecutorTests {
  @Test func `pieces of work hand over what they made in their order, however many there are`() {
    for count in 1...5 {
      #expect(BackgroundExecutor.results(count) { $0 * 10 } == (0..<count).map { $0 * 10 })
    }
  }

  @Test func `of two things each hands over what it made`() {
    let (here, beside) = BackgroundExecutor.both({ "here" }, { 2 })
    #expect(here == "here")
    #expect(beside == 2)
  }
}
