import Freshness
public import FreshnessRuntime
public import Jobs
public import Observation
import TolerantDecoding

/// How far a job is, as its newest message says.
public struct JobStatus: Hashable, Sendable {
  /// How far it is.
  public var progress = JobProgress(fraction: 0)
  /// The transport that brings its messages; `nil` before the first opened.
  public var transport: JobFollower.Transport?
  /// How it ended; `nil` while it runs.
  public var ending: JobFollower.Ending?

  /// Creates the status of a job that has said nothing yet.
  public init() {}

  /// The completed share, from 0 to 1.
  public var fraction: Double {
    if case .ended(let completion) = ending, completion.ending.known == .succeeded { return 1 }
    return progress.fraction
  }
}

/// A job as an observable object: its upload, its progress with its age, its end and its results.
///
/// ```swift
/// @State private var model = JobModel(client)
/// // Button("Import") { Task { await model.start(.csvImport, content: bytes, type: "text/csv") } }
/// // ProgressView(value: model.status.fraction)
/// ```
///
/// A job that was started continues when the model is released; ``follow(_:)`` with its credential
/// continues to show it.
@MainActor
@Observable
public final class JobModel {
  /// The maximum number of results that ``results`` keeps.
  public static var mostResults: Int { 10_000 }

  /// How far the job is, kept fresh while it is followed.
  public let live: LiveValue<JobStatus>
  /// What opens the job, to be kept by the app; `nil` before it started.
  public private(set) var credential: JobCredential?
  /// Whether the upload is in progress.
  public private(set) var isStarting = false
  /// Why the most recent start, cancellation or question for results failed.
  public private(set) var problem: JobClientFailure?
  /// The results that have been loaded, in order.
  public private(set) var results: [JobResult] = []
  /// Whether there are results that have not been loaded.
  public private(set) var hasMoreResults = false

  /// The client.
  public let client: JobClient
  @ObservationIgnored private let clock: HostClock
  @ObservationIgnored private let policy: JobFollower.Policy
  @ObservationIgnored private var nextResult: Int?
  /// Which job this is, among all of this model; an answer about another changes nothing (R3).
  @ObservationIgnored private var jobs = 0

  /// Creates a model without a job.
  ///
  /// - Parameters:
  ///   - client: The client.
  ///   - policy: The waits and limits of following.
  ///   - clock: The clock by which ages grow.
  public init(
    _ client: JobClient,
    policy: JobFollower.Policy = JobFollower.Policy(),
    clock: HostClock = .device()
  ) {
    self.client = client
    self.policy = policy
    self.clock = clock
    live = LiveValue(.none(clock))
  }

  /// How far the job is.
  public var status: JobStatus { live.value ?? JobStatus() }
  /// How old the newest message is now; `nil` before the first.
  public var age: Duration? { live.age }
  /// The freshness in one word: failing while the connection is interrupted.
  public var state: LiveState { live.state }
  /// Whether a job is followed that has not ended.
  public var isRunning: Bool { credential != nil && status.ending == nil }

  /// Starts a job and follows it.
  ///
  /// - Parameters:
  ///   - pipeline: Its kind.
  ///   - content: The table, the books or the form.
  ///   - type: The media type of the content.
  ///   - options: The options of the pipeline.
  /// - Returns: Whether it started; if not, ``problem`` has the reason.
  @discardableResult
  public func start(
    _ pipeline: PipelineName,
    content: [UInt8],
    type: String,
    options: [String: String] = [:]
  ) async -> Bool {
    guard !isStarting else { return false }
    isStarting = true
    problem = nil
    defer { isStarting = false }
    do throws(JobClientFailure) {
      follow(try await client.start(pipeline, content: content, type: type, options: options))
      return true
    } catch {
      problem = error
      return false
    }
  }

  /// Follows a job that was started before, from its beginning.
  public func follow(_ credential: JobCredential) {
    self.credential = credential
    jobs += 1
    results = []
    (nextResult, hasMoreResults) = (nil, false)
    let number = jobs
    let feed = JobFeed(client, credential, policy, clock) { [weak self] fresh in
      guard let self, self.jobs == number else { return }
      self.credential = fresh
    }
    live.follow(feed.source)
    live.start()
  }

  /// Asks the job to stop; its end follows as a message.
  public func cancel() async {
    guard let credential else { return }
    problem = nil
    do throws(JobClientFailure) { try await client.cancel(credential) } catch { problem = error }
  }

  /// Loads the next page of results of a job that has ended.
  ///
  /// - Parameter outcome: The outcome to load; `nil` for all.
  public func loadResults(_ outcome: JobOutcome? = nil) async {
    guard let credential, results.isEmpty || hasMoreResults else { return }
    let (number, after) = (jobs, nextResult)
    problem = nil
    do throws(JobClientFailure) {
      let page = try await client.results(credential, outcome: outcome, after: after)
      guard number == jobs, after == nextResult else { return }
      results += page.items.elements.prefix(max(Self.mostResults - results.count, 0))
      nextResult = page.next
      hasMoreResults = page.next != nil && results.count < Self.mostResults
    } catch {
      guard number == jobs else { return }
      problem = error
    }
  }
}

extension LiveSource<JobStatus> {
  /// A source without a job.
  fileprivate static func none(_ clock: HostClock) -> LiveSource {
    LiveSource(
      clock: clock,
      snapshot: { nil },
      freshness: { nil },
      refresh: { _ in },
      observe: { _ in }
    )
  }
}
