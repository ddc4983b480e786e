import Foundation
import MediaCache
import MediaLibrary
import NIOCore
import Synchronization
import Testing

@testable import MediaCacheCLI

struct DoctorMachineTests {
    @Test(arguments: [
        (50, 0, DiagnosisFinding.Outcome.ok), (5, 0, .warning), (5, 20, .ok), (1, 0, .failure), (0, 100, .failure),
    ])
    func comparesFreeSpaceWithLimits(free: Int64, used: Int64, outcome: DiagnosisFinding.Outcome) {
        let gigabyte: Int64 = 1_000_000_000
        let limits = CacheLimits(maximumBytes: 10 * gigabyte, maximumAge: nil, minimumFreeBytes: gigabyte)
        let finding = FolderChecks.judge(free: free * gigabyte, used: used * gigabyte, limits: limits)
        #expect(finding.outcome == outcome)
        #expect((finding.advice == nil) == (outcome == .ok))
    }

    @Test func checksFolderWithoutModifyingIt() throws {
        let folder = try TestFolder()
        let (key, catalog) = (folder.file("key"), folder.file("catalog.sqlite"))
        try Data("x".utf8).write(to: URL(fileURLWithPath: key))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
        try Data("not a catalog".utf8).write(to: URL(fileURLWithPath: catalog))
        let checks = FolderChecks(
            location: CacheLocation(folder: folder.path), limits: CacheLimits(minimumFreeBytes: 0), owner: nil)
        let findings = Dictionary(checks.run().map { ($0.check, $0) }) { first, _ in first }
        #expect(findings["cache folder"]?.outcome == .ok && findings["file system"] != nil)
        #expect(findings["catalog"]?.outcome == .failure)
        #expect(findings["key"]?.found.contains("mode 644") == true)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.sorted() == ["catalog.sqlite", "key"])
        #expect(try String(contentsOfFile: catalog, encoding: .utf8) == "not a catalog")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        #expect(checks.run().first { $0.check == "key" }?.found.hasSuffix("contains no key") == true)
    }

    @Test func acceptsMissingFolder() throws {
        let folder = try TestFolder()
        let checks = FolderChecks(
            location: CacheLocation(folder: folder.file("a/b")), limits: CacheLimits(minimumFreeBytes: 0), owner: nil)
        #expect(checks.run().allSatisfy { $0.outcome == .ok })
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.isEmpty)
    }

    /// Starts an origin on a port outside the system's ephemeral range, so that the port stays free after its end.
    private func startOrigin() async throws -> DemoOrigin {
        for _ in 0..<100 {
            let port = Int.random(in: 30_000..<32_000)
            if let origin = try? await DemoOrigin.start(port: port, clip: .init(), bytesPerSecond: 1) { return origin }
        }
        return try await DemoOrigin.start(port: 0, clip: .init(), bytesPerSecond: 1)
    }

    @Test func reportsProcessThatUsesPort() async throws {
        let origin = try await startOrigin()
        let finding = PortCheck(host: "127.0.0.1", port: origin.port, owner: nil).run()
        #expect(finding.outcome == .failure)
        #if os(Linux)
            #expect(finding.found.contains("process \(ProcessInfo.processInfo.processIdentifier)"), "\(finding.found)")
        #endif
        let ours = try JSONDecoder().decode(
            FolderOwner.self, from: Data(#"{"processID": 7, "address": "http://127.0.0.1:\#(origin.port)"}"#.utf8))
        #expect(PortCheck(host: "127.0.0.1", port: origin.port, owner: ours).run().outcome == .ok)
        await origin.stop()
        #expect(PortCheck(host: "127.0.0.1", port: origin.port, owner: nil).run().outcome == .ok)
        #expect(PortCheck(host: "192.0.2.1", port: 0, owner: nil).run().outcome == .ok)
        #expect(
            PortCheck(host: "192.0.2.1", port: 9479, owner: nil).run().found.contains("not an address of this machine"))
    }

    @Test(arguments: [false, true])
    func rejectsLocalOriginOfExposedServer(isExposed: Bool) async throws {
        let clip = ByteBuffer(repeating: 0, count: 5000)
        let origin = try await DemoOrigin.start(port: 0, clip: clip, bytesPerSecond: 10_000_000)
        var settings = try HostSettings(Settings(options: [.cache: "/c"], environment: [:], file: nil))
        settings.publicPath = isExposed ? "/m" : ""
        let findings = Mutex<[DiagnosisFinding]>([])
        let doctor = Doctor(settings: settings) { finding in findings.withLock { $0.append(finding) } }
        // The content isn't a film, so only the result of the first request matters.
        try? await doctor.diagnose(try ResourceURL(origin.clipURL))
        await origin.stop()
        let connection = findings.withLock { $0 }.first { $0.check == "connection" }
        let outcome: DiagnosisFinding.Outcome = isExposed ? .failure : .ok
        #expect(connection?.outcome == outcome, "\(connection?.found ?? "")")
    }

    @Test func parsesTableOfSockets() {
        let table = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:2507 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 12345 1 0 100 0
               1: 0100007F:2507 0100007F:9999 01 00000000:00000000 00:00000000 00000000     0        0 777 1 0 100 0
               2: 0100007F:2508 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 888 1 0 100 0
            """
        #expect(ListeningProcess.inodes(listeningAt: 9479, in: table) == ["12345"])
        #expect(ListeningProcess.inodes(listeningAt: 1, in: table) == [])
    }

    @Test func findsInnermostMount() {
        let mounts = "/dev/a / ext4 rw 0 0\n/dev/b /srv xfs rw 0 0\n/dev/c /srv/my\\040media btrfs rw 0 0\n"
        #expect(FileSystemCapabilities.kind(of: "/srv/my media/x", in: mounts) == "btrfs")
        #expect(FileSystemCapabilities.kind(of: "/srv/other", in: mounts) == "xfs")
        #expect(FileSystemCapabilities.kind(of: "/srvother", in: mounts) == "ext4")
    }

    @Test func checksClocksAndLimits() {
        let now = Date(timeIntervalSince1970: 1_784_000_000)
        #expect(MachineChecks.judge(now: now, wall: 0.05, steady: 0.05).outcome == .ok)
        #expect(MachineChecks.judge(now: now, wall: 3600, steady: 0.05).outcome == .warning)
        #expect(MachineChecks.judge(now: Date(timeIntervalSince1970: 0), wall: 0, steady: 0).outcome == .failure)
        #expect(MachineChecks.judge(openFiles: 1024).outcome == .warning)
        #expect(MachineChecks.judge(openFiles: .max).found == "no limit")
    }

    @Test func rendersFindingWithAdvice() {
        let finding = DiagnosisFinding.warning("index", "it's last", advice: "move it")
        #expect(
            finding.text(style: TextStyle(isColored: false))
                == "warning  index              it's last\n                            → move it")
        #expect(finding.text(style: TextStyle(isColored: true)).hasPrefix("\u{1B}[33mwarning\u{1B}[0m  index"))
        #expect(DoctorReport(findings: [.ok("a", "b"), finding]).outcome == .warning)
        #expect(DoctorReport(findings: []).outcome == .ok)
    }

    @Test(arguments: [
        (true, [:], true), (false, [:], false), (true, ["NO_COLOR": "1"], false), (true, ["NO_COLOR": ""], true),
        (true, ["TERM": "dumb"], false), (true, ["TERM": "xterm"], true),
    ])
    func usesColorsOnlyOnCapableTerminals(isTerminal: Bool, environment: [String: String], isColored: Bool) {
        #expect(TextStyle(isTerminal: isTerminal, environment: environment).isColored == isColored)
        // An explicit choice overrides the terminal and the environment.
        #expect(TextStyle(.always, isTerminal: isTerminal, environment: environment).isColored)
        #expect(!TextStyle(.never, isTerminal: isTerminal, environment: environment).isColored)
    }

    @Test func verdictNamesWorstFindings() {
        let fine = DiagnosisFinding.ok("host", "h")
        let slow = DiagnosisFinding.warning("rate", "slow", advice: "wait")
        let missing = DiagnosisFinding.failure("type", "HTML", advice: "check the URL")
        #expect(DoctorReport.verdict(on: [fine], "It can be played").sentence == "It can be played.")
        #expect(
            DoctorReport.verdict(on: [fine, slow], "It can be played").sentence
                == "It can be played, with limitations: rate.")
        let verdict = DoctorReport.verdict(on: [slow, missing], "It can be played")
        #expect(verdict.outcome == .failure && verdict.sentence.hasPrefix("Problems were found: type."))
        #expect(verdict.text(.plain).hasPrefix("\nVerdict: "))
    }
}
