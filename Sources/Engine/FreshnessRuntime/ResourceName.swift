import Freshness
import HTTPTypes

/// A resource of any type, as a name in the client's directory.
struct ResourceName: Hashable, Sendable {
  private let resource: any FreshResource

  /// Names a resource.
  init(_ resource: any FreshResource) { self.resource = resource }

  /// Resources of different types are never equal.
  static func == (left: ResourceName, right: ResourceName) -> Bool {
    equals(left.resource, right.resource)
  }

  private static func equals<R: FreshResource>(_ left: R, _ right: any FreshResource) -> Bool {
    left == right as? R
  }

  /// Hashes the resource.
  func hash(into hasher: inout Hasher) { resource.hash(into: &hasher) }
}

/// What a resource says of itself, found out before it is looked for under the ledger's lock.
struct ResourceOpening<R: FreshResource>: Sendable {
  let resource: R
  /// The name in the directory.
  let name: ResourceName
  /// The constants of its own.
  let policy: Policy?
  /// What is asked for, in the words in which an answer names it.
  let subject: String?
  /// The name in exported samples: method and address.
  let title: String
  /// The origin that serves it: scheme and authority (R39).
  let origin: String

  /// Asks a resource.
  init(_ resource: R) {
    self.resource = resource
    name = ResourceName(resource)
    policy = resource.policy
    subject = resource.subject
    let request = resource.request(since: nil)
    origin = "\(request.scheme ?? "")://\(request.authority ?? "")"
    title = "\(request.method) \(request.authority ?? "")\(request.path ?? "")"
  }
}
