import StrictJSON

/// The iOS client of catnip, played against a server: starts, shows the list, opens a worktree and polls it, and, where it
/// may, makes a worktree and deletes it.
struct CatnipScript: ClientScript {
  static let name = "catnip"
  static let settings: [String: String] = [
    "token": "the bearer token (default: compat)",
    "codespace": "the name of the codespace (default: compat)",
    "workspace": "the path of the worktree to open (default: the first of the list)",
    "polls": "how often the open worktree is polled, 1 to 1000 (default: 3)",
    "create":
      "the repository in which a worktree is made and deleted again, owner/name (default: none is made)",
    "branch": "the branch it starts from (default: the one that the app picks)",
    "prompt": "what its agent is told (default: no agent is started)",
  ]

  /// The most polls.
  private static let mostPolls = 1_000

  private let settings: [String: String]
  private let polls: Int

  init(_ settings: [String: String]) throws(ClientSettingError) {
    self.settings = settings
    guard let polls = Int(settings["polls"] ?? "3"), (1...Self.mostPolls).contains(polls) else {
      throw ClientSettingError("polls", expected: "a number from 1 to \(Self.mostPolls)")
    }
    self.polls = polls
    if let repository = settings["create"], repository.split(separator: "/").count != 2 {
      throw ClientSettingError("create", expected: "owner/name")
    }
  }

  func play(_ run: ClientRun) async {
    let client = CatnipClient(
      run,
      token: settings["token"] ?? "compat",
      codespace: settings["codespace"] ?? "compat"
    )
    await client.signIn()
    await client.connect()
    await client.checkHealth()
    guard let list = await client.list() else { return }
    await client.readSettings()
    await client.summaries()
    let wanted = settings["workspace"]
    let shown = CatnipClient.inOrder(list.workspaces)
    if let open = shown.first(where: { wanted == nil || $0["path"]?.string == wanted }) {
      await client.open(open, listTag: list.tag, polls: polls)
    } else if let wanted {
      await run.step("iOS", "the worktree of the setting", expects: "it is in the list") {
        $0.fault("there is no worktree \(wanted)")
      }
    }
    if let repository = settings["create"] {
      await client.create(
        in: repository,
        branch: settings["branch"],
        prompt: settings["prompt"],
        known: list.workspaces
      )
    }
    await client.checkHealth()
  }
}
