package import Hummingbird
package import NIOCore

/// The context of a request that knows who asks.
package struct ClientContext: RequestContext, RemoteAddressRequestContext {
  package var coreContext: CoreRequestContextStorage
  private let channel: any Channel

  package init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }

  package var remoteAddress: SocketAddress? { channel.remoteAddress }
}
