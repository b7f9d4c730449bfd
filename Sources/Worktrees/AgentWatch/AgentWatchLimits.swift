package import Agents

/// The limits of the search for agents.
package struct AgentWatchLimits: Hashable, Sendable {
  /// The limits of each log.
  package var agents = AgentLimits()
  /// Milliseconds between two scans of known files and processes.
  package var tick: Int64 = 250
  /// Milliseconds between two searches for new ones.
  package var search: Int64 = 500
  /// How long ago a log was last written at most to be followed, in milliseconds.
  package var recency: Int64 = 7 * 86_400_000
  /// The most names read of one folder.
  package var mostNames = 8_192
  /// The most folders of Claude Code that are searched.
  package var mostFolders = 512
  /// The most logs followed in one folder of Claude Code, the newest ones.
  package var mostLogsInFolder = 8
  /// How many of these are read farther back than the others.
  package var mostRecentLogs = 2
  /// How far before its end one of the others is read, in bytes.
  package var shortReach: Int64 = 256 << 10
  /// The most logs followed of Codex, and of the neutral format.
  package var mostLogs = 256
  /// The days of Codex's calendar of folders that are searched, the latest ones that exist.
  package var mostDays = 14
  /// How many bytes of a log of Codex are read to find out where its agent works.
  package var peek = 512 << 10
  /// The most entries of Claude Code's registry.
  package var mostEntries = 512
  /// The most processes that are examined.
  package var mostProcesses = 16_384
  /// The most bytes read of one command line.
  package var longestCommand = 4_096
  /// The most bytes read of one environment, of which only the folders of logs are kept.
  package var longestEnvironment = 128 << 10
  /// The most bytes read of the list of mounts that a process in a container sees.
  package var longestMountList = 1 << 20
  /// The most open files that are examined of one agent that keeps its log open.
  package var mostOpenFiles = 1_024
  /// The most folders of logs beside the given ones, as configured for running agents.
  package var mostHomes = 16
  /// How much is read of all logs in one scan, in bytes; the rest waits for the next scan.
  package var mostRead = 64 << 20

  /// The most logs that are followed although newer ones exist: of agents that are running, work or wait.
  package var mostHeldLogs = 256
  /// How long ago a log of an agent that began elsewhere was last written at most to be read, in
  /// milliseconds: it may have come into a worktree.
  package var wandering: Int64 = 86_400_000
  /// The most such logs, the newest ones.
  package var mostWanderers = 128
  /// How much is read of them in one search, in bytes; the rest waits for the next one.
  package var mostWandered = 16 << 20
  /// The most logs of other places whose modification time one search reads.
  package var mostAsked = 1_024
  /// The most receipts of what was seen that are kept, the latest ones.
  package static let mostReceipts = 1_024

  /// The usual limits.
  package init() {}
}
