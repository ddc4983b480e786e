import HTTPTypes
import NIOHTTP1

extension HTTPFields {
    /// The fields of a response. What isn't a field by RFC 9110 §5.1 is left out, and so is this process's own mark.
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
    /// The fields of a request.
    init(sent fields: HTTPFields) {
        self.init()
        for field in fields { add(name: field.name.rawName, value: field.value) }
    }
}
