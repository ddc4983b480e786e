import ArgumentParser
import MediaCache
import MediaLibrary

/// The options for the cache's limits.
struct LimitOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The maximum cache size, such as 10GB or 512MiB; “none” for no limit.",
            discussion: "Default: 10GB for `serve` and `prune`, none for other commands.",
            valueName: "size"),
        transform: SizeLimit.init(parsing:))
    var maxSize: SizeLimit?

    @Option(
        help: ArgumentHelp(
            "Evict data unused for this long, such as 30d or 12h; “none” for no limit.",
            discussion: "Default: 30d for `serve` and `prune`, none for other commands.",
            valueName: "time"),
        transform: AgeLimit.init(parsing:))
    var maxAge: AgeLimit?

    @Option(
        help: ArgumentHelp("The minimum free disk space. (default: 1GB)", valueName: "size"),
        transform: ByteCount.init(parsing:))
    var minFree: ByteCount?

    var values: [Setting: String] {
        var values: [Setting: String] = [:]
        values[.maxSize] = maxSize.map { $0.bytes.map { ByteCount($0).exactText } ?? "none" }
        values[.maxAge] = maxAge.map { $0.duration.map(DurationText.exact) ?? "none" }
        values[.minFree] = minFree?.exactText
        return values
    }

    var given: [String] { Setting.options(of: values) }
}

extension CacheLimits {
    init(_ settings: Settings) throws {
        self.init(
            maximumBytes: try settings.read(.maxSize, SizeLimit.init(parsing:))?.bytes,
            maximumAge: try settings.read(.maxAge, AgeLimit.init(parsing:))?.duration,
            minimumFreeBytes: try settings.read(.minFree, ByteCount.init(parsing:))?.bytes ?? 1_000_000_000)
    }
}

/// A size, or “none”.
struct SizeLimit: Sendable, Hashable {
    /// The size in bytes; nil for no limit.
    var bytes: Int64?

    init(parsing text: String) throws {
        bytes = text.lowercased() == "none" ? nil : try ByteCount(parsing: text).bytes
    }
}

/// A duration, or “none”.
struct AgeLimit: Sendable, Hashable {
    /// The duration; nil for no limit.
    var duration: Duration?

    init(parsing text: String) throws {
        duration = text.lowercased() == "none" ? nil : try DurationText.parse(text)
    }
}
