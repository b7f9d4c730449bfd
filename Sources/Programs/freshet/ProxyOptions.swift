import ArgumentParser
import ServeSettings
import Serving

/// The options of `freshet serve` for proxies in front of it.
struct ProxyOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A proxy whose word about its clients counts: its address, a range such as 10.0.0.0/8, or unix for what connects to --socket. Repeat it for more.",
      valueName: "address"
    )
  )
  var trustedProxy: [String] = []

  @Option(
    help: ArgumentHelp(
      "The field in which those proxies name their client: x-forwarded-for, with X-Forwarded-Proto, or forwarded. Default: x-forwarded-for.",
      valueName: "name"
    ),
    completion: .list(TrustedProxies.Field.allCases.map(\.rawValue))
  )
  var forwardedField: String?

  func validate() throws {
    if let forwardedField, TrustedProxies.Field(rawValue: forwardedField) == nil {
      let names = TrustedProxies.Field.allCases.map(\.rawValue).joined(separator: " or ")
      throw ValidationError("--forwarded-field \"\(forwardedField)\" is not \(names)")
    }
    _ = try Self.ranges(trustedProxy, "--trusted-proxy ")
  }

  /// Returns the proxies that the options or a settings file name.
  ///
  /// - Throws: ``CommandFailure`` for what is not an address or a range in the file.
  func trusted(or settings: ServeSettings?) throws -> TrustedProxies {
    let names = trustedProxy.isEmpty ? settings?.trustedProxies ?? [] : trustedProxy
    let field = (forwardedField ?? settings?.forwardedField).flatMap {
      TrustedProxies.Field(rawValue: $0)
    }
    let ranges: [AddressRange]
    do {
      ranges = try Self.ranges(names, trustedProxy.isEmpty ? "" : "--trusted-proxy ")
    } catch let error as ValidationError {
      guard let settings, trustedProxy.isEmpty else { throw error }
      throw settings.failure("trustedProxies", error.message)
    }
    return TrustedProxies(
      ranges,
      trustsSocket: names.contains("unix"),
      field: field ?? .xForwardedFor
    )
  }

  private static func ranges(_ names: [String], _ place: String) throws -> [AddressRange] {
    try names.filter { $0 != "unix" }.map { name in
      guard let range = AddressRange(name) else {
        throw ValidationError(
          "\(place)\"\(name)\" is not an address or a range; expected one like 192.0.2.1, 10.0.0.0/8 or fd00::/8"
        )
      }
      return range
    }
  }
}
