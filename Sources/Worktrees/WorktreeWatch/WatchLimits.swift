/// The bounds of watching worktrees, in one place; times are in seconds.
package enum WatchLimits {
  /// The most folders to search.
  package static let roots = 64
  /// How deep below a given folder repositories are searched for.
  package static let depth = 5
  /// The most folders that one search for repositories opens.
  package static let searchedFolders = 20_000
  /// The most folders of a worktree that are searched before it is removed.
  package static let walkedFolders = 200_000
  /// The most repositories.
  package static let repositories = 256
  /// The most worktrees.
  package static let worktrees = 1_024

  /// How long the events of one worktree have to pause before it is scanned.
  package static let quiet = 0.1
  /// The longest delay of the first event.
  package static let longestDelay = 0.5
  /// The shortest time between two scans of a worktree.
  package static let spacing = 1.0
  /// How often everything is scanned without an event.
  package static let reconcile = 60.0
  /// How often a worktree is scanned whose content cannot be watched.
  package static let pollEvery = 2.0
  /// How long a request counts as observation, in seconds; longer than the longest wait of a request.
  package static let interest = 90.0
  /// How long a scan of a worktree waits for the start of one of its repository.
  package static let longestHold = 0.25
  /// After how long a scan that failed is tried again; twice as long after each further failure.
  package static let retry = 1.0
  /// The longest time until then.
  package static let longestRetry = 30.0
  /// The shortest pause between two rounds of the watcher, which bounds its work when events storm.
  package static let roundPause = 0.02

  /// The most git processes at a time.
  package static let processes = 4
  /// After how long a git process or a scan gives up its permit, in seconds, so that a hanging one delays no other.
  package static let patience = 1.0
  /// The most git processes more that run because they have made room.
  package static let lateProcesses = 12
  /// How long the first scan of everything waits for repositories that do not respond.
  package static let firstPatience = 3.0
  /// How often to check whether a git that has not ended waits for a pipe in the place of a file; it is ended at
  /// the second time.
  package static let pipeCheck = 0.5
  /// How long git may take for a state.
  package static let stateTimeout = 10.0
  /// How long git may take for a diff or a check.
  package static let diffTimeout = 30.0
  /// How long git may take to create, delete, merge or rebase.
  package static let actionTimeout = 120.0
  /// How long a git that changes something may take to end after a signal, before it is killed.
  package static let stopGrace = 5.0
  /// The most bytes of private writable memory of a git that reads, and of each process that it starts.
  package static let readingBytes = 1 << 30
  /// The most bytes of private writable memory of a git that changes something, and of each process that it starts.
  package static let actingBytes = 4 << 30
  /// How long an action may continue after the server was asked to end, before its git is ended and what it began is undone.
  package static let endPatience = 3.0
  /// How long an action waits for another server that does something to the same repository.
  package static let repositoryPatience = 30.0
  /// How long it waits between two tries.
  package static let lockPause = 0.05
  /// The most bytes read of the output of one git process.
  package static let outputBytes = 32 << 20
  /// The most bytes read of what git complains about.
  package static let complaintBytes = 64 << 10

  /// The most folders within new ones that are watched of one worktree, where a status already names the new ones.
  package static let newFolders = 256
  /// The most folders on disk that are examined beside those with tracked files, in one level.
  package static let readFolders = 20_000
  /// The most files outside of a repository that are watched because they say how git sees it.
  package static let settingsFiles = 64
  /// How often the folders of a worktree are listed again while new ones are made.
  package static let listings = 3
  /// The share of the system's inotify watches that is used, in percent.
  package static let inotifyShare = 50
  /// The most bytes of a small file of git, such as HEAD.
  package static let stateFileBytes = 64 << 10

  /// The most bytes of a configuration of git.
  package static let settingsFileBytes = 16 << 20
  /// The most bytes of another file that git reads whole, such as its index or its packed refs.
  package static let listFileBytes = 768 << 20
  /// For how long git's word counts that a repository of another user may be read, in seconds.
  package static let ownerChecked = 60.0
  /// The most names read in a folder of hooks.
  package static let hooks = 256
  /// The longest hook whose content is compared; of a longer one its file's times and size are.
  package static let hookBytes = 1 << 20
  /// How long ago the files of a configuration have to have changed for what was read to be used again.
  package static let settled = 0.1
  /// The most programs of a configuration that are shown; all count.
  package static let shownPrograms = 20
  /// The most bytes shown of the command of one.
  package static let shownCommandBytes = 400
  /// The most repositories whose configurations are trusted; the oldest are forgotten.
  package static let trustedRepositories = 1_000
  /// The most configurations of one repository that are trusted at a time.
  package static let trustedDigests = 8
  /// The most bytes read of the file that says what is trusted.
  package static let trustFileBytes = 4 << 20

  /// The most files on each side that are compared for renames before a rebase, as git does for a merge.
  package static let renamesCompared = 7_000
  /// The most files of a diff.
  package static let diffFiles = 100
  /// The most bytes of the text of one file of a diff.
  package static let diffFileBytes = 100 << 10
  /// The longest new file that is shown in a diff.
  package static let newFileBytes = 1 << 20

  /// The most processes of the machine that are examined before an action.
  package static let processesScanned = 100_000
  /// The most threads that are examined of one process.
  package static let threadsOfProcess = 10_000
  /// The most open files that are examined of one process.
  package static let filesOfProcess = 10_000
  /// The most bytes of the list of what one process has mapped.
  package static let mapListBytes = 16 << 20
  /// How many folders above a working folder, and ancestors of a process, are examined.
  package static let parentFolders = 64
  /// The most sockets of a network namespace whose paths are examined.
  package static let socketsScanned = 100_000
  /// The most processes that a refusal names.
  package static let processesNamed = 20
  /// How many scans look for a process that may run for a moment only.
  package static let processScans = 3
  /// The pause before each of them, in seconds.
  package static let processPause = 0.15

  /// How long what was removed, and the state before a merge or a sync, is kept.
  package static let restoreTime = 604_800.0
  /// How often to search for what was kept long enough.
  package static let sweepEvery = 3_600.0
  /// The most time that counts between two such searches, as a clock may be put forward.
  package static let longestSweepStep = 86_400.0
  /// The most restore points of one repository.
  package static let restorePoints = 16_384
  /// The most settings of a branch that are kept with a restore point.
  package static let branchSettings = 256
  /// The most bytes of the value of one of them.
  package static let settingBytes = 16 << 10
  /// The most bytes of the record of a restore point.
  package static let recordBytes = 4 << 20
  /// The most bytes of a name or a path in the record of a restore point.
  package static let recordTextBytes = 4_096
  /// How deep folders lie within each other that are removed for good.
  package static let removedDepth = 512
  /// After how long what was interrupted between two steps is put in order, in seconds.
  package static let interrupted = 60.0
  /// The most files of a worktree's git directory that are searched for names of objects.
  package static let gitDirectoryFiles = 100_000
  /// The most bytes of one of them, such as a log of HEAD.
  package static let gitDirectoryFileBytes = 64 << 20
  /// The most bytes of a list of mounts.
  package static let mountListBytes = 4 << 20

  /// The most of what is not shown that is named.
  package static let omissions = 1_024

  /// How many removals are remembered for clients that ask what changed.
  package static let tombstones = 1_024
}
