import Foundation
import Testing

@testable import MediaCacheCLI

struct PlayerTests {
    @Test func playersExitWhenMediaEnds() {
        #expect(Player.mpv.arguments(forPlaylist: "p", extra: ["--fs"]) == ["--fs", "--playlist=p"])
        #expect(Player.vlc.arguments(forPlaylist: "p", extra: []) == ["--play-and-exit", "p"])
        let ffplay = Player.ffplay.arguments(forPlaylist: "p", extra: ["-fs"])
        #expect(ffplay.contains("-autoexit") && ffplay.suffix(2) == ["-fs", "p"])
    }

    /// Instead of a movie, an origin may send a DASH manifest or a concat script, which can refer to local files.
    @Test func preventsFfplayFromOpeningFiles() throws {
        let parent = try TestFolder()
        let folder = try ScratchFolder(in: parent.path)
        let path = try Player.ffplay.writePlaylist(of: "http://127.0.0.1/x", in: folder)
        let options = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").dropFirst(2)
        let protocols = try #require(options.first { $0.hasPrefix("option protocol_whitelist ") })
        #expect(!protocols.contains("file"))
        let formats = try #require(options.first { $0.hasPrefix("option format_whitelist ") })
        #expect(!formats.contains("concat") && !formats.contains("dash") && formats.contains("hls"))
    }

    /// Other users can see a process's arguments, so the URL is in a file that only its user can read.
    @Test(arguments: Player.allCases) func argumentsContainNoURL(player: Player) throws {
        let url = "http://127.0.0.1:9479/play/hush-hush/https/example.org/it's.mp4"
        let parent = try TestFolder()
        let folder = try ScratchFolder(in: parent.path)
        #expect(folder.path.hasPrefix(parent.path))
        let path = try player.writePlaylist(of: url, in: folder)
        #expect(!player.arguments(forPlaylist: path, extra: []).joined().contains("hush-hush"))
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.contains(player == .ffplay ? #"/it'\''s.mp4'"# : "\n\(url)\n"))
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(path) == 0o600 && mode(folder.path) == 0o700)
        folder.remove()
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
