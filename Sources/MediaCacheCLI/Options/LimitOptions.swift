import ArgumentParser
import MediaCache

/// How much may be kept.
struct LimitOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The most to keep, such as 10GB or 512MiB; “none” for no limit.",
            discussion: "10GB for `serve` and `prune` unless set; else none.",
            valueName: "size"),
        transform: SizeLimit.init(parsing:))
    var maxSize: SizeLimit?

    @Option(
        help: ArgumentHelp(
            "Give up what hasn't been used for this long, such as 30d or 12h; “none” for no limit.",
            discussion: "30d for `serve` and `prune` unless set; else none.",
            valueName: "time"),
        transform: AgeLimit.init(parsing:))
    var maxAge: AgeLimit?

    @Option(
        help: ArgumentHelp("Leave this much of the disk free. (default: 1GB)", valueName: "size"),
        transform: ByteCount.init(parsing:))
    var minFree: ByteCount?

    /// What was given of the settings.
    var values: [Setting: String] {
        var values: [Setting: String] = [:]
        values[.maxSize] = maxSize.map { $0.bytes.map { ByteCount($0).exactText } ?? "none" }
        values[.maxAge] = maxAge.map { $0.duration.map(DurationText.exact) ?? "none" }
        values[.minFree] = minFree?.exactText
        return values
    }

    /// The options that were given.
    var given: [String] { Setting.options(of: values) }
}

extension CacheLimits {
    /// The limits that settings say.
    ///
    /// - Throws: ``CommandFailure``, naming who says what is wrong.
    init(_ settings: Settings) throws {
        self.init(
            maximumBytes: try settings.read(.maxSize, SizeLimit.init(parsing:))?.bytes,
            maximumAge: try settings.read(.maxAge, AgeLimit.init(parsing:))?.duration,
            minimumFreeBytes: try settings.read(.minFree, ByteCount.init(parsing:))?.bytes ?? 1_000_000_000)
    }
}

/// `--max-size`: an amount, or none.
struct SizeLimit: Sendable, Hashable {
    /// The amount; nil is no limit.
    var bytes: Int64?

    /// Reads an amount or “none”.
    init(parsing text: String) throws {
        bytes = text.lowercased() == "none" ? nil : try ByteCount(parsing: text).bytes
    }
}

/// `--max-age`: a length of time, or none.
struct AgeLimit: Sendable, Hashable {
    /// The time; nil is no limit.
    var duration: Duration?

    /// Reads a length of time or “none”.
    init(parsing text: String) throws {
        duration = text.lowercased() == "none" ? nil : try DurationText.parse(text)
    }
}
