import Demonstration
import Testing

@Suite struct SourceGroundTruthTests {
  private func truth(_ publications: SourceGroundTruth.Publication...) -> SourceGroundTruth {
    var truth = SourceGroundTruth()
    for publication in publications { truth.receive(publication) }
    return truth
  }

  @Test func `A response has the publication that it states, if the server was given that one`() {
    let truth = truth(
      .init(madeAt: 15_000, arrivedAt: 16_000),
      .init(madeAt: 30_000, arrivedAt: 31_000)
    )
    #expect(truth.newest?.madeAt == 30_000)
    #expect(truth.publication(stated: 15_000, answeredAt: 40_000)?.madeAt == 15_000)
    #expect(truth.publication(stated: 30_000, answeredAt: 40_000)?.madeAt == 30_000)
    #expect(truth.publication(stated: nil, answeredAt: 40_000)?.madeAt == 30_000)
  }

  @Test func `A response that states what was never published is not believed`() {
    let truth = truth(.init(madeAt: 15_000, arrivedAt: 16_000))
    #expect(truth.publication(stated: 39_000, answeredAt: 40_000)?.madeAt == 15_000)
  }

  @Test func `A response has nothing that came after it`() {
    let truth = truth(
      .init(madeAt: 15_000, arrivedAt: 16_000),
      .init(madeAt: 30_000, arrivedAt: 31_000)
    )
    #expect(truth.publication(stated: 30_000, answeredAt: 30_500)?.madeAt == 15_000)
    #expect(truth.publication(stated: 15_000, answeredAt: 15_500) == nil)
    #expect(SourceGroundTruth().publication(stated: nil, answeredAt: 0) == nil)
  }

  @Test func `The age of a publication with a wrong stamp counts from its first arrival`() {
    var truth = truth(.init(madeAt: 15_000, arrivedAt: 22_300, isStampRight: false))
    truth.receive(.init(madeAt: 15_000, arrivedAt: 29_000, isStampRight: false))
    let found = truth.publication(stated: 22_000, answeredAt: 40_000)
    #expect(found?.ageCountsFrom == 22_300)
    #expect(found?.madeAt == 15_000)
  }

  @Test func `So many are remembered, the newest`() {
    var truth = SourceGroundTruth()
    for number in 0..<Int64(SourceGroundTruth.remembered + 10) {
      truth.receive(.init(madeAt: number, arrivedAt: number))
    }
    #expect(truth.publication(stated: nil, answeredAt: 9) == nil)
    #expect(truth.publication(stated: nil, answeredAt: 10)?.madeAt == 10)
  }
}
