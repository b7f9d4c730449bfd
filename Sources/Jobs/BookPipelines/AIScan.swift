package import BookLibrary
package import BookScan
import Books
import Foundation
package import Jobs
import StrictJSON

/// Finds books in photos of shelves.
///
/// Each photo is read by a ``BookScan/ShelfReader``, then each sighting is looked up. A book is approved if the
/// catalogue match is at least the threshold and the reader is at least that sure too; everything else needs a person's
/// review. The same book in two photos is one item, with the higher confidence. An unreadable photo is a failed item
/// and the next one follows; if no photo can be read, the job fails.
package struct AIScan: JobPipeline {
  /// Unknown words below this confidence of the reader are noise, not a book to review.
  package static let leastUnknownText = 0.75
  /// Unknown words with fewer letters are noise.
  package static let fewestUnknownLetters = 8
  /// How often a job that waits for a photo reports that it lives and asks whether to continue.
  package static let heartbeat = Duration.milliseconds(400)

  /// Its name.
  package let name = PipelineName.aiScan
  /// Reading photo by photo.
  package let phases = [JobPhase("reading_photos", weight: 1)]

  private let provider: any ShelfReader
  private let lookup: BookLookup
  private let threshold: Double
  private let limits: ScanLimits

  /// Creates a pipeline.
  ///
  /// - Parameters:
  ///   - provider: Finds books in a photo.
  ///   - lookup: Asks the catalogues.
  ///   - threshold: The confidence from which a book is approved, 0 to 1.
  ///   - limits: The limits of the input.
  package init(
    provider: any ShelfReader,
    lookup: BookLookup,
    threshold: Double = BookMatch.usualThreshold,
    limits: ScanLimits = ScanLimits()
  ) {
    self.provider = provider
    self.lookup = lookup
    self.threshold = threshold
    self.limits = limits
  }

  /// Reads the photos of a job, or the rest of them.
  package func run(_ work: JobWork, steps: any JobSteps) async throws {
    let photos = work.inputs.count
    lookup.renew()
    var state = ScanState(work.checkpoint)
    guard try await steps.commit(step([], state, photos, nil)) == .proceed else { return }
    while state.photo < photos {
      let input = work.inputs[state.photo]
      let number = state.photo
      guard
        let result = try await beating(
          state,
          photos,
          input.name,
          steps,
          { try await self.read(input, work) }
        )
      else { return }
      var items: [JobItem] = []
      switch result {
      case .success(let found):
        state.photosRead += 1
        for (sighting, answer) in found.books {
          guard let book = judge(sighting, answer, photo: number) else { continue }
          if let item = state.add(book) { items.append(item) }
        }
      case .failure(let error) where error.passesSoon && work.attemptsLeft > 0:
        try Task.checkCancellation()
        // The next attempt begins with this photo.
        throw JobFailure(
          code: error.code.rawValue,
          message: "\(input.name): \(error.description)",
          isRetryable: true
        )
      case .failure(let error):
        state.lastError = error
        items.append(state.addFailure(error, photo: number, name: input.name))
      }
      state.photo += 1
      guard try await steps.commit(step(items, state, photos, input.name)) == .proceed else {
        return
      }
    }
    // Behind the loop: after a restart there may be no photo left to read.
    if state.photosRead == 0, let error = state.lastError {
      throw JobFailure(
        code: error.code.rawValue,
        message: "no photo could be read: \(error.description)",
        isRetryable: error.isRetryable,
        isFinal: true
      )
    }
  }

  private struct Found: Sendable {
    var books: [(Sighting, BookLookup.Answer)]
  }

  /// Reads a photo and looks up what is in it.
  ///
  /// - Throws: `JobFailure` if a catalogue may answer soon, and the job may be tried again from this photo on; what
  ///   ``BookLookup`` throws.
  private func read(_ input: JobInput, _ work: JobWork) async throws -> Result<Found, ScanError> {
    do {
      guard let data = FileManager.default.contents(atPath: input.path) else {
        throw ScanError(.notAPhoto, "the photo that was sent is no longer there")
      }
      let photo = try Photo(Array(data), limits: limits)
      let sightings = try await provider.read(photo)
      var books: [(Sighting, BookLookup.Answer)] = []
      for sighting in sightings.books {
        let answer =
          switch sighting.kind {
          case .text: try await lookup.find(spine: sighting.title)
          case .isbn, .title:
            try await lookup.find(
              BookLookup.Question(
                title: sighting.title,
                author: sighting.author,
                isbn: sighting.isbn
              )
            )
          }
        if case .failed(let error) = answer, error.passesSoon, work.attemptsLeft > 0 {
          throw JobFailure(
            code: error.code.rawValue,
            message: "\(input.name): \(error.description)",
            isRetryable: true
          )
        }
        books.append((sighting, answer))
      }
      return .success(Found(books: books))
    } catch let error as ScanError {
      return .failure(error)
    }
  }

  /// Runs slow work while the job reports that it is alive; `nil` if it was asked to stop.
  private func beating<Value: Sendable>(
    _ state: ScanState,
    _ photos: Int,
    _ current: String,
    _ steps: any JobSteps,
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value? {
    try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask { try await body() }
      defer { group.cancelAll() }
      while true {
        group.addTask {
          try await Task.sleep(for: Self.heartbeat)
          return nil
        }
        if let value = try await group.next() ?? nil { return value }
        let directive = try await steps.commit(step([], state, photos, current))
        guard directive == .proceed else { return nil }
      }
    }
  }

  private func step(
    _ items: [JobItem],
    _ state: ScanState,
    _ photos: Int,
    _ current: String?
  ) -> JobStep {
    JobStep(
      items: items,
      phase: "reading_photos",
      fraction: Double(state.photo) / Double(max(1, photos)),
      processed: state.next,
      current: current,
      checkpoint: items.isEmpty ? nil : state.bytes
    )
  }

  /// The book of a sighting; `nil` if the sighting is noise.
  private func judge(
    _ sighting: Sighting,
    _ answer: BookLookup.Answer,
    photo: Int
  ) -> ScannedBook? {
    var book = ScannedBook(photo: photo, sighting: sighting)
    let described = MatchValue.describe(answer)
    book.members = described.members
    book.problem = described.problem
    switch answer {
    case .found(let match), .unsure(let match):
      // The reader of a spine has been judged by its match.
      let sure = sighting.kind == .text ? 1 : sighting.confidence
      book.confidence = min(match.confidence, sure ?? match.confidence)
      book.isApproved = described.isFound && book.confidence >= threshold && sure != nil
      if described.isFound, sure == nil {
        book.problem = JobItem.Problem(
          code: "confidence_unknown",
          message: "the reader does not say how sure it is"
        )
      }
      book.title = match.book.title
      book.author = match.book.authors.first
      book.isbn = sighting.isbn ?? match.book.isbn
    case .notFound, .failed:
      if sighting.kind == .text {
        let letters = sighting.title.count { $0.isLetter }
        guard sighting.confidence ?? 0 >= Self.leastUnknownText,
          letters >= Self.fewestUnknownLetters
        else { return nil }
      }
      book.title = sighting.title
      book.author = sighting.author
      book.isbn = sighting.isbn
      // No catalogue has confirmed it.
      book.confidence = min(sighting.confidence ?? 0, BookMatch.floor)
    }
    return book
  }
}
