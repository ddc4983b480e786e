import ArgumentParser
import MediaCache
import MediaLibrary

/// How much of a recording is kept.
struct RetentionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Keep so much time before the live edge, such as 24h; “none” for all.", valueName: "time"),
        transform: AgeLimit.init(parsing:))
    var keep: AgeLimit?

    @Option(
        help: ArgumentHelp("The most to keep of it, such as 50GB; “none” for no limit.", valueName: "size"),
        transform: SizeLimit.init(parsing:))
    var maxSize: SizeLimit?

    @Option(
        help: ArgumentHelp("The most segments to keep of each track; “none” for no limit.", valueName: "count"),
        transform: SegmentLimit.init(parsing:))
    var keepSegments: SegmentLimit?

    @Option(
        help: ArgumentHelp(
            "Give up the oldest where less of the disk is free than this, such as 5GB; “none” for no limit.",
            valueName: "size"),
        transform: SizeLimit.init(parsing:))
    var keepFree: SizeLimit?

    func validate() throws {
        let isNothing = keep?.duration.map { $0 <= .zero } ?? false
        if isNothing || maxSize?.bytes == 0 || keepSegments?.count == 0 {
            throw ValidationError("A limit of 0 keeps nothing; “none” is no limit.")
        }
    }

    /// Whether one was given.
    var isGiven: Bool { keep != nil || maxSize != nil || keepSegments != nil || keepFree != nil }

    /// What was given, over what holds.
    func applied(to retention: Retention) -> Retention {
        var retention = retention
        if let keep { retention.seconds = keep.duration.map { $0 / .seconds(1) } }
        if let maxSize { retention.bytes = maxSize.bytes }
        if let keepSegments { retention.segments = keepSegments.count }
        if let keepFree { retention.freeBytes = keepFree.bytes }
        return retention
    }
}

/// `--keep-segments`: a count, or none.
struct SegmentLimit: Sendable, Hashable {
    /// The count; nil is no limit.
    var count: Int?

    /// Reads a count or “none”.
    ///
    /// - Throws: ``ArgumentTextError``.
    init(parsing text: String) throws {
        guard text.lowercased() != "none" else { return }
        guard let count = Int(text), count >= 0 else {
            throw ArgumentTextError("“\(text)” is no count of segments")
        }
        self.count = count
    }
}
