import GTFSRealtime
import Testing

@Suite struct AlertValueTests {
  @Test func `a period begins at its start and ends before its end`() {
    let period = ActivePeriod(start: 100, end: 200)
    #expect([99, 100, 199, 200].map { period.contains($0) } == [false, true, true, false])
    #expect(ActivePeriod(start: 100).contains(.max))
    #expect(ActivePeriod(end: 200).contains(0))
    #expect(ActivePeriod(start: 0, end: 0).contains(12), "0 counts as absent")
  }

  @Test func `an alert is active in any of its periods, and communication periods come first`() {
    var alert = Alert(entityID: "E")
    alert.activePeriods = [ActivePeriod(start: 1, end: 2), ActivePeriod(start: 5, end: 6)]
    #expect([1, 2, 5, 6].map { alert.isActive(at: $0) } == [true, false, true, false])
    alert.communicationPeriods = [ActivePeriod(start: 2, end: 3)]
    #expect([1, 2, 5].map { alert.isActive(at: $0) } == [false, true, false])
  }

  @Test func `a text is found by exact tag, then by language, then without language, then first`() {
    let text = TranslatedText([
      .init(text: "Hallo", language: "de"), .init(text: "Grüezi", language: "de-CH"),
      .init(text: "", language: "it"), .init(text: "Hello"),
      .init(text: "Salut", language: "fr_CH"),
    ])
    #expect(text.text(in: ["DE-ch"]) == "Grüezi")
    #expect(text.text(in: ["de-AT"]) == "Hallo")
    #expect(text.text(in: ["fr"]) == "Salut")
    #expect(text.text(in: ["it", "fr"]) == "Salut", "an empty text is ignored")
    #expect(text.text(in: ["rm"]) == "Hello")
    #expect(TranslatedText([.init(text: "Ciao", language: "it")]).text(in: ["en"]) == "Ciao")
    #expect(TranslatedText([.init(text: "", language: "it")]).text(in: ["it"]) == nil)
    #expect(TranslatedText([]).isEmpty)
  }

  @Test func `a selector without a field is empty`() {
    #expect(EntitySelector().isEmpty)
    #expect(!EntitySelector(directionID: 0).isEmpty)
  }
}
