import EventFeed
import Testing

@Suite struct ResumeTests {
  @Test func `the point moves with applied events`() {
    var point = ResumePoint()
    #expect(point.fieldValue == nil)
    point.applied(ServerSentEvent(data: "a", id: "k-1"))
    point.applied(ServerSentEvent(data: "b"))
    #expect(point.lastEventID == "k-1")
    #expect(point.fieldValue == Array("k-1".utf8))
    point.applied(ServerSentEvent(data: "c", id: ""))
    #expect(point.fieldValue == nil)
  }

  @Test func `a reset clears the last event id`() {
    var point = ResumePoint(lastEventID: "k-1")
    point.reset()
    #expect(point.fieldValue == nil)
  }

  @Test func `an id is sent as UTF-8`() {
    #expect(ResumePoint(lastEventID: "é").fieldValue == [0xC3, 0xA9])
  }

  @Test(arguments: ["a\nb", "a\u{1}", " a", "a ", "\u{7F}"])
  func `an id that cannot stand in a field is not sent`(id: String) {
    #expect(ResumePoint(lastEventID: id).fieldValue == nil)
  }

  @Test func `what was refused comes again after a reconnect`() throws {
    var parser = EventStreamParser()
    var sequence = EventSequence()
    var point = ResumePoint()
    var applied: [String] = []
    func read(_ stream: String) throws {
      for case .event(let event) in try parser.feed(stream.utf8) {
        let number = try #require(event.id.flatMap { EventNumber(id: $0) })
        guard sequence.receive(number) == .apply else { continue }
        point.applied(event)
        applied.append(event.data)
      }
    }
    try read("id: 1\ndata: a\n\nid: 3\ndata: c\n\n")
    parser.endConnection()
    #expect(parser.lastEventID == "3")
    #expect(point.lastEventID == "1")
    let window = ReplayWindow(oldest: 1, newest: 3)
    #expect(window.plan(after: point.lastEventID) == .replay(2...3))
    try read("id: 2\ndata: b\n\nid: 3\ndata: c\n\nid: 3\ndata: c\n\n")
    #expect(applied == ["a", "b", "c"])
  }

  @Test(
    arguments: [
      ("", .snapshot),
      ("k-4", .snapshot),
      ("k-8", .snapshot),
      ("k-9", .replay(10...12)),
      ("k-11", .replay(12...12)),
      ("k-12", .live),
      ("k-13", .snapshot),
      ("j-11", .snapshot),
      ("11", .snapshot),
      ("nonsense", .snapshot),
    ] as [(String, ReplayWindow.Plan)]
  )
  func `a server replays what it still has`(id: String, plan: ReplayWindow.Plan) {
    #expect(ReplayWindow(epoch: "k", oldest: 10, newest: 12).plan(after: id) == plan)
  }

  @Test func `a client that missed too much gets a snapshot`() {
    let window = ReplayWindow(epoch: "k", oldest: 10, newest: 12)
    #expect(window.plan(after: EventNumber(10, epoch: "k"), atMost: 2) == .replay(11...12))
    #expect(window.plan(after: EventNumber(9, epoch: "k"), atMost: 2) == .snapshot)
    #expect(window.plan(after: EventNumber(12, epoch: "k"), atMost: 0) == .live)
    #expect(window.plan(after: nil) == .snapshot)
  }

  @Test func `a server without events has nothing to replay`() {
    let window = ReplayWindow(oldest: 1, newest: 0)
    #expect(window.plan(after: "0") == .live)
    #expect(window.plan(after: "") == .snapshot)
    #expect(window.plan(after: "1") == .snapshot)
  }
}
