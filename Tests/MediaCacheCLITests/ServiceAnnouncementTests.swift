#if !canImport(Darwin)
    import Foundation
    import Synchronization
    import Testing

    @testable import MediaCacheCLI

    /// Tests of the announcement in the network, with a script in place of `avahi-publish`.
    struct ServiceAnnouncementTests {
        private let folder: TestFolder
        private let notes = Notes()

        private final class Notes: Sendable {
            private let texts = Mutex<[String]>([])
            var all: [String] { texts.withLock { $0 } }
            @Sendable func add(_ text: String) { texts.withLock { $0.append(text) } }
        }

        init() throws { folder = try TestFolder() }

        private func install(_ script: String) throws -> String {
            let text = "#!/bin/sh\nprintf '%s\\n' \"$@\" >'\(folder.file("arguments"))'\n\(script)\n"
            return try folder.install(text, as: "avahi-publish")
        }

        private func content(of name: String) async throws -> String {
            while true {
                let text = try? String(contentsOfFile: folder.file(name), encoding: .utf8)
                if let text, text.hasSuffix("\n") { return text }
                try await Task.sleep(for: .milliseconds(5))
            }
        }

        @Test(.timeLimit(.minutes(30)))
        func runsProgramUntilEnd() async throws {
            let path = try install("echo $$ >'\(folder.file("process"))'; exec sleep 600")
            let started = await ServiceAnnouncement.start(port: 9479, path: path, note: notes.add)
            let announcement = try #require(started)
            let number = try await content(of: "process").trimmingCharacters(in: .whitespacesAndNewlines)
            let process = try #require(pid_t(number))
            #expect(kill(process, 0) == 0)
            let arguments = try await content(of: "arguments").split(separator: "\n").map(String.init)
            #expect(arguments.count == 5 && arguments[1].hasPrefix("MediaCache"))
            #expect(arguments[0] == "--service" && Array(arguments[2...]) == ["_http._tcp", "9479", "path=/"])
            await announcement.end()
            #expect(kill(process, 0) != 0 && errno == ESRCH)
            #expect(notes.all.isEmpty)
        }

        @Test(.timeLimit(.minutes(30)))
        func notesFailureOfProgram() async throws {
            let path = try install("echo 'Failed to create client object: Daemon not running' >&2; exit 1")
            let announcement = await ServiceAnnouncement.start(port: 9479, path: path, note: notes.add)
            while notes.all.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            #expect(
                notes.all == ["avahi-publish ended with exit code 1, so the server isn't announced in the network"])
            await announcement?.end()
            #expect(notes.all.count == 1)
        }

        @Test func notesMissingProgram() async throws {
            #expect(await ServiceAnnouncement.start(port: 9479, path: nil, note: notes.add) == nil)
            #expect(notes.all == ["avahi-publish isn't installed, so the server isn't announced in the network"])
            #expect(
                await ServiceAnnouncement.start(port: 9479, path: folder.file("missing"), note: notes.add) == nil)
            #expect(notes.all.count == 2 && notes.all[1] == notes.all[0])
        }
    }
#endif
