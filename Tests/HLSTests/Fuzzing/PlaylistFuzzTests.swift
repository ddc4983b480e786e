import Foundation
import HLS
import TestSupport
import Testing

/// Fuzzing with malformed playlists. No input may crash or hang the parser, and no playlist may be written much larger
/// than it was read. Every parsed playlist must survive a round trip.
struct PlaylistFuzzTests {
    private static let environment = ProcessInfo.processInfo.environment

    private static var count: Int {
        if environment["MEDIACACHE_SOAK"] == "1" { return 5_000_000 }
        #if DEBUG
            return 10_000
        #else
            return 200_000
        #endif
    }

    private static var seed: UInt64 { environment["MEDIACACHE_FUZZ_SEED"].flatMap { UInt64($0) } ?? 20_260_101 }

    private func seeds() throws -> [[UInt8]] {
        var seeds = SamplePlaylists.all.map { Array($0.utf8) }
        if try Prerequisite.hasCorpora() {
            seeds += try Corpora.files("").map { try Corpora.bytes($0) }.filter { $0.count <= 4096 }
        }
        return seeds
    }

    @Test func parsesMutatedPlaylists() async throws {
        print("Fuzzing \(Self.count) playlists; MEDIACACHE_FUZZ_SEED=\(Self.seed)")
        var mutator = PlaylistMutator(seeds: try seeds(), seed: Self.seed)
        var known: MediaPlaylist?
        var read = 0
        var slowest = Duration.zero
        let before = residentBytes()
        for _ in 0..<Self.count {
            let bytes = mutator.next()
            let elapsed = try ContinuousClock().measure {
                guard let problem = check(bytes, &known, &read) else { return }
                Issue.record("\(problem)\nInput: \(Data(bytes).base64EncodedString())")
                throw ProblemFound()
            }
            slowest = max(slowest, elapsed)
            // Yields to other tests, some of which depend on real time.
            await Task.yield()
        }
        let grown = (residentBytes() ?? 0) - (before ?? 0)
        print(
            "\(read) of \(Self.count) playlists were parsed; slowest: \(slowest); memory grew by \(grown >> 20) MiB"
        )
        #expect(read > Self.count / 2)
        // Far more than a playlist of a few kilobytes takes, because other tests may occupy the processor.
        #expect(slowest < .seconds(10))
        if Self.environment["MEDIACACHE_SOAK"] == "1" { #expect(grown < 64 << 20) }
    }

    private struct ProblemFound: Error {}

    private func check(_ bytes: [UInt8], _ known: inout MediaPlaylist?, _ read: inout Int) -> String? {
        if PlaylistDocument(bytes).bytes != bytes { return "The document changed." }
        if let problem = rewritingProblem(bytes) { return problem }
        guard let parsed = try? PlaylistParser().parse(bytes) else { return nil }
        read += 1
        if let strict = try? PlaylistParser(isStrict: true).parse(bytes), strict != parsed {
            return "The strict parse differs."
        }
        if let problem = identityProblem(parsed) { return problem }
        if let media = parsed.playlist.media {
            for resolved in media.resolvedSegments where resolved.segment.uri.isEmpty { return "A segment has no URI." }
            if let reload = try? known?.reloaded(with: media), reload.playlist.skip != nil {
                return "The reload has a skip."
            }
            if media.skip == nil { known = media }
        }
        let growth = PlaylistWriter().bytes(parsed.playlist).count
        if parsed.variables.isEmpty, growth > 8 * bytes.count + 1024 {
            return "The written playlist has \(growth) bytes."
        }
        return nil
    }

    /// Returns a description of a forbidden change by rewriting; nil if there is none. Without replacements, rewriting
    /// may only remove control characters, Unicode line separators and tags after Unicode white space, truncate lines
    /// before ambiguous attributes, and terminate an EXTINF on the last line.
    private func rewritingProblem(_ bytes: [UInt8]) -> String? {
        let sent = PlaylistReferences().rewritten(bytes) { _ in nil }
        if PlaylistReferences().rewritten(sent, { _ in nil }) != sent { return "Rewriting again changed it." }
        let plain = bytes.filter { $0 >= 0x20 && $0 != 0x7F || [0x09, 0x0A, 0x0D].contains($0) }
        // NEL and the Unicode line separators begin with these bytes. Playlists with them aren't compared.
        guard !plain.contains(0xC2), !plain.contains(0xE2), sent != plain, sent != plain + [0x0A] else { return nil }
        let isEnd: (UInt8) -> Bool = { $0 == 0x0A || $0 == 0x0D }
        let lines = plain.split(omittingEmptySubsequences: false, whereSeparator: isEnd)
        var left = sent.split(omittingEmptySubsequences: false, whereSeparator: isEnd)
        if left.count == lines.count + 1, left.last?.isEmpty == true { left.removeLast() }
        let isShortened = zip(lines, left).allSatisfy { line, rest in
            guard line != rest else { return true }
            let end = line.dropFirst(rest.count)
            let hasName = ["URI", "X-ASSET-LIST"].contains { end.firstRange(of: Array($0.utf8)) != nil }
            // A tag that follows Unicode white space is removed.
            let isHidden = rest.isEmpty && line.first.map { $0 >= 0x80 } == true
            return line.starts(with: rest) && (hasName || isHidden || rest.contains(UInt8(ascii: "\"")))
        }
        return isShortened && left.count == lines.count ? nil : "The rewritten playlist changed."
    }

    /// Returns the process's resident memory in bytes; nil without procfs.
    private func residentBytes() -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4096 }
    }
}
