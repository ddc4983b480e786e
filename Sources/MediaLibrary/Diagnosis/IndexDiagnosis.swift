internal import MediaCache
internal import MediaContainers

/// A check of the position of an MP4's index. It requests only box headers.
struct IndexDiagnosis: Sendable {
    var url: ResourceURL
    var probe: OriginProbe
    var facts: OriginFacts

    /// The maximum number of boxes to examine. A fragmented file has two boxes for each fragment.
    private static let boxLimit = 12
    /// An upper bound for the size of a box header in bytes.
    private static let headerLimit: Int64 = 64

    func finding() async throws -> DiagnosisFinding {
        guard let length = facts.length else {
            return .warning(
                "index", "can't be located because the length is unknown", advice: "see the finding “length”")
        }
        var planner = FastStartPlanner(length: length)
        do {
            for _ in 0..<Self.boxLimit {
                guard case .read(let range) = planner.step else {
                    return .ok("index", "moov is at the front, so playback starts at once")
                }
                // The planner reads more than a header only if the index isn't at the front.
                if range.upperBound - range.lowerBound > Self.headerLimit { return atEnd(range.lowerBound, of: length) }
                guard let bytes = try await bytes(range) else {
                    return .warning(
                        "index",
                        "moov isn't in the first \(ByteCount(Int64(facts.first.bytes.count))), and the origin doesn't "
                            + "support ranges",
                        advice:
                            "players may wait for the whole file; once it's cached, use faststart or ?faststart=1")
                }
                try planner.supply(bytes)
            }
            return .warning(
                "index", "moov isn't among the first \(Self.boxLimit) boxes",
                advice: "players may wait for the whole file; remux it once it's cached")
        } catch let error as CacheError where error.code != .cancelled {
            return .warning(
                "index", "can't be located: \(error)", advice: "try again later; the origin may limit requests")
        } catch let error as ContainerError {
            if error.code == .unsupported {
                return .warning(
                    "index", "moov comes after the fragments",
                    advice: "players wait for the whole file or don't play it; remux it once it's cached")
            }
            return .failure(
                "index", error.description,
                advice: "the file is truncated or damaged; use another source, or remux it")
        }
    }

    /// Returns the bytes of a range; nil if the origin doesn't support ranges.
    private func bytes(_ range: Range<Int64>) async throws -> [UInt8]? {
        if range.upperBound <= Int64(facts.first.bytes.count) {
            return Array(facts.first.bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        }
        guard facts.supportsRanges else { return nil }
        let count = Int(range.upperBound - range.lowerBound)
        let field = "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
        let response = try await probe.request(url, range: field, byteLimit: count)
        guard response.status == 206 else {
            throw CacheError(.badResponse, "the origin responded with \(response.status) for \(field)")
        }
        guard response.bytes.count >= count else {
            throw CacheError(.badResponse, "the origin sent only \(response.bytes.count) bytes for \(field)")
        }
        return Array(response.bytes.prefix(count))
    }

    private func atEnd(_ offset: Int64, of length: Int64) -> DiagnosisFinding {
        .warning(
            "index", "moov comes last, at \(ByteCount(offset)) of \(ByteCount(length))",
            advice: facts.supportsRanges
                ? "players request the end first; `serve --fast-start` or ?faststart=1 starts playback at once"
                : "players wait for the whole file; run `mediacache get`, then `mediacache faststart`")
    }
}
