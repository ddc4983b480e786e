import ArgumentParser
import Foundation

/// A supported player.
enum Player: String, Sendable, Hashable, CaseIterable, ExpressibleByArgument {
    case mpv
    case vlc
    case ffplay

    struct Installed: Sendable, Hashable {
        var player: Player
        var path: String
    }

    static func firstInstalled() throws -> Installed {
        for player in allCases {
            if let path = player.path { return Installed(player: player, path: path) }
        }
        throw CommandFailure(
            .failed,
            "no player found in $PATH (mpv, vlc, ffplay); install one, or open the URL that `mediacache url` prints "
                + "in another player"
        )
    }

    func require() throws -> Installed {
        guard let path else {
            throw CommandFailure(.failed, "\(rawValue) isn't in $PATH; install it, or choose another with --with")
        }
        return Installed(player: self, path: path)
    }

    private var playlistName: String { self == .ffplay ? "play.ffconcat" : "play.m3u" }

    /// The protocols that ffplay may use for a play URL and its references.
    private static let networkProtocols = "http,https,tcp,tls,crypto,data"

    /// Writes a playlist with one URL to a file that only this user can read, and returns its path. The URL isn't an
    /// argument of the player, since a play URL contains a secret and other users can see arguments.
    func writePlaylist(of url: String, in folder: ScratchFolder) throws -> String {
        let path = folder.file(playlistName)
        let text: String
        switch self {
        case .mpv, .vlc: text = "#EXTM3U\n\(url)\n"
        case .ffplay:
            // In ffmpeg's syntax, a quote is escaped between two quoted strings. The options apply to the URL, so that
            // only the script itself is read from a file.
            text = """
                ffconcat version 1.0
                file '\(url.replacing("'", with: #"'\''"#))'
                option protocol_whitelist \(Self.networkProtocols)
                option format_whitelist \(FFmpeg.formats),hls,webvtt

                """
        }
        let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: path, contents: Data(text.utf8), attributes: mode) else {
            throw CommandFailure(.failed, "can't write the playlist for the player to \(path)")
        }
        return path
    }

    /// Returns the arguments for playing a playlist of ``writePlaylist(of:in:)``. The player exits at its end.
    func arguments(forPlaylist path: String, extra: [String]) -> [String] {
        switch self {
        case .mpv: extra + ["--playlist=\(path)"]
        case .vlc: ["--play-and-exit"] + extra + [path]
        case .ffplay:
            ["-hide_banner", "-autoexit", "-f", "concat", "-safe", "0"]
                + ["-protocol_whitelist", "file,\(Self.networkProtocols)"] + extra + [path]
        }
    }

    private var path: String? { InstalledProgram.path(of: rawValue) }
}
