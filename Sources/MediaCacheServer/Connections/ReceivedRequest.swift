import MediaCacheAPI
import NIOCore
import NIOHTTP1

/// The part of a server that answers a request, chosen by the request's head.
enum RequestDestination {
    case play(PlayTarget)
    case route(any Route, ReaderPath)
    /// No part: the client isn't let in, or there is nothing at the path.
    ///
    /// - hasProtection: whether the answer carries the header fields of media.
    case refusal(Problem, hasProtection: Bool)
}

/// A request that is being received. A class, because copies of a head and a target cost more than their checks.
final class ReceivedRequest {
    let head: HTTPRequestHead
    let gate: RequestGate
    let destination: RequestDestination
    /// The bytes that the route takes; empty until they arrive.
    var body = ByteBuffer()

    init(_ head: HTTPRequestHead, gate: RequestGate, destination: RequestDestination) {
        self.head = head
        self.gate = gate
        self.destination = destination
    }

    /// The length that the head gives for the body; 0 without one.
    var announcedLength: Int { head.headers.first(name: "Content-Length").flatMap { Int($0) } ?? 0 }

    /// Whether a body follows the head.
    var announcesBody: Bool { announcedLength > 0 || head.headers.contains(name: "Transfer-Encoding") }
}
