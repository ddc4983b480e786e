import Foundation
import MediaCacheAPI
import MediaCacheServer

/// Checks of the machine: clocks, limits, programs.
enum MachineChecks {
    /// Whether the clocks go.
    static func clock() async throws -> Finding {
        let (wall, steady) = (Date(), ContinuousClock.now)
        try await Task.sleep(for: .milliseconds(50))
        let passed = (ContinuousClock.now - steady) / .seconds(1)
        return judge(now: wall, wall: Date().timeIntervalSince(wall), steady: passed)
    }

    /// What two clocks say about the same moment.
    ///
    /// - Parameters:
    ///   - wall: how far the wall clock went, in seconds.
    ///   - steady: how far the steady one went.
    static func judge(now: Date, wall: TimeInterval, steady: TimeInterval) -> Finding {
        let text = now.formatted(.iso8601)
        // Before this program was written.
        guard now.timeIntervalSince1970 > 1_735_689_600 else {
            return .failure(
                "clock", "it says \(text)",
                advice:
                    "set it (timedatectl set-ntp true): certificates and cookies go by it, recordings are filed by it")
        }
        guard abs(wall - steady) < 1 else {
            return .warning(
                "clock", "it leapt by \((wall - steady).rounded()) s a moment ago",
                advice: "let NTP slew it; where the time leaps, recordings have gaps or overlap")
        }
        return .ok("clock", text)
    }

    /// How many files may be open.
    static func openFiles() -> Finding {
        guard let most = OpenFileLimit.most else {
            return .warning("open files", "the limit isn't told", advice: "see `ulimit -Hn`")
        }
        return judge(openFiles: most)
    }

    /// Whether so many open files are enough: each player takes two, each origin one, each resource that is read one.
    static func judge(openFiles: UInt64) -> Finding {
        // The largest number is how systems write “no limit”.
        let text = openFiles > 1 << 40 ? "no limit" : "at most \(openFiles)"
        guard openFiles >= 4096 else {
            return .warning(
                "open files", text, advice: "raise the hard limit (ulimit -Hn, LimitNOFILE= of systemd) to 4096 or more"
            )
        }
        return .ok("open files", text)
    }

    /// Whether a program is installed, and which version.
    static func program(_ name: String, without loss: String) async throws -> Finding {
        guard let path = InstalledProgram.path(of: name) else {
            return .warning(
                name, "isn't in $PATH: \(loss)", advice: "apt-get install ffmpeg, or brew install ffmpeg")
        }
        let version = try await TimeLimit.run(.seconds(10)) {
            try await ProgramOutput.firstLine(of: path, ["-version"])
        }
        guard let line = version?.flatMap(\.self), line.hasPrefix("\(name) version ") else {
            return .warning(
                name, "\(path) doesn't say its version", advice: "see what `\(name) -version` prints; install it anew")
        }
        let number = line.dropFirst("\(name) version ".count).prefix { $0 != " " }
        return .ok(name, "\(number), \(path)")
    }
}
