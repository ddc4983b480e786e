public import HTTPTypes

/// A fault or delay in the response to a request. Faults can be combined.
///
/// Offsets named `after` count the body bytes of the response; those named `at` are positions in the resource.
public enum ScriptedFault: Sendable {
    /// A wrong `Content-Range`: the values are added to its first position, last position and complete length.
    case wrongContentRange(start: Int64 = 0, end: Int64 = 0, total: Int64 = 0)
    /// A 206 response with this `Content-Range`, regardless of the body; nil omits the field.
    case contentRange(String?)
    /// A 200 response with the whole body, ignoring `Range`.
    case ignoresRange
    /// A response with this `ETag` (nil for none) that treats `If-Range` as true, so that a 206 has another version.
    case entityTag(String?)
    /// A 416 response with the actual length, regardless of the range.
    case rangeNotSatisfiable
    /// The body ends a number of bytes before its announced length.
    case bodyShorter(by: Int64)
    /// The body continues for a number of bytes after its announced length.
    case bodyLonger(by: Int64)
    /// The response has no `Content-Length`; on a socket the body is chunked (RFC 9112 §7.1).
    case noContentLength
    /// The body has no length and ends with the connection (RFC 9112 §6.3), after a number of bytes if given.
    case closeDelimited(after: Int64? = nil)
    /// The response has this `Content-Encoding`; the bytes are unchanged.
    case contentEncoding(String)
    /// A 200 response with an HTML page, such as a login page.
    case page(String = "<!DOCTYPE html><html><head><title>Log in</title></head><body>Please log in.</body></html>")
    /// A response with another status and, if given, `Retry-After`: seconds or an HTTP date.
    case status(Int, retryAfter: String? = nil)
    /// A redirect to an absolute or relative URL.
    case redirect(to: String, status: Int = 302)
    /// The body stalls after a number of bytes until the gate opens.
    case stall(after: Int64, until: ScriptedGate = ScriptedGate())
    /// The connection is reset after a number of bytes.
    case reset(after: Int64)
    /// The connection is closed without a response.
    case unreachable
    /// The response head waits for the gate.
    case holdHead(ScriptedGate)
    /// The body waits for the gate at an offset of the resource, if the response contains it.
    case holdBody(at: Int64, ScriptedGate)
    /// A maximum size of buffers, in bytes.
    case bufferSize(Int)
    /// The resource is replaced after a number of bytes of this response. The rest of the response comes from the
    /// old version or, if `tearsBody` is true, from the new one, as when a file is overwritten during a transfer.
    case replace(after: Int64, with: ScriptedResource, tearsBody: Bool = false)
    /// Additional fields, which replace others with the same names.
    case headerFields(HTTPFields)
}
