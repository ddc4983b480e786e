internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOHTTP1

extension APIClient {
    /// An event's data is a few hundred bytes; more than this is no event of ours.
    private static let longestLine = 1 << 20

    /// What happens at the owner from now on, until it ends.
    ///
    /// - Parameter body: is told of each event; until it returns, the next isn't read.
    /// - Throws: as all calls; also what `body` throws.
    public func events(_ body: (EventRecord) async throws -> Void) async throws {
        var request = request(.GET, "/api/v1/events")
        request.headers.add(name: "Accept", value: "text/event-stream")
        do {
            let response = try await http.execute(request, deadline: .distantFuture)
            guard response.status == .ok else {
                let bytes = try await response.body.collect(upTo: Self.longestLine)
                if let problem = try? APICoding.makeDecoder().decode(Problem.self, from: Data(bytes.readableBytesView))
                {
                    throw problem
                }
                throw APIClientError.unexpectedAnswer(
                    "GET /api/v1/events: status \(response.status.code)", address: address, cause: nil)
            }
            var line: [UInt8] = []
            for try await buffer in response.body {
                for byte in buffer.readableBytesView {
                    guard byte == UInt8(ascii: "\n") else {
                        line.append(byte)
                        continue
                    }
                    defer { line.removeAll(keepingCapacity: true) }
                    if let record = try event(in: line) { try await body(record) }
                }
                guard line.count <= Self.longestLine else {
                    throw APIClientError.unexpectedAnswer("GET /api/v1/events", address: address, cause: nil)
                }
            }
        } catch let error where error is HTTPClientError || error is ChannelError || error is IOError {
            try Task.checkCancellation()
            throw APIClientError.unreachable(address: address, cause: error)
        }
    }

    /// The event that a line holds; nil for all other lines. Events of ours have their data in one.
    private func event(in line: [UInt8]) throws -> EventRecord? {
        let field = Array("data: ".utf8)
        guard line.starts(with: field) else { return nil }
        do {
            return try APICoding.makeDecoder().decode(EventRecord.self, from: Data(line.dropFirst(field.count)))
        } catch {
            throw APIClientError.unexpectedAnswer("GET /api/v1/events", address: address, cause: error)
        }
    }
}
