import ConditionalHTTP
import HTTPTypes
public import Jobs
import StrictJSON
import TolerantDecoding

/// A job that failed for a reason that may pass, and that an operator may start again.
public struct DeadLetter: Hashable, Sendable {
  /// The job.
  public var job: String
  /// Its kind.
  public var pipeline: PipelineName
  /// When it ended, in milliseconds since 1970-01-01T00:00:00Z.
  public var endedAt: Int64?
  /// When its files go, and with them the possibility to start it again.
  public var expiresAt: Int64?
  /// How many attempts have failed.
  public var failedAttempts: Int
  /// Why the last one failed.
  public var error: JobWireError?
}

extension JobClient {
  /// The dead letters of a server, those that ended last first.
  ///
  /// - Parameter operatorToken: The token of operators; `nil` on the machine of a server without one.
  /// - Returns: The dead letters.
  /// - Throws: ``JobClientFailure``.
  public func deadLetters(
    operatorToken: String?
  ) async throws(JobClientFailure) -> [DeadLetter] {
    let answer = try await ask(
      server.request("/v1/dead-letters", fields: Self.authorization(operatorToken))
    )
    let list = try? TolerantDecoder(limits: DecodeLimits()).decode(answer.body) { root in
      root["items"].list { item -> DeadLetter? in
        guard let job = item["jobId"].string() else { return nil }
        return DeadLetter(
          job: job,
          pipeline: PipelineName(rawValue: item["pipeline"].string() ?? ""),
          endedAt: item["endedAt"].instant(),
          expiresAt: item["expiresAt"].instant(),
          failedAttempts: item["failedAttempts"].int(in: 0 ... .max) ?? 0,
          error: JobWireError.read(item["error"])
        )
      }
    }.model
    guard let letters = list.flatMap(\.self)?.elements else {
      throw .unreachable("the answer is not a list of dead letters")
    }
    return letters
  }

  /// Starts a dead letter again, as a job of its own; asked again, it is the same job.
  ///
  /// - Parameters:
  ///   - job: The dead letter.
  ///   - operatorToken: The token of operators; `nil` on the machine of a server without one.
  /// - Returns: What opens the new job.
  /// - Throws: ``JobClientFailure``; ``JobClientFailure/unknownJob`` if there is no such dead letter.
  public func restart(
    _ job: String,
    operatorToken: String?
  ) async throws(JobClientFailure) -> JobCredential {
    let request = server.request(
      "/v1/dead-letters/\(job)/restart",
      method: .post,
      fields: Self.authorization(operatorToken)
    )
    let answer = try await ask(request, content: [])
    let reader = JobAnswerReader()
    guard let started = reader.start(status: answer.head.status.code, body: answer.body).started
    else { throw .refused(reader.refusal(status: answer.head.status.code, body: answer.body)) }
    return JobCredential(job: started.job, started)
  }

  private static func authorization(_ token: String?) -> HTTPFields {
    token.map { [.authorization: "Bearer \($0)"] } ?? [:]
  }
}
