/// How long evidence is waited for before its absence means something.
///
/// All in milliseconds of wall-clock time.
package struct ActivityThresholds: Hashable, Sendable {
  /// How long an answer must be the last word before a turn counts as over, in logs that do not mark
  /// the ends of turns.
  ///
  /// A long tool call is written only when the model has finished it; a quarter of a minute covers most.
  package var settling: Int64 = 15_000
  /// How long a tool that needs a moment may be without an answer before it is taken to wait for a
  /// permission.
  ///
  /// Such tools respond within a second; canopy's watch for silence took 2 s and was wrong.
  package var permissionSuspicion: Int64 = 6_000
  /// How long no process may be found for a log before its agent counts as gone, where none was
  /// seen before.
  ///
  /// One that was seen is gone at once: its number and its start say that it was that one.
  ///
  /// A scan between `fork` and `exec` does not find a program that is about to be there.
  package var absence: Int64 = 500
  /// How long an agent without a tool under way may write nothing before nothing is known.
  ///
  /// The seed system called three minutes of silence the end of work, in the midst of it; the longest
  /// thought that readers of logs report is below ten.
  package var silence: Int64 = 900_000
  /// The same where its process cannot be seen.
  package var silenceUnseen: Int64 = 600_000
  /// The same for an agent with a tool under way, where its process cannot be seen.
  package var toolSilenceUnseen: Int64 = 1_800_000
  /// How long a finished piece of work counts as unseen.
  package var unseen: Int64 = 86_400_000
  /// How much later than it did a process may seem to have started.
  ///
  /// The kernel counts in hundredths of a second, and its clock and the wall's are read one after the
  /// other.
  package var startError: Int64 = 50
  /// How much later than what it says a log's record may be written.
  package var lag: Int64 = 2_000

  /// The usual thresholds.
  package init() {}
}
