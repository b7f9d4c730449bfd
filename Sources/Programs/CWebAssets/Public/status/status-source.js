// The status of this server as something that is kept fresh (live-resource.js).

import { ValueStream } from "../engine/value-stream.js";

const ADDRESS = "/api/status";

export function statusSource() {
  return {
    isSame: () => true,
    address: () => ADDRESS,
    read: (document, headers) => ({ body: document, tag: headers.get("etag") }),
    openStream: (_, copy, listener) => new ValueStream(
      { address: `${ADDRESS}/events` },
      { value: copy?.body ?? null, lastId: null, headers: {}, client: { send: (...request) => fetch(...request) }, keepId: () => {} },
      listener,
    ),
    contentOf: (body) => JSON.stringify(body),
    natureOf: () => ({ hasRealtime: true, activity: "active" }),
    subjectOf: () => null,
    fields: () => ({}),
    // What the server says of itself is of now; what is old is only the way here.
    metadata: { status: "applied" },
  };
}
