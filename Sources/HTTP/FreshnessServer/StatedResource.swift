package import FreshResponses

/// A resource of one request whose state is already known, and which no request waits for.
package struct StatedResource: ServedResource {
  private let known: RepresentationState
  private let make: @concurrent @Sendable (RepresentationState) async throws -> Representation

  /// Creates a resource.
  ///
  /// - Parameters:
  ///   - state: Its state.
  ///   - make: Makes the representation, if the client does not have it.
  package init(
    _ state: RepresentationState,
    make: @escaping @concurrent @Sendable (RepresentationState) async throws -> Representation
  ) {
    known = state
    self.make = make
  }

  package func state() async throws -> RepresentationState? { known }

  package func representation() async throws -> Representation? { try await make(known) }

  package func updates() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
}
