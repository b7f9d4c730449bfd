/// The types of catnip's iOS client, as data: what it decodes each answer with.
///
/// Its `ISO8601DateFormatter` reads whole seconds only; an instant with fractions is an empty label.
package enum CatnipShapes {
  /// An instant that the client shows.
  private static let shownInstant = JSONShape.optional(.date(.wholeSeconds))

  /// An entry of an agent's list; with any other status the client rejects the whole response.
  package static let todo: JSONShape = .object([
    "content": .string,
    "status": .oneOf(["pending", "in_progress", "completed"]),
    "activeForm": .optional(.string),
  ])

  /// A worktree; the state of its agent is read from any word.
  package static let workspace: JSONShape = .object([
    "id": .string,
    "name": .string,
    "branch": .string,
    "repo_id": .string,
    "path": .string,
    "claude_activity_state": .optional(.string),
    "commit_count": .optional(.integer),
    "is_dirty": .optional(.bool),
    "last_accessed": shownInstant,
    "created_at": shownInstant,
    "todos": .optional(.list(todo)),
    "latest_session_title": .optional(.string),
    "latest_user_prompt": .optional(.string),
    "pull_request_url": .optional(.string),
    "pull_request_state": .optional(.string),
    "has_commits_ahead_of_remote": .optional(.bool),
    "cache_status": .optional(
      .object([
        "is_cached": .optional(.bool),
        "is_loading": .optional(.bool),
        "last_updated": .optional(.integer),
      ])
    ),
  ])

  /// All worktrees: one that cannot be read costs all.
  package static let workspaces = JSONShape.list(workspace)

  /// One session among those of a worktree.
  package static let sessionEntry: JSONShape = .object([
    "sessionId": .string,
    "lastModified": .optional(.string),
    "startTime": .optional(.string),
    "endTime": .optional(.string),
    "isActive": .optional(.bool),
  ])

  /// The agent session of a worktree.
  package static let session: JSONShape = .object([
    "sessionInfo": .optional(
      .object([
        "worktreePath": .optional(.string),
        "sessionStartTime": .optional(.string),
        "sessionEndTime": .optional(.string),
        "turnCount": .optional(.integer),
        "isActive": .optional(.bool),
        "lastSessionId": .optional(.string),
        "currentSessionId": .optional(.string),
        "header": .optional(.string),
        "lastCost": .optional(.number),
        "lastDuration": .optional(.integer),
        "lastTotalInputTokens": .optional(.integer),
        "lastTotalOutputTokens": .optional(.integer),
      ])
    ),
    "allSessions": .optional(.list(sessionEntry)),
    "latestUserPrompt": .optional(.string),
    "latestMessage": .optional(.string),
    "latestThought": .optional(.string),
    "latestSessionTitle": .optional(.string),
    "todos": .optional(.list(todo)),
    "stats": .optional(stats),
  ])

  /// Counts over a session.
  package static let stats: JSONShape = .object([
    "totalMessages": .optional(.integer),
    "userMessages": .optional(.integer),
    "assistantMessages": .optional(.integer),
    "humanPromptCount": .optional(.integer),
    "toolCallCount": .optional(.integer),
    "totalInputTokens": .optional(.integer),
    "totalOutputTokens": .optional(.integer),
    "cacheReadTokens": .optional(.integer),
    "cacheCreationTokens": .optional(.integer),
    "lastContextSizeTokens": .optional(.integer),
    "apiCallCount": .optional(.integer),
    "sessionDurationSeconds": .optional(.number),
    "activeDurationSeconds": .optional(.number),
    "thinkingBlockCount": .optional(.integer),
    "subAgentCount": .optional(.integer),
    "compactionCount": .optional(.integer),
    "imageCount": .optional(.integer),
    "activeToolNames": .optional(.map(.integer)),
  ])

  /// What is known of the sessions of all worktrees, by path.
  package static let summaries: JSONShape = .map(
    .object(["turnCount": .integer, "isActive": .bool])
  )

  /// What an agent said last.
  package static let message: JSONShape = .object(["content": .string, "isError": .bool])

  /// What a worktree changed.
  package static let diff: JSONShape = .object([
    "summary": .string,
    "file_diffs": .list(
      .object([
        "file_path": .string,
        "change_type": .string,
        "old_content": .optional(.string),
        "new_content": .optional(.string),
        "diff_text": .optional(.string),
        "is_expanded": .bool,
      ])
    ),
    "total_files": .integer,
    "worktree_id": .string,
    "worktree_name": .string,
    "source_branch": .string,
    "fork_commit": .string,
  ])

  /// The answer to a checkout.
  package static let checkout: JSONShape = .object(["worktree": workspace])

  /// The names of branches.
  package static let branches = JSONShape.list(.string)

  /// Which server this is.
  package static let info: JSONShape = .object([
    "version": .string,
    "build": .optional(.object(["commit": .string, "date": .string, "builtBy": .string])),
  ])

  /// Whether a user is signed in; read member by member.
  package static let authorization: JSONShape = .object(["authenticated": .bool])
}
