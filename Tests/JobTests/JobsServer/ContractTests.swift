import ConditionalHTTP
import ContractSchema
import Foundation
import HTTPTypes
import Jobs
import Serving
import StrictJSON
import Testing

@testable import JobsServer

@Suite("The answers about jobs and openapi-jobs.json")
struct ContractTests {
  private static let id = "0b54a8f0-1c2d-4e3f-8a9b-0c1d2e3f4a5b"
  private static let now: Int64 = 1_764_380_400_123

  private static func job(
    _ state: JobState,
    _ pipeline: PipelineName = .csvImport,
    isFull: Bool
  ) -> JobRow {
    var progress = JobProgress(fraction: isFull ? 0.5 : 0, sentence: "reading")
    if isFull {
      progress.processed = 3
      progress.total = 6
      progress.phase = "reading"
    }
    return JobRow(
      id: id,
      pipeline: pipeline,
      state: state,
      position: EventPosition(epoch: 1, seq: 3),
      createdAt: now,
      startedAt: isFull ? now : nil,
      endedAt: isFull ? now : nil,
      updatedAt: now,
      expiresAt: isFull ? now + 1_000 : nil,
      attempt: 0,
      crashes: 0,
      progress: progress,
      checkpoint: nil,
      options: [:],
      schedule: JobSchedule(priority: isFull ? .high : .normal, runAt: isFull ? now : nil),
      rank: 0,
      failures: isFull ? 1 : 0,
      lastFailure: isFull ? JobWireError(code: "provider_unavailable", message: "no answer") : nil,
      isDead: false,
      restartedAs: isFull ? id : nil
    )
  }

  private static func item(_ outcome: JobOutcome, isFull: Bool) -> JobItem {
    guard isFull else { return JobItem(number: 0, outcome: outcome) }
    let problems = [
      JobItem.Problem(code: "isbn_checksum", message: "a digit is wrong"),
      JobItem.Problem(
        code: "not_found",
        message: "not found",
        field: "isbn",
        isRetryable: true,
        proposal: "9780441013593"
      ),
    ]
    let value: JSONValue = .object([
      "title": .string("Dune"), "author": .string("Frank Herbert"),
      "isbn": .string("9780441013593"),
      "publisher": .string("Ace"), "confidence": .decimal("0.5"),
      "enrichmentStatus": .string("found"), "enriched": .object(["title": .string("Dune")]),
      "boundingBox": .object(["x": .whole(1)]),
    ])
    return JobItem(
      number: 1,
      outcome: outcome,
      line: 2,
      problems: problems,
      value: value,
      raw: Array("Dune,Frank Herbert".utf8)
    )
  }

  /// The messages of one version and one pipeline, each with every member and with none.
  private static func messages(_ version: WireVersion, _ pipeline: PipelineName) -> [JSONValue] {
    let writer = JobMessageWriter(job: id, pipeline: pipeline, version: version)
    var seq: Int64 = 0
    func event(_ body: JobEvent.Body) -> JobEvent {
      seq += 1
      return JobEvent(position: EventPosition(epoch: 1, seq: seq), at: now, body: body)
    }
    var progress = JobProgress(
      fraction: 0.25,
      processed: 1,
      total: 4,
      phase: "reading",
      current: "Dune",
      sentence: "reading",
      isKeepAlive: true
    )
    progress.retry = JobRetryNotice(failedAttempts: 1, maxAttempts: 3, runAt: now, code: "busy")
    var short = JobProgress(fraction: 0)
    short.retry = JobRetryNotice(failedAttempts: 1, maxAttempts: nil, runAt: nil, code: nil)
    let phases = [JobPhase("reading", weight: 0.5)]
    let items = JobOutcome.allCases.flatMap { [item($0, isFull: true), item($0, isFull: false)] }
    var messages = [
      writer.message(event(.started(phases: phases, total: 4))),
      writer.message(event(.started(phases: phases, total: nil))),
      writer.message(event(.progress(progress))),
      writer.message(event(.progress(short)), covers: 1),
      writer.message(event(.progress(JobProgress(fraction: 0)))),
      writer.readyAck(at: now), writer.pong(at: now), writer.keepAlive(progress, at: now),
      writer.notice(.unknownMessage, "not known", offending: "hello", at: now),
      writer.notice(.busy, "closing", at: now),
    ]
    for state in JobState.allCases {
      for isFull in [true, false] {
        let snapshot = job(state, pipeline, isFull: isFull).snapshot()
        messages.append(writer.reconnected(snapshot, isRecovered: isFull))
      }
    }
    for ending in JobEnding.allCases {
      for isFull in [true, false] {
        messages.append(
          writer.message(event(.ended(completion(ending, isFull: isFull))), items: items)
        )
        messages.append(writer.message(event(.ended(completion(ending, isFull: isFull)))))
      }
    }
    return messages
  }

  private static func completion(_ ending: JobEnding, isFull: Bool) -> JobCompletion {
    guard isFull else { return JobCompletion(ending: ending) }
    var completion = JobCompletion(ending: ending, duration: 5, isPartial: true, expiresAt: now)
    completion.add(Dictionary(uniqueKeysWithValues: JobOutcome.allCases.map { ($0, 1) }))
    completion.photos = 2
    completion.others["modelUsed"] = .string("local")
    completion.failure = JobWireError(
      code: "provider_unavailable",
      message: "no answer",
      details: .string("timeout"),
      isRetryable: true
    )
    return completion
  }

  private static func compare(_ comparison: inout SchemaComparison) {
    let limits = JobLimits()
    let pipelines = PipelineName.known
    comparison.compare(
      JobBody.capabilities(
        Dictionary(
          uniqueKeysWithValues: pipelines.map { ($0, [JobPhase("reading", weight: 0.5)]) }
        ),
        limits
      ),
      answering: "GET /v1/capabilities"
    )
    let (read, cancel) = ("GET /v1/jobs/{job}", "DELETE /v1/jobs/{job}")
    for pipeline in pipelines {
      let row = job(.queued, pipeline, isFull: true)
      let started = StartedJob(job: row, token: "token", tokenExpiresAt: now, isNew: true)
      comparison.compare(
        JobBody.started(started, limits, now: now),
        answering: "POST /v1/jobs/\(pipeline)",
        "202"
      )
      for version in WireVersion.allCases {
        let body = JobBody.status(row, tokenExpiry: now, messages(version, pipeline), limits)
        comparison.compare(body, answering: read)
      }
    }
    for state in JobState.allCases {
      for isFull in [true, false] {
        let row = job(state, isFull: isFull)
        comparison.compare(JobBody.status(row, tokenExpiry: now, [], limits), answering: read)
        for operation in [cancel, "POST /v1/jobs/{job}/cancel"] {
          let status = state.isTerminal ? "200" : "202"
          comparison.compare(JobBody.canceled(row), answering: operation, status)
        }
        let items = JobOutcome.allCases.map { item($0, isFull: isFull) }
        comparison.compare(
          JobBody.results(row, items, total: 3, limit: isFull ? 1 : items.count),
          answering: "GET /v1/jobs/{job}/results"
        )
      }
    }
    let token = JobBody.token("token", of: id, expiry: now, now: now)
    comparison.compare(token, answering: "POST /v1/jobs/{job}/token")
    comparison.compare(token, answering: "POST /v1/token/refresh")
    comparison.compare(
      JobBody.deadLetters([job(.failed, isFull: true), job(.failed, isFull: false)]),
      answering: "GET /v1/dead-letters"
    )
    comparison.compare(
      JobBody.restarted(job(.queued, isFull: false), token: "token"),
      answering: "POST /v1/dead-letters/{job}/restart",
      "202"
    )
    for code in JobProblemCode.allCases {
      let problems = [
        JobProblem(.badRequest, code, "wrong").problem,
        JobProblem(.contentTooLarge, code, "long", extensions: ["maxBytes": .integer(1)]).problem,
      ]
      for problem in problems { comparison.compare(problem.body, with: "Problem") }
    }
  }

  @Test
  func `Types and document have the same members, kinds and words`() throws {
    var comparison = SchemaComparison(try ContractDocument("openapi-jobs.json"))
    Self.compare(&comparison)
    for difference in comparison.differences(statuses: ["200", "202"]) {
      Issue.record("\(difference)")
    }
  }
}

extension Problem {
  /// The body, as a value.
  fileprivate var body: JSONValue {
    let bytes = (try? JSONEncoder().encode(details)).map { Array($0) } ?? []
    return (try? ContractDocument.value(of: bytes)) ?? .null
  }
}
