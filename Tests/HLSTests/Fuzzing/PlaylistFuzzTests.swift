import FormatProperties
import Foundation
import TestSupport
import Testing

/// Fuzzing with malformed playlists. No input may crash or hang the parser, and no playlist may be written much larger
/// than it was read. Every parsed playlist must survive a round trip.
struct PlaylistFuzzTests {
    private static let environment = ProcessInfo.processInfo.environment

    private static var count: Int {
        if environment["MEDIACACHE_SOAK"] == "1" { return 5_000_000 }
        #if DEBUG
            return 2_000
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
        var check = PlaylistCheck()
        var slowest = Duration.zero
        let before = residentBytes()
        for _ in 0..<Self.count {
            let bytes = mutator.next()
            let elapsed = try ContinuousClock().measure {
                guard let problem = check.problem(bytes) else { return }
                Issue.record("\(problem)\nInput: \(Data(bytes).base64EncodedString())")
                throw ProblemFound()
            }
            slowest = max(slowest, elapsed)
            // Yields to other tests, some of which depend on real time.
            await Task.yield()
        }
        let grown = (residentBytes() ?? 0) - (before ?? 0)
        print(
            "\(check.parsed) of \(Self.count) playlists were parsed; slowest: \(slowest); memory grew by \(grown >> 20) MiB"
        )
        #expect(check.parsed > Self.count / 2)
        // Far more than a playlist of a few kilobytes takes, because other tests may occupy the processor.
        #expect(slowest < .seconds(10))
        if Self.environment["MEDIACACHE_SOAK"] == "1" { #expect(grown < 64 << 20) }
    }

    private struct ProblemFound: Error {}

    /// Returns the process's resident memory in bytes; nil without procfs.
    private func residentBytes() -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
        return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4096 }
    }
}
