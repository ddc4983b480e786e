import Foundation
import TestSupport
import Testing

extension CommandAcceptanceTests {
    /// Tests of colors, and of commands whose output can't be written.
    struct OutputTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder("cache") }

        private func shell(_ script: String) async throws -> MediaCacheBinary.Result {
            let child = try ChildProcess("/bin/sh", ["-c", script, MediaCacheBinary.path, folder.path])
            let ending = try await child.end(within: .seconds(60))
            return MediaCacheBinary.Result(ending: ending, output: child.output, errorText: child.errorText)
        }

        @Test(
            .enabled(if: try Prerequisite.isMet("/dev/full", FileManager.default.fileExists(atPath: "/dev/full"))),
            arguments: [
                "list", "list --json", "usage", "verify", "prune", "serve --port 0", "demo --port 0 --origin-port 0",
            ])
        func fullDiskFailsCommand(command: String) async throws {
            let result = try await shell("\"$0\" \(command) --cache \"$1\" > /dev/full")
            #expect(result.ending == .exit(1))
            #expect(result.errorText.contains("standard output"), "\(result.errorText)")
            #expect(result.errorText.split(separator: "\n").count == 1, "\(result.errorText)")
        }

        @Test(
            .enabled(if: try Prerequisite.isMet("/dev/full", FileManager.default.fileExists(atPath: "/dev/full"))),
            arguments: ["--help", "--version", "help list"])
        func fullDiskFailsHelp(command: String) async throws {
            let result = try await shell("\"$0\" \(command) > /dev/full")
            #expect(result.ending == .exit(1))
            #expect(result.errorText.contains("standard output"), "\(result.errorText)")
        }

        /// Output is colored on request and on terminals that support it. `script` creates a terminal.
        @Test(
            // The option -e exists only in util-linux.
            .enabled(
                if: try Prerequisite.isMet("/proc", FileManager.default.fileExists(atPath: "/proc/self"))
                    && Peer.isInstalled("script")),
            arguments: [
                ("script -qec '%' /dev/null", "", true), ("script -qec '%' /dev/null", "--color never", false),
                ("NO_COLOR=1 script -qec '%' /dev/null", "", false), ("TERM=dumb script -qec '%' /dev/null", "", false),
                ("NO_COLOR=1 script -qec '%' /dev/null", "--color always", true), ("%", "", false),
                ("%", "--color always", true),
            ])
        func colorsStatesOnTerminal(terminal: String, option: String, isColored: Bool) async throws {
            let refusing = try RefusingPort()
            defer { refusing.close() }
            let url = "http://127.0.0.1:\(refusing.number)/live.m3u8"
            let server = try await RunningServer(
                cache: folder.path, command: ["serve", "--min-free", "0", "--channel", "news=\(url)"])
            try await eventually("the channel waits for its stream", within: .seconds(30)) {
                let text = try await MediaCacheBinary.output(["channels", "list", "--cache", folder.path])
                return text.contains("waiting") ? () : nil
            }
            let command = "\(MediaCacheBinary.path) channels list \(option) --cache \(folder.path)"
            let result = try await shell(
                "export TERM=xterm; unset NO_COLOR; \(terminal.replacing("%", with: command)) < /dev/null")
            #expect(result.ending == .exit(0), "\(result.errorText)")
            let state = isColored ? "\u{1B}[33mwaiting\u{1B}[0m" : " waiting "
            #expect(result.text.contains(state) && result.text.contains("\u{1B}[") == isColored, "\(result.text)")
            try await server.stop()
        }

        /// The reader closes the pipe early, as in `mediacache list | head`.
        @Test(arguments: ["list --cache \"$1\"", "--help"])
        func closedPipeIsNotAnError(command: String) async throws {
            let result = try await shell("{ sleep 0.3; \"$0\" \(command); echo \"ended with $?\" >&2; } | true")
            #expect(result.errorText == "ended with 0\n")
        }

        @Test func closedPipeEndsOutputOfEvents() async throws {
            let origin = try ScriptedOrigin { _ in
                .init(fields: ["Content-Type": "video/mp4"], body: Data(repeating: 7, count: 5000))
            }
            let server = try await RunningServer(cache: folder.path)
            let script = "{ \"$0\" downloads watch --json --cache \"$1\"; echo \"ended with $?\" >&2; } | head -n 1"
            let watch = try ChildProcess("/bin/sh", ["-c", script, MediaCacheBinary.path, folder.path])
            let ending = try await eventually("the command ends", within: .seconds(60)) {
                // A download causes several events.
                let url = origin.url("\(UUID().uuidString).mp4")
                try await MediaCacheBinary.output(["get", "\(url)", "--cache", folder.path])
                return watch.ending
            }
            #expect(ending == .exit(0))
            _ = try await watch.end(within: .seconds(20))
            #expect(watch.errorText == "ended with 0\n")
            try await server.stop()
        }
    }
}
