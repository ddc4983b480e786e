import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// Tests of `serve --lan`. The page's tests read the QR code with another program, and open it in a browser.
    @Suite struct NetworkServingTests {
        private struct Code: Decodable {
            var urls: [String]
            var address: String
        }

        private let folder: TemporaryFolder
        private let programs: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder("cache")
            programs = try TemporaryFolder("programs")
        }

        /// Installs a program in place of `avahi-publish`.
        private func install(_ script: String) throws {
            let path = programs.file("avahi-publish")
            try "#!/bin/sh\n\(script)\n".write(toFile: path, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }

        private func serve(_ options: String...) throws -> ChildProcess {
            let path = "\(programs.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
            return try ChildProcess(
                MediaCacheBinary.path,
                ["serve", "--lan", "--port", "0", "--min-free", "0", "--cache", folder.path] + options,
                environment: ["PATH": path])
        }

        private func base(of server: ChildProcess) async throws -> URL {
            try await server.line(within: .seconds(20)) { line in
                line.hasPrefix("Listening on ") ? URL(string: String(line.dropFirst("Listening on ".count))) : nil
            }
        }

        private func stop(_ server: ChildProcess) async throws {
            server.signal(SIGTERM)
            #expect(try await server.end(within: .seconds(30)) == .exit(0), "\(server.errorText)")
        }

        /// A token in the log of a service could be read by other users.
        @Test func codeOpensListAndOutputContainsNoToken() async throws {
            try install("exec sleep 600")
            let server = try serve()
            let base = try await base(of: server)
            #expect(base.host == "127.0.0.1")
            let code: Code = try await MediaCacheBinary.decoded(["token", "code", "--json", "--cache", folder.path])
            let parts = code.address.components(separatedBy: "/#token=")
            #expect(parts.count == 2 && parts[0] == code.urls.first)
            let token = parts.last ?? ""
            try await server.line(within: .seconds(20)) { $0.hasPrefix("In your network: \(parts[0])") ? () : nil }
            // Requests the page and the list over loopback, with the address in the network as the host.
            let statuses = [("/", 200), ("/k/\(token)/items", 200), ("/items", 401), ("/k/\(token)x/items", 403)]
            for (path, status) in statuses {
                let url = try #require(URL(string: parts[0] + path))
                #expect(try HTTPConnection.get(url).status == status, "\(path)")
            }
            try await MediaCacheBinary.output(["token", "revoke", "library", "--cache", folder.path])
            let list = try #require(URL(string: "\(parts[0])/k/\(token)/items"))
            #expect(try HTTPConnection.get(list).status == 403)
            try await stop(server)
            #expect(!server.outputText.contains(token) && !server.errorText.contains(token))
            #expect(server.errorText.contains("--allow-net"))
        }

        @Test func terminalShowsCode() async throws {
            guard try Peer.isInstalled("script") else { return }
            try install("exec sleep 600")
            let command = "\(MediaCacheBinary.path) serve --lan --port 0 --min-free 0 --cache \(folder.path)"
            let terminal = try ChildProcess(
                "script", ["-qec", command, "/dev/null"],
                environment: [
                    "PATH": "\(programs.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")", "TERM": "xterm",
                    "NO_COLOR": "",
                ])
            // Lines on a terminal end with CR LF.
            let text = try await eventually("the code is complete", within: .seconds(20)) {
                let text = terminal.outputText
                let lines = text.split { $0.isNewline }.filter { $0.hasPrefix("\u{1B}[38;5;16;48;5;231m") }
                return lines.count == 23 ? text : nil
            }
            #expect(text.contains("/#token=") && text.contains("▀▀▀▀▀▀▀"))
            terminal.signal(SIGTERM)
            _ = try await terminal.end(within: .seconds(30))
        }

        @Test(arguments: ["127.0.0.1", "localhost"])
        func rejectsLoopback(host: String) async throws {
            let server = try serve("--host", host)
            #expect(try await server.end(within: .seconds(20)) == .exit(64))
            #expect(server.errorText.contains("--host"), "\(server.errorText)")
        }

        /// The announcement ends with the server, however the server ends.
        @Test(arguments: [SIGTERM, SIGKILL])
        func announcesServerUntilItStops(signal: Int32) async throws {
            let arguments = programs.file("arguments")
            try install("printf '%s\\n' \"$@\" $$ >'\(arguments)'; exec sleep 600")
            let server = try serve()
            let port = try #require(try await base(of: server).port)
            let lines = try await eventually("avahi-publish runs", within: .seconds(20)) {
                let text = (try? String(contentsOfFile: arguments, encoding: .utf8)) ?? ""
                let lines = text.split(separator: "\n").map(String.init)
                return lines.count == 6 ? lines : nil
            }
            #expect(lines[0] == "--service" && Array(lines[2...4]) == ["_http._tcp", "\(port)", "path=/"])
            let process = try #require(pid_t(lines[5]))
            #expect(kill(process, 0) == 0)
            if signal == SIGTERM {
                try await stop(server)
                #expect(kill(process, 0) != 0)
            } else {
                server.signal(signal)
                try await eventually("avahi-publish has ended", within: .seconds(20)) {
                    kill(process, 0) != 0 ? () : nil
                }
            }
            #expect(!server.errorText.contains("announced"))
        }

        @Test func failedAnnouncementIsNote() async throws {
            try install("echo 'Daemon not running' >&2; exit 1")
            let server = try serve()
            _ = try await base(of: server)
            try await eventually("the failure is reported", within: .seconds(20)) {
                server.errorText.contains("isn't announced in the network") ? () : nil
            }
            #expect(server.errorText.contains("mediacache: note: avahi-publish ended with exit code 1"))
            #expect(!server.errorText.contains("Daemon"))
            try await stop(server)
        }
    }
}
