import Foundation
import HLS
import TestSupport
import Testing

/// Broken playlists: none may crash the parser, hang it, or grow beyond its input, and each that is read has to be
/// written and read again as the same.
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

    private static var seed: UInt64 {
        environment["MEDIACACHE_FUZZ_SEED"].flatMap { UInt64($0) } ?? 20_260_101
    }

    /// Playlists of our own, and those of the corpora that aren't long.
    private func seeds() throws -> [[UInt8]] {
        var seeds = SamplePlaylists.all.map { Array($0.utf8) }
        if try Prerequisite.hasCorpora() {
            seeds += try Corpora.files("").map { try Corpora.bytes($0) }.filter { $0.count <= 4096 }
        }
        return seeds
    }

    @Test func survivesBrokenPlaylists() async throws {
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
                throw Found()
            }
            slowest = max(slowest, elapsed)
            // Other tests, some of which wait for a moment of real time, go on in between.
            await Task.yield()
        }
        let grown = (residentBytes() ?? 0) - (before ?? 0)
        print("\(read) of \(Self.count) were read; the slowest took \(slowest); memory grew by \(grown >> 20) MiB")
        #expect(read > Self.count / 2)
        // A playlist of some kilobytes takes well under a millisecond; a hang would take for ever.
        #expect(slowest < .seconds(10))
        if Self.environment["MEDIACACHE_SOAK"] == "1" { #expect(grown < 64 << 20) }
    }

    private struct Found: Error {}

    private func check(_ bytes: [UInt8], _ known: inout MediaPlaylist?, _ read: inout Int) -> String? {
        if PlaylistDocument(bytes).bytes != bytes { return "The document changed." }
        if let problem = rewritingProblem(bytes) { return problem }
        guard let parsed = try? PlaylistParser().parse(bytes) else { return nil }
        read += 1
        if let strict = try? PlaylistParser(isStrict: true).parse(bytes), strict != parsed { return "Strict differs." }
        if let problem = identityProblem(parsed) { return problem }
        if let media = parsed.playlist.media {
            for resolved in media.resolvedSegments where resolved.segment.uri.isEmpty { return "A segment has no URI." }
            if let reload = try? known?.reloaded(with: media), reload.playlist.skip != nil { return "A skip is left." }
            if media.skip == nil { known = media }
        }
        let growth = PlaylistWriter().bytes(parsed.playlist).count
        if parsed.variables.isEmpty, growth > 8 * bytes.count + 1024 { return "It grew to \(growth) bytes." }
        return nil
    }

    /// Rewriting takes out what some players end lines at, ends a last EXTINF, ends lines in front of ambiguous attributes,
    /// and changes nothing else.
    private func rewritingProblem(_ bytes: [UInt8]) -> String? {
        let sent = PlaylistReferences().rewritten(bytes) { _ in nil }
        if PlaylistReferences().rewritten(sent, { _ in nil }) != sent { return "Rewriting again changed it." }
        let plain = bytes.filter { $0 >= 0x20 && $0 != 0x7F || [0x09, 0x0A, 0x0D].contains($0) }
        // These begin NEL and the line ends of Unicode.
        guard !plain.contains(0xC2), !plain.contains(0xE2), sent != plain, sent != plain + [0x0A] else { return nil }
        let isEnd: (UInt8) -> Bool = { $0 == 0x0A || $0 == 0x0D }
        let lines = plain.split(omittingEmptySubsequences: false, whereSeparator: isEnd)
        var left = sent.split(omittingEmptySubsequences: false, whereSeparator: isEnd)
        if left.count == lines.count + 1, left.last?.isEmpty == true { left.removeLast() }
        let isShortened = zip(lines, left).allSatisfy { line, rest in
            guard line != rest else { return true }
            let end = line.dropFirst(rest.count)
            let hasName = ["URI", "X-ASSET-LIST"].contains { end.firstRange(of: Array($0.utf8)) != nil }
            // A tag behind a blank of Unicode is left out.
            let isHidden = rest.isEmpty && line.first.map { $0 >= 0x80 } == true
            return line.starts(with: rest) && (hasName || isHidden || rest.contains(UInt8(ascii: "\"")))
        }
        return isShortened && left.count == lines.count ? nil : "The rewritten playlist changed."
    }

    /// The process's memory; nil where the system doesn't tell it so.
    private func residentBytes() -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4096 }
    }
}
