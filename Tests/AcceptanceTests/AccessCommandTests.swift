import Foundation
import Testing

extension CommandAcceptanceTests {
    /// Tests of `key` and `token`, and of the commands that print the key.
    @Suite struct AccessCommandTests {
        private struct Token: Decodable {
            var id: String
            var scope: String
            var label: String?
            var token: String?
            var libraryURL: String?
            var playURL: String?
        }

        private let folder: TemporaryFolder
        private let origin: ShapedOrigin
        private var options: [String] { ["--cache", folder.path] }
        private var film: String { origin.url("film.mp4") }

        init() throws {
            folder = try TemporaryFolder("cache")
            origin = try ShapedOrigin(
                ShapedOrigin.Shape(delay: .zero, connectionRate: nil, linkRate: nil),
                ["film.mp4": .bytes(seed: 1, length: 100_000)])
        }

        private func tokens() async throws -> [Token] {
            try await MediaCacheBinary.decoded(["token", "list", "--json"] + options)
        }

        private func create(_ arguments: String...) async throws -> Token {
            try await MediaCacheBinary.decoded(["token", "create", "--json"] + arguments + options)
        }

        private static func status(_ text: String) throws -> Int {
            guard let url = URL(string: text) else { throw HarnessError("invalid URL: \(text)") }
            return try HTTPConnection.get(url).status
        }

        private func playURL(_ server: RunningServer, _ token: String?) throws -> String {
            guard let token else { throw HarnessError("no token") }
            return "\(server.base)/play/\(token)/http/\(film.dropFirst("http://".count))"
        }

        @Test func runningServerUsesRolledKey() async throws {
            let server = try await RunningServer(cache: folder.path)
            let old = try await server.key()
            let link = try await MediaCacheBinary.output(["url", film] + options)
            #expect(try Self.status(link) == 200)
            try await MediaCacheBinary.output(["key", "roll"] + options)
            let new = try await server.key()
            #expect(new != old)
            #expect(try server.call("GET", "/api/v1/usage", key: old).0 == 401)
            #expect(try server.call("GET", "/api/v1/usage", key: new).0 == 200)
            #expect(try Self.status(link) == 403)
            #expect(try Self.status(try await MediaCacheBinary.output(["url", film] + options)) == 200)
            try await MediaCacheBinary.output(["list"] + options)
            try await server.stop()
            // The command also works without a server.
            try await MediaCacheBinary.output(["key", "roll"] + options)
            let later = try await RunningServer(cache: folder.path)
            #expect(try await later.key() != new)
            #expect(try later.call("GET", "/api/v1/usage", key: new).0 == 401)
            try await later.stop()
        }

        @Test func createsListsAndRevokesTokens() async throws {
            let rest = try await create("--label", "at rest")
            #expect(rest.scope == "playback" && rest.playURL == nil && rest.libraryURL == nil)
            let server = try await RunningServer(cache: folder.path)
            #expect(try Self.status(playURL(server, rest.token)) == 200)
            try await MediaCacheBinary.output(["get", film] + options)
            let asset = try await create("--asset", film, "--expires", "7d")
            #expect(asset.scope == "asset")
            #expect(try Self.status(asset.playURL ?? "") == 200)
            #expect(try Self.status(playURL(server, asset.token)) == 403)
            #expect(try Self.status("\(asset.libraryURL ?? "")film.mp4") != 403)
            #expect(try await tokens().map(\.id) == ["standing", rest.id, asset.id])
            #expect(try await tokens().allSatisfy { $0.token == nil })
            try await MediaCacheBinary.output(["token", "revoke", rest.id, asset.id] + options)
            #expect(try Self.status(playURL(server, rest.token)) == 403)
            #expect(try Self.status(asset.playURL ?? "") == 403)
            #expect(try await tokens().map(\.id) == ["standing"])
            let standing = try await MediaCacheBinary.output(["url", film] + options)
            try await MediaCacheBinary.output(["token", "revoke", "standing"] + options)
            #expect(try Self.status(standing) == 403)
            try await server.stop()
        }

        @Test func failuresHaveReasonAndExitCode() async throws {
            for (arguments, code, reason) in [
                (["key", "show"], Int32(1), "contains no key"),
                (["token", "revoke", "aaaaaaaaaaaa"], 1, "there is no token aaaaaaaaaaaa"),
                (["token", "create", "--asset", "aaaaaaaaaaaa"], 1, "there is no asset"),
                (["token", "create", "--expires", "soon"], 64, "soon"), (["token", "revoke"], 64, "id"),
            ] {
                let result = try await MediaCacheBinary.run(arguments + options)
                #expect(result.ending == .exit(code), "\(arguments)")
                #expect(result.errorText.contains(reason), "\(arguments): \(result.errorText)")
            }
        }

        /// The player's URL is in a file that only its user can read. Its token is revoked when the player or the
        /// command ends.
        @Test(arguments: [nil, SIGTERM, SIGINT, SIGHUP], [true, false])
        func playerTokenExpiresWithPlayer(signal: Int32?, isServed: Bool) async throws {
            let server = isServed ? try await RunningServer(cache: folder.path) : nil
            let marks = try TemporaryFolder("player")
            // The player also ends when its folder is removed, so that a failed test leaves no process.
            let player = """
                #!/bin/sh
                printf '%s\\n' "$0" "$@" >"$PLAYER_FOLDER/arguments"
                env >"$PLAYER_FOLDER/environment"
                for argument in "$@"; do
                    case $argument in --playlist=*) cp -p "${argument#--playlist=}" "$PLAYER_FOLDER/playlist";; esac
                done
                touch "$PLAYER_FOLDER/ready"
                while [ -e "$PLAYER_FOLDER/ready" ] && [ ! -e "$PLAYER_FOLDER/end" ]; do sleep 0.05; done

                """
            try player.write(toFile: marks.file("mpv"), atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: marks.file("mpv"))
            let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
            let play = try ChildProcess(
                MediaCacheBinary.path, ["play", film, "--with", "mpv"] + options,
                environment: ["PATH": "\(marks.path):\(path)", "PLAYER_FOLDER": marks.path])
            _ = try await eventually("the player runs") {
                FileManager.default.fileExists(atPath: marks.file("ready")) ? () : nil
            }
            let key = try String(contentsOfFile: "\(folder.path)/key", encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(key.count >= 22)
            let playlist = try String(contentsOfFile: marks.file("playlist"), encoding: .utf8)
            let mode = try FileManager.default.attributesOfItem(atPath: marks.file("playlist"))[.posixPermissions]
            #expect(mode as? Int == 0o600)
            let url = String(playlist.split(separator: "\n").last ?? "")
            #expect(try Self.status(url) == 200)
            let issued = try await tokens()
            #expect(issued.count == 2 && issued.last?.label?.hasPrefix("play, process ") == true)
            let token = url.split(separator: "/").dropFirst(3).first.map(String.init) ?? ""
            #expect(url.contains("/play/\(token)/") && token.count >= 22)
            let arguments = try String(contentsOfFile: marks.file("arguments"), encoding: .utf8)
            let environment = try String(contentsOfFile: marks.file("environment"), encoding: .utf8)
            for text in [arguments, environment] { #expect(!text.contains(key) && !text.contains(token), "\(text)") }
            #expect(!playlist.contains(key))

            if let signal { play.signal(signal) } else { try Data().write(to: URL(filePath: marks.file("end"))) }
            _ = try await play.end(within: .seconds(30))
            #expect(!play.outputText.contains(key) && !play.errorText.contains(token), "\(play.errorText)")
            if isServed { #expect(try Self.status(url) == 403) }
            #expect(try await tokens().map(\.id) == ["standing"])
            try await server?.stop()
        }

        @Test func printedPlaybackURLsOmitKey() async throws {
            let server = try await RunningServer(cache: folder.path)
            let key = try await server.key()
            try await MediaCacheBinary.output(["get", film] + options)
            for arguments in [
                ["url", film], ["url", "--mp4", film], ["list", "--json"], ["info", film, "--json"],
                ["downloads", "list", "--json"], ["channels", "list", "--json"], ["token", "list", "--json"],
                ["token", "create", "--asset", film, "--json"], ["token", "create"], ["key", "roll", "--json"],
            ] {
                let text = try await MediaCacheBinary.run(arguments + options)
                #expect(!text.text.contains(key) && !text.errorText.contains(key), "\(arguments)")
            }
            #expect(try await server.key() != key)
            try await server.stop()
        }
    }
}
