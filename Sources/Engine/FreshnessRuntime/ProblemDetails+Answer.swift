import ConditionalHTTP
import Foundation
import HTTPTypes

extension ProblemDetails {
  /// The maximum size of problem details, in bytes.
  private static let largest = 64 << 10

  /// Reads the problem details of a response, or returns `nil` without them (RFC 9457 section
  /// 3).
  init?(reading answer: HTTPExchangeAnswer) {
    let type = answer.head.headerFields[.contentType]?.lowercased() ?? ""
    guard type.hasPrefix("application/problem+json"), answer.body.count <= Self.largest,
      let problem = try? JSONDecoder().decode(ProblemDetails.self, from: Data(answer.body))
    else { return nil }
    self = problem
  }
}
