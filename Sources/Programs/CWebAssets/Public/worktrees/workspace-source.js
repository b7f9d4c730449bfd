// The worktrees of this server as something that is kept fresh (live-resource.js).

import { afterAnswer, contentOf, isLater, stateOf } from "./workspace-list.js";
import { tagOf, WorkspaceStream } from "./workspace-stream.js";

/** @param {() => object} fields - Further fields of requests: the token, if there is one. */
export function workspaceSource(fields) {
  return {
    isSame: () => true,
    // Without a revision, or with one that the server no longer knows, the server returns the whole list.
    address: (_, copy) => `/v1/git/worktrees?since=${copy ? encodeURIComponent(copy.body.revision) : "0"}`,
    read: (document, headers, base, newest) => {
      const body = afterAnswer(document, base?.body);
      if (body === null) return null;
      // The stream may have been faster than the answer.
      if (newest && isLater(newest.body.revision, body.revision)) return { body: newest.body, tag: newest.tag ?? tagOf(newest.body.revision) };
      return { body, tag: headers.get("etag") ?? tagOf(body.revision) };
    },
    openStream: (_, copy, listener) => new WorkspaceStream(copy, fields(), listener),
    contentOf,
    natureOf: ({ worktrees }) => ({
      hasRealtime: true,
      activity: worktrees.some((worktree) => stateOf(worktree) === "working") ? "active" : "quiet",
    }),
    subjectOf: () => null,
    fields,
    // Everything the server knows is as it is now; what is old is only the way here.
    metadata: { status: "applied" },
  };
}
