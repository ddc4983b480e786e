public import HTTPTypes

/// One thing that an origin does wrong, or in its own time, in answer to a request. Several can be combined.
///
/// Offsets named `after` count the body bytes of the response; those named `at` are offsets in the resource.
public enum ScriptedFault: Sendable {
    /// A 206 whose `Content-Range` isn't true: these are added to its first and last position and complete length.
    case wrongContentRange(start: Int64 = 0, end: Int64 = 0, total: Int64 = 0)
    /// A 206 with this `Content-Range`, whatever the body; nil leaves the field out.
    case contentRange(String?)
    /// `Range` is ignored: 200, and the whole body.
    case ignoresRange
    /// The response carries this `ETag` (nil: none), and `If-Range` is taken as met: a 206 of another version.
    case entityTag(String?)
    /// 416 with the true length, whatever was asked.
    case rangeNotSatisfiable
    /// The body ends so many bytes before its announced length.
    case bodyShorter(by: Int64)
    /// The body goes on for so many bytes after its announced length.
    case bodyLonger(by: Int64)
    /// No `Content-Length`; on a socket the body is sent chunked (RFC 9112 §7.1).
    case noContentLength
    /// No `Content-Length`, and the end of the connection ends the body (RFC 9112 §6.3), after so many bytes if given.
    case closeDelimited(after: Int64? = nil)
    /// `Content-Encoding` says this; the bytes are as ever.
    case contentEncoding(String)
    /// 200 with an HTML page, as of a login.
    case page(String = "<!DOCTYPE html><html><head><title>Log in</title></head><body>Please log in.</body></html>")
    /// An error status, with `Retry-After` if given: seconds, or an HTTP date.
    case status(Int, retryAfter: String? = nil)
    /// A redirect: to an absolute URL, or to a reference relative to the one asked for.
    case redirect(to: String, status: Int = 302)
    /// Nothing comes after so many bytes, until the gate opens.
    case stall(after: Int64, until: ScriptedGate = ScriptedGate())
    /// The connection breaks after so many bytes.
    case reset(after: Int64)
    /// There is no answer at all: the connection is refused, or closes before the head.
    case unreachable
    /// The response's head waits for the gate.
    case holdHead(ScriptedGate)
    /// The body waits for the gate when the response comes to this offset of the resource.
    case holdBody(at: Int64, ScriptedGate)
    /// The largest buffer handed over at once, in bytes.
    case bufferSize(Int)
    /// The resource becomes another after so many bytes of this response. The rest of the response is still of the old
    /// one, or, if `tearsBody`, of the new one, as when a file is overwritten while it is being sent.
    case replace(after: Int64, with: ScriptedResource, tearsBody: Bool = false)
    /// Fields that are sent too; they replace the others of the same name.
    case headerFields(HTTPFields)
}
