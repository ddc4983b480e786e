import Foundation
import Testing

extension AcceptanceTests {
    /// What becomes of a command whose output can't be written.
    struct OutputTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder("cache") }

        private func shell(_ script: String) async throws -> MediaCacheBinary.Result {
            let child = try ChildProcess("/bin/sh", ["-c", script, MediaCacheBinary.path, folder.path])
            let ending = try await child.end(within: .seconds(60))
            return MediaCacheBinary.Result(ending: ending, output: child.output, errorText: child.errorText)
        }

        @Test(
            .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
            arguments: [
                "list", "list --json", "usage", "verify", "prune", "serve --port 0", "demo --port 0 --origin-port 0",
            ])
        func aFullDiskIsAFailure(command: String) async throws {
            let result = try await shell("\"$0\" \(command) --cache \"$1\" > /dev/full")
            #expect(result.ending == .exit(1))
            #expect(result.errorText.contains("standard output"), "\(result.errorText)")
            #expect(result.errorText.split(separator: "\n").count == 1, "\(result.errorText)")
        }

        @Test(
            .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
            arguments: ["--help", "--version", "help list"])
        func soItIsForHelp(command: String) async throws {
            let result = try await shell("\"$0\" \(command) > /dev/full")
            #expect(result.ending == .exit(1))
            #expect(result.errorText.contains("standard output"), "\(result.errorText)")
        }

        /// As with `mediacache list | head`.
        @Test(arguments: ["list --cache \"$1\"", "--help"])
        func aReaderThatWentAwayIsNone(command: String) async throws {
            let result = try await shell("{ sleep 0.3; \"$0\" \(command); echo \"ended with $?\" >&2; } | true")
            #expect(result.errorText == "ended with 0\n")
        }
    }
}
