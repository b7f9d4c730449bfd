import ArgumentParser
package import Freshness

/// The presets of the engine, by the names that users type.
package enum PresetName: String, CaseIterable, ExpressibleByArgument {
  case departuresWeb
  case departuresNative
  case departuresWeb5s
  case workspaces
  case jobs

  /// The constants.
  package var policy: Policy {
    switch self {
    case .departuresWeb: .departuresWeb
    case .departuresNative: .departuresNative
    case .departuresWeb5s: .departuresWeb5s
    case .workspaces: .workspaces
    case .jobs: .jobs
    }
  }
}
