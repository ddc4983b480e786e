import NIOCore
import NIOHTTP1

/// The destination of a request.
enum RequestDestination {
    case route(any Route, path: String)
    /// Media. `isAdmitted` is whether the path contains a valid token; if so, pages of any site may read the response.
    case media(any ReaderOpener, isAdmitted: Bool)
    /// An error response. `isAdmitted` is nil if the response needs no protective header fields.
    case refusal(ErrorResponse, isAdmitted: Bool? = nil)
}

/// A request that is being received. It is a class, because copying its head and gate is expensive.
final class ReceivedRequest {
    let head: HTTPRequestHead
    let gate: RequestGate
    let destination: RequestDestination
    var body = ByteBuffer()

    init(_ head: HTTPRequestHead, gate: RequestGate, destination: RequestDestination) {
        self.head = head
        self.gate = gate
        self.destination = destination
    }

    /// The length of the body that the head announces; 0 if it announces none.
    var announcedLength: Int { head.headers.first(name: "Content-Length").flatMap { Int($0) } ?? 0 }

    var announcesBody: Bool { announcedLength > 0 || head.headers.contains(name: "Transfer-Encoding") }
}
