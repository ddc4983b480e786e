import ArgumentParser
import MediaCache
import MediaLibrary

/// The options for the conditions under which downloads run.
struct PolicyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The hours in which downloads run, such as 23:00-07:00; “any” for all. (default: any)",
            valueName: "from-to"),
        transform: HoursArgument.init(parsing:))
    var hours: HoursArgument?

    @Flag(inversion: .prefixedNo, help: "Download only on unmetered networks.")
    var onlyUnmetered: Bool?

    @Flag(inversion: .prefixedNo, help: "Download only while the device is charging.")
    var onlyCharging: Bool?

    @Flag(inversion: .prefixedNo, help: "Don't download while the device is in low power mode or hot.")
    var sparePower: Bool?

    @Option(
        help: ArgumentHelp(
            "The disk space that downloads leave free, in addition to --min-free. (default: 0)", valueName: "size"),
        transform: ByteCount.init(parsing:))
    var downloadReserve: ByteCount?

    var values: [Setting: String] {
        var values: [Setting: String] = [:]
        values[.hours] = hours?.text
        values[.onlyUnmetered] = onlyUnmetered.map { "\($0)" }
        values[.onlyCharging] = onlyCharging.map { "\($0)" }
        values[.sparePower] = sparePower.map { "\($0)" }
        values[.downloadReserve] = downloadReserve?.exactText
        return values
    }
}

/// A range of hours by the local clock, `23:00-07:00`, or `any`.
struct HoursArgument: Sendable, Hashable {
    /// The hours. The start and the end of `any` are equal.
    var hours: DownloadPolicy.Hours

    init(_ hours: DownloadPolicy.Hours) {
        self.hours = hours
    }

    init(parsing text: String) throws {
        let trimmed = text.filter { !$0.isWhitespace }
        guard trimmed.lowercased() != "any" else {
            hours = DownloadPolicy.Hours(start: 0, end: 0)
            return
        }
        let minutes = trimmed.split(separator: "-", omittingEmptySubsequences: false).map(Self.minutes)
        guard minutes.count == 2, let start = minutes[0], let end = minutes[1] else {
            throw ArgumentTextError("“\(text)” is not a range of hours; write it as 23:00-07:00, or any")
        }
        guard start != end else { throw ArgumentTextError("“\(text)” is empty; use “any” for all hours") }
        hours = DownloadPolicy.Hours(start: start, end: end)
    }

    /// Returns the minutes after midnight of a time such as `7`, `7:00` or `24:00`; nil for an invalid time.
    private static func minutes(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ (1...2).contains($0.count) }),
            parts.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } }), let hour = Int(parts[0])
        else { return nil }
        let minute = parts.count == 2 ? Int(parts[1]) ?? 60 : 0
        return minute < 60 && hour * 60 + minute <= 1440 ? hour * 60 + minute : nil
    }

    /// The hours in the syntax of ``init(parsing:)``.
    var text: String {
        guard hours.start != hours.end else { return "any" }
        return [hours.start, hours.end].map { minute in
            [minute / 60, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        }.joined(separator: "-")
    }
}
