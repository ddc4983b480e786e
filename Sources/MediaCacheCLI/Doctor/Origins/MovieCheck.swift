import MediaCache
import MediaContainers

/// Where an MP4 has its index: found by the headers of its boxes alone, each asked for by itself.
struct MovieCheck: Sendable {
    /// Where it is.
    var url: ResourceURL
    /// The way to its origin.
    var probe: OriginProbe
    /// What is known of it.
    var facts: OriginFacts

    /// More boxes than this aren't looked at: a fragmented film has two for each fragment.
    private static let mostReads = 12
    /// More bytes than a box's header can have.
    private static let aboveHeaders: Int64 = 64

    /// Looks.
    func run() async throws -> Finding {
        guard let length = facts.length else {
            return .warning("index", "can't be looked for without the length", advice: "see “length”")
        }
        var planner = FastStartPlanner(length: length)
        do {
            for _ in 0..<Self.mostReads {
                guard case .read(let range) = planner.step else {
                    return .ok("index", "moov is at the front: it plays at once")
                }
                // More than a header is wanted of the index alone, which then isn't at the front.
                if range.upperBound - range.lowerBound > Self.aboveHeaders {
                    return Self.last(at: range.lowerBound, of: length, takesRanges: facts.takesRanges)
                }
                guard let bytes = try await bytes(range) else {
                    return .warning(
                        "index",
                        "moov isn't in the first \(ByteCount(Int64(facts.first.bytes.count))), and no other part can be asked for",
                        advice:
                            "players may have to wait for all of it; once it's kept, faststart or ?faststart=1 helps")
                }
                try planner.supply(bytes)
            }
            return .ok("index", "in front of fragments, or after more than \(Self.mostReads) boxes")
        } catch let error as ContainerError {
            if error.code == .unsupported {
                return .ok("index", "moov comes after fragments; players go by the fragments")
            }
            return .failure(
                "index", error.description, advice: "the file is cut off or damaged; get it from elsewhere, or remux it"
            )
        }
    }

    private func bytes(_ range: Range<Int64>) async throws -> [UInt8]? {
        if range.upperBound <= Int64(facts.first.bytes.count) {
            return Array(facts.first.bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        }
        guard facts.takesRanges else { return nil }
        let count = Int(range.upperBound - range.lowerBound)
        let answer = try await probe.ask(
            url, range: "bytes=\(range.lowerBound)-\(range.upperBound - 1)", most: count)
        guard answer.status == 206, answer.bytes.count >= count else { return nil }
        return Array(answer.bytes.prefix(count))
    }

    private static func last(at offset: Int64, of length: Int64, takesRanges: Bool) -> Finding {
        let found = "moov comes last, at \(ByteCount(offset)) of \(ByteCount(length))"
        return .warning(
            "index", found,
            advice: takesRanges
                ? "players ask for its end first; `serve --fast-start` or ?faststart=1 makes it start at once"
                : "players wait for all of it; `get` it, then `mediacache faststart` makes a file that starts at once")
    }
}
