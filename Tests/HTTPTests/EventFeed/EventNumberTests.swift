import EventFeed
import Testing

@Suite struct EventNumberTests {
  @Test(arguments: [
    ("0", EventNumber(0)),
    ("41", EventNumber(41)),
    ("k3-41", EventNumber(41, epoch: "k3")),
    ("2026-11-24-7", EventNumber(7, epoch: "2026-11-24")),
    ("é-1", EventNumber(1, epoch: "é")),
    ("a--1", EventNumber(1, epoch: "a-")),
    ("9223372036854775807", EventNumber(.max)),
  ])
  func `an id is read and written`(id: String, number: EventNumber) {
    #expect(EventNumber(id: id) == number)
    #expect(number.description == id)
  }

  @Test(arguments: [
    "", "a", "-1", "-", "a-", "a1", "1a", "01", "a-01", "+1", " 1", "1 ", "1.0",
    "9223372036854775808",
    "٣",
  ])
  func `what is not a number is not a number`(id: String) {
    #expect(EventNumber(id: id) == nil)
  }

  @Test func `the next number stays in its epoch`() {
    #expect(EventNumber(1, epoch: "a").next == EventNumber(2, epoch: "a"))
    #expect(EventNumber(.max).next == EventNumber(.max))
    #expect(EventNumber(-3) == EventNumber(0))
  }
}
