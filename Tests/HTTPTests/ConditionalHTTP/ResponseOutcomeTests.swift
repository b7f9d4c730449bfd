import ConditionalHTTP
import HTTPTypes
import Testing

@Suite struct ResponseOutcomeTests {
  @Test(arguments: [200, 201, 202, 203, 205, 226])
  func `R16: content that was read is a modification`(status: Int) {
    #expect(outcome(status) == .modified)
    #expect(outcome(status, hasSnapshot: false) == .modified)
    #expect(outcome(status).isSuccess)
  }

  @Test(arguments: [204, 304])
  func `R16: 204 and 304 confirm the snapshot`(status: Int) {
    #expect(outcome(status) == .notModified)
    #expect(outcome(status, failure: "nothing to read") == .notModified)
    #expect(outcome(status).isSuccess)
  }

  @Test(arguments: [204, 304])
  func `R17: 204 and 304 without a snapshot are told apart`(status: Int) {
    #expect(outcome(status, hasSnapshot: false) == .notModifiedWithoutSnapshot)
    #expect(!outcome(status, hasSnapshot: false).isSuccess)
    #expect(!outcome(status, hasSnapshot: false).isTransient)
  }

  @Test(arguments: [400, 404, 405, 406, 409, 412, 414, 415, 422, 426, 431, 451, 499])
  func `R21: a wrong question is not repeated`(status: Int) {
    #expect(outcome(status) == .badQuestion(status: status))
    #expect(!outcome(status).isTransient)
  }

  @Test(arguments: [401, 403, 407])
  func `R21: a client that is not let in is told apart`(status: Int) {
    #expect(outcome(status) == .unauthorised(status: status))
    #expect(!outcome(status).isTransient)
  }

  @Test func `R21: gone is told apart`() {
    #expect(outcome(410) == .gone)
    #expect(!outcome(410).isTransient)
  }

  @Test(
    arguments: [
      (429, nil, .throttled(status: 429, delay: nil)),
      (429, "soon", .throttled(status: 429, delay: nil)),
      (429, "0", .throttled(status: 429, delay: 0)),
      (429, "7", .throttled(status: 429, delay: 7_000)),
      (429, "86400", .throttled(status: 429, delay: 300_000)),
      (503, "7", .throttled(status: 503, delay: 7_000)),
      (503, "Sun, 06 Nov 1994 08:49:47 GMT", .throttled(status: 503, delay: 60_000)),
      (503, nil, .serverFailure(status: 503)),
      (503, "soon", .serverFailure(status: 503)),
      (500, "7", .serverFailure(status: 500)),
      (404, "7", .badQuestion(status: 404)),
    ] as [(Int, String?, ResponseOutcome)]
  )
  func `R21: a delay is obeyed where it counts, and bounded`(
    status: Int,
    retryAfter: String?,
    expected: ResponseOutcome
  ) {
    #expect(outcome(status, retryAfter: retryAfter) == expected)
  }

  @Test(arguments: [421, 425, 500, 501, 502, 503, 504, 507, 520, 599, 600, 999, 0, 99])
  func `R21: a server that failed may fare better soon`(status: Int) {
    #expect(outcome(status) == .serverFailure(status: status))
    #expect(outcome(status).isTransient)
  }

  @Test func `R21: content that cannot be read keeps its reason`() {
    let expected = ResponseOutcome.undecodable(status: 200, reason: "line 3: no colon")
    #expect(outcome(200, failure: "line 3: no colon") == expected)
    #expect(expected.isTransient)
    #expect(outcome(500, failure: "no JSON") == .serverFailure(status: 500))
  }

  @Test(arguments: [100, 101, 103, 206, 300, 301, 302, 303, 307, 308])
  func `an answer that answers nothing cannot be used`(status: Int) {
    guard case .undecodable(status, let reason) = outcome(status) else {
      Issue.record("\(outcome(status))")
      return
    }
    #expect(!reason.isEmpty)
  }

  @Test func `a redirection says where to`() {
    let expected = ResponseOutcome.undecodable(
      status: 302,
      reason: "the server redirects to /login"
    )
    #expect(outcome(302, location: "/login") == expected)
  }

  @Test func `a server's timeout is a timeout`() {
    #expect(outcome(408) == .timeout)
    #expect(outcome(408).isTransient)
  }

  @Test(
    arguments: [
      (.unreachable, .network(reason: "why"), true),
      (.timedOut, .timeout, true),
      (.cancelled, .cancelled, false),
      (.tooLarge, .undecodable(status: nil, reason: "why"), true),
    ] as [(HTTPExchangeError.Code, ResponseOutcome, Bool)]
  )
  func `R6, R7 and R22: the lack of an answer is read`(
    code: HTTPExchangeError.Code,
    expected: ResponseOutcome,
    isTransient: Bool
  ) {
    let outcome = ResponseOutcome(HTTPExchangeError(code, "why"))
    #expect(outcome == expected)
    #expect(outcome.isTransient == isTransient)
    #expect(!outcome.isSuccess)
  }

  @Test func `every status has an outcome, and no failure is a success`() {
    for status in 0...999 {
      for hasSnapshot in [true, false] {
        let outcome = outcome(status, hasSnapshot: hasSnapshot)
        #expect(!(outcome.isSuccess && outcome.isTransient))
        #expect(!outcome.isSuccess || (200...304).contains(status))
        #expect(outcome != .cancelled)
      }
    }
  }

  private func outcome(
    _ status: Int,
    retryAfter: String? = nil,
    location: String? = nil,
    failure: String? = nil,
    hasSnapshot: Bool = true
  ) -> ResponseOutcome {
    var fields = HTTPFields()
    fields[.retryAfter] = retryAfter
    fields[.location] = location
    return ResponseOutcome(
      status: HTTPResponse.Status(code: status),
      fields: fields,
      decodingFailure: failure,
      hasSnapshot: hasSnapshot,
      now: 784_111_777_000,
      delayLimit: 300_000
    )
  }
}
