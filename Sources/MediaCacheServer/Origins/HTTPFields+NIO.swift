import HTTPTypes
import NIOHTTP1

extension HTTPFields {
    /// Creates the fields of a response. Invalid field names (RFC 9110 §5.1) and this process's own mark are omitted.
    init(received headers: HTTPHeaders) {
        self.init()
        for (name, value) in headers {
            guard let name = HTTPField.Name(name), name.canonicalName != OriginConnectionHandler.peerField else {
                continue
            }
            append(HTTPField(name: name, value: value))
        }
    }
}

extension HTTPHeaders {
    /// Creates the fields of a request.
    init(sent fields: HTTPFields) {
        self.init()
        for field in fields { add(name: field.name.rawName, value: field.value) }
    }
}
