import Foundation
import MediaCache
import MediaCacheTesting
import TestSupport
import Testing

@testable import MediaLibrary

/// Tests of recording a stream for hours with repeated random faults.
@Suite(.timeLimit(.minutes(20)))
struct RandomRecordingTests {
    private enum Fault: CaseIterable {
        case outage, longOutage, failing, missing, slow, restart, renaming, falseEnd, jump, target, stop, crash, old,
            links
    }

    /// The seed of the third stream, which `MEDIACACHE_FUZZ_SEED` replaces.
    private static let seed = ProcessInfo.processInfo.environment["MEDIACACHE_FUZZ_SEED"].flatMap(UInt64.init) ?? 3

    @Test(arguments: [1, 2, seed])
    func recordsAllAvailableSegmentsThroughRandomFaults(seed: UInt64) async throws {
        print("recording with random faults, seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let live = LiveOrigin()
        live.clock = Bool.random(using: &generator) ? 0 : nil
        let fixture = RecordingFixture(live)
        // Long segments and steps make the hours pass quickly.
        live.target = 30
        fixture.step = .milliseconds(2500)
        live.restart(at: Int.random(in: 0..<5000, using: &generator), as: "x#.ts")
        live.publish()
        try await fixture.open()
        try await fixture.record()
        var blind: [ClosedRange<Duration>] = []
        var lost: Set<ResourceURL> = []
        var log: [String] = []
        for round in 0..<16 {
            try await fixture.pass(Double.random(in: 100..<450, using: &generator))
            let began = live.library.time.monotonic
            let fault = Fault.allCases.randomElement(using: &generator)!
            log.append("\(Int(began.seconds)) s: \(fault)")
            switch fault {
            case .outage, .longOutage:
                let isLong = fault == .longOutage
                if Bool.random(using: &generator) {
                    live.library.origin.isReachable = false
                } else {
                    live.playlistsFail(.unreachable)
                }
                try await fixture.pass(Double.random(in: isLong ? 300..<3600 : 5..<120, using: &generator))
                live.library.origin.isReachable = true
                live.clearFaults()
            case .failing:
                let faults: [ScriptedFault] = [.status(500), .status(404), .page(), .reset(after: 10)]
                live.playlistsFail(faults.randomElement(using: &generator)!)
                try await fixture.pass(Double.random(in: 5..<125, using: &generator))
                live.clearFaults()
            case .missing:
                let url = live.segment(live.next)
                lost.insert(url)
                live.library.origin.always(url, .status(404))
            case .slow:
                let url = live.segment(live.next, in: "a1")
                live.library.origin.always(
                    url, [ScriptedFault.status(404), .page(), .bodyShorter(by: 9)].randomElement(using: &generator)!)
                try await fixture.pass(90)
                live.library.origin.clearFaults(url)
            case .restart: live.restart(as: "r\(round)-#.ts")
            case .renaming:
                live.restart()
                // Without dates, it takes some time to distinguish a restarted encoder from an outdated copy.
                if live.clock == nil { try await fixture.pass(Double(live.target * 6)) }
            case .falseEnd:
                live.hasEndList = true
                try await fixture.pass(40)
                live.hasEndList = false
            case .jump: if live.clock != nil { live.clock = [0, 86_400, -86_400].randomElement(using: &generator) }
            case .target: live.target = [20, 30, 40].randomElement(using: &generator)!
            case .stop:
                try await fixture.recordings?.stop(fixture.name)
                try await fixture.pass(Double.random(in: 5..<500, using: &generator))
                try await fixture.recordings?.start(fixture.name)
            case .crash:
                if Bool.random(using: &generator) { await fixture.crash() } else { await fixture.close() }
                try await fixture.pass(Double.random(in: 5..<500, using: &generator))
                try await fixture.open()
            case .old:
                let text = live.text("v1")
                try await fixture.pass(Double.random(in: 50..<300, using: &generator))
                live.updatesPlaylists = false
                live.serve(text, "v1")
                try await fixture.pass(Double.random(in: 5..<75, using: &generator))
                live.updatesPlaylists = true
            case .links:
                for item in live.published.values.joined() { live.library.origin.always(item.url, .status(403)) }
                for folder in live.folders { live.library.origin.always(live.playlist(folder), .status(403)) }
                live.place = "t\(round)"
                live.renewLinks()
            }
            // Segments that were published shortly before, during or shortly after the fault may be lost.
            blind.append(began - .seconds(2 * live.target)...live.library.time.monotonic + .seconds(12))
        }
        try await fixture.pass(600)
        print("seed \(seed): \(log.joined(separator: ", "))")
        try await fixture.check { segment in
            !lost.contains(segment.url) && !blind.contains { $0.contains(segment.at) }
        }
        try await fixture.check("audio-1", in: "a1") { segment in !blind.contains { $0.contains(segment.at) } }
        await fixture.close()
        #expect((live.published["v1"]?.count ?? 0) > 100, "\(log.joined(separator: ", "))")
    }
}
