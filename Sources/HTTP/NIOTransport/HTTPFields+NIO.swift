import HTTPTypes
import NIOHTTP1

extension HTTPFields {
  /// Creates fields from those that NIO read as ISO 8859-1 (``FieldBytesHandler``), byte for byte.
  init(_ headers: HTTPHeaders) {
    self.init()
    for (name, value) in headers {
      guard let name = HTTPField.Name(name) else { continue }
      let bytes = value.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
      append(HTTPField(name: name, lenientValue: bytes))
    }
  }
}

extension HTTPHeaders {
  /// Creates fields in ISO 8859-1, byte for byte (``FieldBytesHandler``).
  init(_ fields: HTTPFields) {
    self.init()
    for field in fields {
      let value = field.withUnsafeBytesOfValue { bytes in
        var text = String.UnicodeScalarView()
        text.append(contentsOf: bytes.lazy.map { Unicode.Scalar($0) })
        return String(text)
      }
      add(name: field.name.rawName, value: value)
    }
  }
}

extension HTTPResponse {
  /// Creates a head from one that NIO read.
  init(_ status: HTTPResponseStatus, _ headers: HTTPHeaders) {
    self.init(
      status: Status(code: Int(status.code), reasonPhrase: status.reasonPhrase),
      headerFields: HTTPFields(headers)
    )
  }
}
