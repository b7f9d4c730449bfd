import HTTPTypes
import Hummingbird
import Jobs
import Serving

/// The path component after `/v1/jobs/`, which names a job or a pipeline.
enum JobPathComponent {
  /// The pipeline that a component names; hyphens and capitals do not matter.
  static func pipeline(_ component: some StringProtocol) -> PipelineName {
    PipelineName(rawValue: component.lowercased().replacing("-", with: "_"))
  }

  /// Whether a component has the form of a job's id, a UUID.
  static func isJob(_ component: some StringProtocol) -> Bool {
    let groups = component.split(separator: "-", omittingEmptySubsequences: false)
    return groups.map(\.utf8.count) == [8, 4, 4, 4, 12]
      && groups.allSatisfy { $0.allSatisfy(\.isHexDigit) }
  }

  /// The methods of `/v1/jobs/{component}`: pipelines are started, jobs are read and canceled.
  ///
  /// One that is neither may be a misspelled pipeline: the response lists the existing ones.
  static func forms(_ pipelines: Set<PipelineName>) -> [RouteMethods.Form] {
    [
      RouteMethods.Form("v1/jobs/:job", [.post]) { !isJob($0) },
      RouteMethods.Form("v1/jobs/:job", [.get, .head, .delete]) {
        !pipelines.contains(pipeline($0))
      },
    ]
  }
}
