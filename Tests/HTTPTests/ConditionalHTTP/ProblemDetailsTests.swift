import ConditionalHTTP
import Foundation
import Testing

/// Problem details (RFC 9457).
@Suite struct ProblemDetailsTests {
  @Test func `a problem reads back as it was written, extensions included`() throws {
    let problem = ProblemDetails(
      status: 400,
      error: "conflicting_stop_id",
      title: "Bad Request",
      detail: "two places",
      extensions: [
        "list": .array([.string("a"), .integer(2), .null]),
        "object": .object(["b": .boolean(true), "c": .number(1.5)]),
      ]
    )
    let data = try JSONEncoder().encode(problem)
    #expect(try JSONDecoder().decode(ProblemDetails.self, from: data) == problem)
  }

  @Test(arguments: [
    (#"{}"#, "about:blank", 0, ""),
    (#"{"type":7,"status":"x","error":false}"#, "about:blank", 0, ""),
    (#"{"type":"https://a/b","status":503,"error":"busy"}"#, "https://a/b", 503, "busy"),
  ])
  func `members that are missing or of another type are passed over`(
    text: String,
    type: String,
    status: Int,
    error: String
  ) throws {
    let problem = try JSONDecoder().decode(ProblemDetails.self, from: Data(text.utf8))
    #expect(problem.type == type)
    #expect(problem.status == status)
    #expect(problem.error == error)
  }
}
