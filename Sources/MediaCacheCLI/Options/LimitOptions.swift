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

    /// The limits, with `size` and `age` where none was given.
    func limits(elseSize size: Int64?, elseAge age: Duration?) -> CacheLimits {
        CacheLimits(
            maximumBytes: maxSize.map(\.bytes) ?? size,
            maximumAge: maxAge.map(\.duration) ?? age,
            minimumFreeBytes: minFree?.bytes ?? 1_000_000_000)
    }

    /// What a server keeps to unless told otherwise.
    var serverLimits: CacheLimits { limits(elseSize: 10_000_000_000, elseAge: .seconds(30 * 86400)) }

    /// For commands that only pass by: they give up nothing that a server with other limits had kept.
    var passingLimits: CacheLimits { limits(elseSize: nil, elseAge: nil) }

    /// The options that were given.
    var given: [String] {
        [maxSize.map { _ in "--max-size" }, maxAge.map { _ in "--max-age" }, minFree.map { _ in "--min-free" }]
            .compactMap(\.self)
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
