import Freshness
import HTTPTypes

/// A resource of any type as a key of the client's registry.
struct ResourceName: Hashable, Sendable {
  private let resource: any FreshResource

  /// Wraps a resource.
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

/// The properties of a resource, read before it is looked up under the registry's lock.
struct ResourceOpening<R: FreshResource>: Sendable {
  let resource: R
  /// The name in the registry.
  let name: ResourceName
  /// The resource's own constants.
  let policy: Policy?
  /// The tags of the resource.
  let tags: Set<String>
  /// The requested subject as responses name it.
  let subject: String?
  /// The name in exported samples: method and address.
  let title: String
  /// The origin that serves it: scheme and authority (R39).
  let origin: String

  /// Reads the properties of a resource.
  init(_ resource: R) {
    self.resource = resource
    name = ResourceName(resource)
    policy = resource.policy
    tags = resource.tags
    subject = resource.subject
    let request = resource.request(since: nil)
    origin = "\(request.scheme ?? "")://\(request.authority ?? "")"
    title = "\(request.method) \(request.authority ?? "")\(request.path ?? "")"
  }
}
