import Foundation
import MediaCacheAPI
import MediaCacheServer
import MediaLibrary

/// The checks of the machine: clocks, limits, programs.
enum MachineChecks {
    static func clock() async throws -> DiagnosisFinding {
        let (wall, steady) = (Date(), ContinuousClock.now)
        try await Task.sleep(for: .milliseconds(50))
        let passed = (ContinuousClock.now - steady) / .seconds(1)
        return judge(now: wall, wall: Date().timeIntervalSince(wall), steady: passed)
    }

    /// Returns the finding about the clocks.
    ///
    /// - Parameters:
    ///   - wall: The seconds that passed on the wall clock.
    ///   - steady: The seconds that passed on the monotonic clock.
    static func judge(now: Date, wall: TimeInterval, steady: TimeInterval) -> DiagnosisFinding {
        let text = now.formatted(.iso8601)
        // 1 January 2025, before this program was written.
        guard now.timeIntervalSince1970 > 1_735_689_600 else {
            return .failure(
                "clock", "wrong: \(text)",
                advice:
                    "set the clock (timedatectl set-ntp true): certificates, cookies and recordings depend on it")
        }
        guard abs(wall - steady) < 1 else {
            return .warning(
                "clock", "jumped by \((wall - steady).rounded()) s",
                advice: "let NTP adjust it gradually; jumps cause gaps or overlaps in recordings")
        }
        return .ok("clock", text)
    }

    static func openFiles() -> DiagnosisFinding {
        guard let limit = OpenFileLimit.maximum else {
            return .warning("open files", "the limit is unknown", advice: "see `ulimit -Hn`")
        }
        return judge(openFiles: limit)
    }

    static func judge(openFiles: UInt64) -> DiagnosisFinding {
        // “No limit” is reported as the largest number.
        let text = openFiles > 1 << 40 ? "no limit" : "at most \(openFiles)"
        guard openFiles >= 4096 else {
            return .warning(
                "open files", text, advice: "raise the hard limit (ulimit -Hn, LimitNOFILE= of systemd) to 4096 or more"
            )
        }
        return .ok("open files", text)
    }

    static func program(_ name: String, without loss: String) async throws -> DiagnosisFinding {
        guard let path = InstalledProgram.path(of: name) else {
            return .warning(
                name, "not in $PATH: \(loss)", advice: "apt-get install ffmpeg, or brew install ffmpeg")
        }
        let version = try await TimeLimit.run(.seconds(10)) {
            try await ProgramOutput.firstLine(of: path, ["-version"])
        }
        guard let line = version?.flatMap(\.self), line.hasPrefix("\(name) version ") else {
            return .warning(
                name, "\(path) doesn't print its version", advice: "run `\(name) -version`, and reinstall it")
        }
        let number = line.dropFirst("\(name) version ".count).prefix { $0 != " " }
        return .ok(name, "\(number), \(path)")
    }
}
