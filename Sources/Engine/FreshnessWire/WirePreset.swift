internal import Freshness

/// The presets.
public enum WirePreset: Hashable, Sendable, CaseIterable {
  /// `Policy.init(every:)`. Its interval follows the number, then a flag for whether it has the
  /// `push` of `Policy.Push.init()`.
  case every
  /// `Policy.departuresWeb`
  case departuresWeb
  /// `Policy.departuresNative`
  case departuresNative
  /// `Policy.departuresWeb5s`
  case departuresWeb5s
  /// `Policy.workspaces`
  case workspaces
  /// `Policy.jobs`
  case jobs

  /// Reads the number of a preset and writes its policy.
  ///
  /// - Returns: The number of words written.
  public static func policy(
    _ words: UnsafeBufferPointer<Int64>,
    into buffer: UnsafeMutableBufferPointer<Int64>
  ) throws(WireError) -> Int32 {
    var reader = WireReader(words)
    var policy: Policy
    switch try reader.numbered(WirePreset.self) {
    case .every:
      policy = Policy(every: try reader.span())
      policy.push = try reader.flag() ? Policy.Push() : nil
    case .departuresWeb: policy = .departuresWeb
    case .departuresNative: policy = .departuresNative
    case .departuresWeb5s: policy = .departuresWeb5s
    case .workspaces: policy = .workspaces
    case .jobs: policy = .jobs
    }
    try reader.end()
    var writer = WireWriter(buffer)
    try policy.write(to: &writer)
    return Int32(writer.count)
  }
}
