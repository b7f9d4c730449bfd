import FreshResponses
import HTTPTypes
public import Hummingbird

extension RouterMethods {
  /// Serves a resource: conditional reads, long polls and an event stream.
  ///
  /// - Parameters:
  ///   - resource: The resource.
  ///   - path: The path of the resource; its event stream is at `events` below it.
  ///   - options: How the resource is served.
  ///   - serving: What served resources share.
  /// - Returns: The router.
  @discardableResult
  public func serve<Resource: ServedResource>(
    _ resource: Resource,
    at path: RouterPath,
    options: ServingOptions = ServingOptions(),
    with serving: ResourceServing = ResourceServing()
  ) -> Self {
    serve(at: path, options: options, with: serving) { _, _ in resource }
  }

  /// Serves resources whose path has parameters.
  ///
  /// - Parameters:
  ///   - path: The path of the resources, such as `rooms/:room`.
  ///   - options: How the resources are served.
  ///   - serving: What served resources share.
  ///   - resource: Returns the resource of a request; throws `HTTPError(.notFound)` for an unknown one.
  /// - Returns: The router.
  @discardableResult
  public func serve<Resource: ServedResource>(
    at path: RouterPath,
    options: ServingOptions = ServingOptions(),
    with serving: ResourceServing = ResourceServing(),
    resource: @escaping @concurrent @Sendable (Request, Context) async throws -> Resource
  ) -> Self {
    @Sendable func endpoint(
      _ request: Request,
      _ context: Context
    ) async throws -> ResourceEndpoint<Resource> {
      ResourceEndpoint(
        try await resource(request, context),
        name: path.description,
        options: options,
        serving: serving
      )
    }
    on(path, method: .get) { request, context in
      try await endpoint(request, context).read(request, context)
    }
    on(path, method: .head) { request, context in
      try await endpoint(request, context).read(request, context).createHeadResponse()
    }
    if let events = options.events {
      on("\(path)/\(events)", method: .get) { request, context in
        try await endpoint(request, context).stream(request, context)
      }
    }
    return self
  }

  /// Lets clients replace a resource with `PUT`, on the condition that they know its state.
  ///
  /// - Parameters:
  ///   - resource: The resource.
  ///   - path: The path of the resource.
  ///   - options: How the resource is served.
  ///   - serving: What served resources share.
  /// - Returns: The router.
  @discardableResult
  public func acceptWrites<Resource: WritableResource>(
    to resource: Resource,
    at path: RouterPath,
    options: ServingOptions = ServingOptions(),
    with serving: ResourceServing = ResourceServing()
  ) -> Self {
    let endpoint = ResourceEndpoint(
      resource,
      name: path.description,
      options: options,
      serving: serving
    )
    on(path, method: .put) { request, context in
      try await endpoint.write(request, context)
    }
    return self
  }

  /// Serves the counters and histograms of resources in the text format of Prometheus.
  ///
  /// - Parameters:
  ///   - serving: What the resources share.
  ///   - path: The path.
  /// - Returns: The router.
  @discardableResult
  public func serveMetrics(of serving: ResourceServing, at path: RouterPath = "metrics") -> Self {
    on(path, method: .get) { _, _ in
      Response(
        status: .ok,
        headers: [
          .contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store",
        ],
        body: ResponseBody(byteBuffer: ByteBuffer(string: serving.metricsText))
      )
    }
    return self
  }
}
