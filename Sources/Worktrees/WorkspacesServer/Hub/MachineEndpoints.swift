import ConditionalHTTP
import HTTPTypes
import Hummingbird
import NIOCore
import Serving
import TolerantDecoding
import Workspaces
import WorktreeWatch

/// Answers about the machines of a hub, and takes their reports.
struct MachineEndpoints: Sendable {
  /// The hub; `nil` if the server shows its own worktrees only.
  let hub: WorkspaceHub?

  /// `GET /v1/machines`.
  func list() -> Response {
    ReadEndpoints.json(WorkspaceJSON.bytes(hub?.machines ?? []))
  }

  /// `POST /v1/machines/{name}/report`.
  ///
  /// - Throws: ``Problem``.
  func report(_ name: String, _ request: Request) async throws -> Response {
    guard let hub else {
      throw Problem(.notFound, "not_found", detail: "this server takes no reports of machines")
    }
    let token = request.headers[.authorization].flatMap { BearerToken.token(of: $0) }
    guard let token, let machine = hub.machine(of: token) else {
      throw Problem(
        .unauthorized,
        detail: "the bearer token of a machine is needed in Authorization",
        fields: [.wwwAuthenticate: "Bearer"]
      )
    }
    guard machine == name else {
      throw Self.problem(
        .machineForbidden,
        "this is the token of the machine \(machine), not of \(name.prefix(ReportLimits.nameBytes))"
      )
    }
    guard hub.allows(machine) else {
      throw Problem(
        .tooManyRequests,
        WorkspaceProblem.busy.rawValue,
        detail: "\(machine) sends more reports than are taken",
        fields: [.retryAfter: String(WorkspaceLimits.retryAfter)]
      )
    }
    defer { hub.endReading(machine) }
    // The time that the content takes is not an error of a clock, and makes nothing younger.
    let began = hub.now
    let report = try await Self.read(request)
    do throws(MachineTable.Refusal) {
      try hub.handle(report, from: machine, token: token, at: began)
    } catch {
      throw Self.problem(error.problem, error.detail)
    }
    return Response(withoutContent: .noContent, [.cacheControl: "no-store"])
  }

  private static func read(_ request: Request) async throws -> WorkspaceReport {
    let tooLarge = problem(
      .tooLarge,
      "a report has at most \(ReportLimits.reportBytes) bytes"
    )
    guard !request.declaresMore(than: ReportLimits.reportBytes) else { throw tooLarge.last }
    let bytes: [UInt8]
    do {
      bytes = try await Self.body(request)
    } catch is NIOTooManyBytesError {
      throw tooLarge
    }
    do throws(DecodeFailure) {
      if let report = try WorkspaceReport.read(bytes) { return report }
    } catch {
      throw Problem(.invalidBody, detail: "the body is not JSON: \(error)")
    }
    throw Problem(
      .invalidBody,
      detail: "a report has instance, sequence (from 1), age_ms and clock_ms"
    )
  }

  /// The bytes of a report.
  ///
  /// - Throws: `NIOTooManyBytesError` if they are too many, ``Problem`` 408 if they do not come in time.
  private static func body(_ request: Request) async throws -> [UInt8] {
    let body = request.body
    return try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
      group.addTask {
        Array(try await body.collect(upTo: ReportLimits.reportBytes).readableBytesView)
      }
      group.addTask {
        try await Task.sleep(for: .seconds(ReportLimits.timeout), clock: .continuous)
        return nil
      }
      defer { group.cancelAll() }
      guard let first = try await group.next(), let bytes = first else {
        throw problem(.tooSlow, "a report has to come within \(Int(ReportLimits.timeout)) s").last
      }
      return bytes
    }
  }

  private static func problem(_ problem: ReportProblem, _ detail: String) -> Problem {
    let status: HTTPResponse.Status =
      switch problem {
      case .baseUnknown, .outOfDate, .replaced: .conflict
      case .machineForbidden: .forbidden
      case .tooLarge: .contentTooLarge
      case .tooSlow: .requestTimeout
      }
    return Problem(status, problem.rawValue, detail: detail)
  }
}
