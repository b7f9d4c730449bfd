public import StrictJSON

/// Every limit of a job server, as enforced and as reported at `GET /v1/capabilities`.
public struct JobLimits: Hashable, Sendable {
  /// How long a client may take to read what is left when the server ends, in seconds.
  public static let closeSeconds = 3
  /// How long a measurement waits for what the database says of the jobs, in seconds.
  public static let measureSeconds = 2

  /// The longest table, in bytes.
  public var csvBytes = 10 << 20
  /// The most rows of a table.
  public var csvRows = 10_000
  /// The most books of one enrichment.
  public var books = 100
  /// The longest title of a book to be enriched, in characters of Unicode (scalars).
  public var titleCharacters = 500
  /// The longest author of a book to be enriched, in characters of Unicode (scalars).
  public var authorCharacters = 300
  /// The longest ISBN of a book to be enriched, in characters of Unicode (scalars).
  public var isbnCharacters = 17
  /// The longest request of an enrichment, in bytes.
  public var booksBytes = 1 << 20
  /// The most photos of one scan.
  public var photos = 5
  /// The longest photo, in bytes.
  public var photoBytes = 24 << 20
  /// The most jobs that wait or run at once.
  public var openJobs = 500
  /// The most jobs that run at once.
  public var runningJobs = 4
  /// The most jobs that all clients together start at once after a pause.
  public var startsAtOnce = 1_000
  /// The most jobs that all clients together start in a minute, in the long run.
  public var startsPerMinute = 600
  /// The most jobs that one client starts at once after a pause.
  public var startsAtOnceOfClient = 500
  /// The most jobs that one client starts in a minute, in the long run.
  public var startsPerMinuteOfClient = 300
  /// The most requests with input that are read at once.
  public var uploads = 16
  /// The most further ones that wait for their turn.
  public var uploadsWaiting = 500
  /// How long one waits for its turn, in seconds.
  public var uploadWaitSeconds = 10
  /// The most bytes of requests with input that are in memory at once.
  public var uploadBytes = 512 << 20
  /// The least rate of an upload, in bytes a second.
  public var uploadBytesPerSecond = 4 << 10
  /// How far an upload may fall behind its least rate, in seconds.
  public var uploadSlackSeconds = 30
  /// The longest time of an upload, in seconds.
  public var uploadSeconds = 3_600
  /// How long results are kept after the end, in seconds.
  public var resultSeconds = 86_400
  /// How long it is remembered that a job was there, in seconds after its results went.
  public var tombstoneSeconds = 7 * 86_400
  /// How long a token is good, in seconds.
  public var tokenSeconds = 7_200
  /// How long a token is still good after a newer one took its place, in seconds.
  public var tokenGraceSeconds = 300
  /// The most tokens of one job that are kept.
  public var tokensOfJob = 100
  /// How long an idempotency key is remembered, in seconds.
  public var idempotencySeconds = 86_400
  /// The longest idempotency key, in bytes.
  public var idempotencyBytes = 200
  /// The most results of one page.
  public var pageItems = 500
  /// The most results of one page by default; at most ``pageItems``, see ``usualPageItems``.
  public var pageItemsByDefault = 100
  /// The most events that a late client gets one by one; for more it gets the state instead.
  public var replayedEvents = 200
  /// The most listeners of one job.
  public var listenersOfJob = 2_000
  /// The most listeners of all jobs.
  public var listeners = 4_000
  /// The longest message of a client, in bytes.
  public var incomingBytes = 64 << 10
  /// The most messages of a client that are not understood, in a minute.
  public var noticesPerMinute = 20
  /// The most messages that wait for a slow client before progress is left out.
  public var waitingMessages = 64
  /// How many of the newest messages are kept ready for all subscribers.
  public var recentMessages = 32
  /// The most items of a completion that carries them, for clients of version 1.
  public var embeddedItems = 2_000
  /// How often a silent listener is sent a sign that the job lives, in seconds.
  public var heartbeatSeconds = 25
  /// How old the stored sign of life of a job that waits may become, in milliseconds: no older than its listeners', and
  /// never so old that it counts as stuck.
  package var signMilliseconds: Int64 { Int64(min(heartbeatSeconds, stuckSeconds / 2)) * 1_000 }
  /// How often a client that polls should ask, in seconds.
  public var pollSeconds = 2
  /// How long a job waits for a database that another program has locked, in seconds.
  public var lockedSeconds = 300
  /// How long the lease of a job lasts without being renewed, in seconds; only of jobs in a shared database.
  public var leaseSeconds = 10
  /// How many times the server may crash over a job without progress before the job fails.
  public var crashesOfJob = 3
  /// How many attempts at a job may fail for a reason that passes before the job fails.
  public var attemptsOfJob = 5
  /// The pause after the first failed attempt, in seconds; it doubles from then on.
  public var leastRetrySeconds = 5
  /// The longest pause between two attempts, in seconds.
  public var mostRetrySeconds = 600
  /// How far ahead a job can be scheduled, in seconds.
  public var scheduleSeconds = 7 * 86_400
  /// The most jobs that wait for the instant at which they are scheduled.
  public var scheduledJobs = 100
  /// How long before it a job may have come that one of the next higher priority overtakes, in seconds.
  public var priorityStepSeconds = 300
  /// The most dead letters that are listed at once.
  public var deadLetters = 500
  /// After how many seconds without a step a running job counts as stuck.
  public var stuckSeconds = 120
  /// The time between two searches for what expired, may be taken up again, or is stuck, in seconds.
  public var sweepSeconds = 30

  /// How many results a page has if nothing is said.
  public var usualPageItems: Int { min(pageItemsByDefault, pageItems) }

  /// The usual limits.
  public init() {}

  /// The limits as clients read them.
  public var json: JSONValue {
    .object([
      "csv_import": .object(["maxBytes": whole(csvBytes), "maxRows": whole(csvRows)]),
      "batch_enrichment": .object([
        "maxBooks": whole(books), "maxTitleCharacters": whole(titleCharacters),
        "maxAuthorCharacters": whole(authorCharacters), "maxISBNCharacters": whole(isbnCharacters),
        "maxBytes": whole(booksBytes),
      ]),
      "ai_scan": .object(["maxPhotos": whole(photos), "maxPhotoBytes": whole(photoBytes)]),
      "jobs": .object([
        "open": whole(openJobs), "running": whole(runningJobs), "uploads": whole(uploads),
        "uploadsWaiting": whole(uploadsWaiting), "uploadWaitSeconds": whole(uploadWaitSeconds),
        "startsAtOnce": whole(startsAtOnce), "startsPerMinute": whole(startsPerMinute),
        "startsAtOnceOfClient": whole(startsAtOnceOfClient),
        "startsPerMinuteOfClient": whole(startsPerMinuteOfClient),
        "uploadBytesPerSecond": whole(uploadBytesPerSecond),
        "uploadSlackSeconds": whole(uploadSlackSeconds), "uploadSeconds": whole(uploadSeconds),
      ]),
      "retries": .object([
        "attempts": whole(attemptsOfJob), "leastSeconds": whole(leastRetrySeconds),
        "mostSeconds": whole(mostRetrySeconds),
      ]),
      "schedule": .object([
        "aheadSeconds": whole(scheduleSeconds), "jobs": whole(scheduledJobs),
        "priorityStepSeconds": whole(priorityStepSeconds),
      ]),
      "results": .object([
        "keptSeconds": whole(resultSeconds), "tombstoneSeconds": whole(tombstoneSeconds),
        "pageItems": whole(pageItems), "pageItemsByDefault": whole(usualPageItems),
        "embeddedItems": whole(embeddedItems),
      ]),
      "tokens": .object([
        "seconds": whole(tokenSeconds), "graceSeconds": whole(tokenGraceSeconds),
      ]),
      "idempotency": .object([
        "seconds": whole(idempotencySeconds), "maxBytes": whole(idempotencyBytes),
      ]),
      "events": .object([
        "replayed": whole(replayedEvents), "heartbeatSeconds": whole(heartbeatSeconds),
        "pollSeconds": whole(pollSeconds), "listenersOfJob": whole(listenersOfJob),
        "incomingBytes": whole(incomingBytes), "noticesPerMinute": whole(noticesPerMinute),
        "listeners": whole(listeners), "waitingMessages": whole(waitingMessages),
      ]),
    ])
  }

  private func whole(_ number: Int) -> JSONValue { .whole(Int64(number)) }
}
