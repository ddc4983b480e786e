import ArgumentParser

/// A player that can be started.
enum Player: String, Sendable, Hashable, CaseIterable, ExpressibleByArgument {
    case mpv
    case vlc
    case ffplay

    /// A player and the file of its program.
    struct Installed: Sendable, Hashable {
        /// Which one.
        var player: Player
        /// Its program.
        var path: String
    }

    /// The first that is installed.
    static func firstInstalled() throws -> Installed {
        for player in allCases {
            if let path = player.path { return Installed(player: player, path: path) }
        }
        throw CommandFailure(
            .failed, "no player found in $PATH (mpv, vlc, ffplay); install one, or give `mediacache url` to another")
    }

    /// This one.
    func require() throws -> Installed {
        guard let path else {
            throw CommandFailure(.failed, "\(rawValue) isn't in $PATH; install it, or choose another with --with")
        }
        return Installed(player: self, path: path)
    }

    /// The arguments that play `url` and end with it.
    func arguments(for url: String, extra: [String]) -> [String] {
        switch self {
        case .mpv: extra + ["--", url]
        case .vlc: ["--play-and-exit"] + extra + [url]
        case .ffplay: ["-hide_banner", "-autoexit"] + extra + [url]
        }
    }

    private var path: String? { InstalledProgram.path(of: rawValue) }
}
