import ArgumentParser
import MediaCache
import MediaLibrary

/// The options for a recording's limits.
struct RetentionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The maximum age of a segment, counted from its arrival, such as 24h; “none” for no limit.",
            valueName: "time"),
        transform: AgeLimit.init(parsing:))
    var keep: AgeLimit?

    @Option(
        help: ArgumentHelp("The maximum size of the recording, such as 50GB; “none” for no limit.", valueName: "size"),
        transform: SizeLimit.init(parsing:))
    var maxSize: SizeLimit?

    @Option(
        help: ArgumentHelp("The maximum number of segments of each track; “none” for no limit.", valueName: "count"),
        transform: SegmentLimit.init(parsing:))
    var keepSegments: SegmentLimit?

    @Option(
        help: ArgumentHelp(
            "Remove the oldest segments while less disk space than this is free, such as 5GB; “none” for no limit.",
            valueName: "size"),
        transform: SizeLimit.init(parsing:))
    var keepFree: SizeLimit?

    func validate() throws {
        let keepsNothing = keep?.duration.map { $0 <= .zero } ?? false
        if keepsNothing || maxSize?.bytes == 0 || keepSegments?.count == 0 {
            throw ValidationError("A limit must be more than 0; use “none” for no limit.")
        }
    }

    var isGiven: Bool { keep != nil || maxSize != nil || keepSegments != nil || keepFree != nil }

    func applied(to retention: Retention) -> Retention {
        var retention = retention
        if let keep { retention.seconds = keep.duration.map { $0 / .seconds(1) } }
        if let maxSize { retention.bytes = maxSize.bytes }
        if let keepSegments { retention.segments = keepSegments.count }
        if let keepFree { retention.freeBytes = keepFree.bytes }
        return retention
    }
}

/// A number of segments, or “none”.
struct SegmentLimit: Sendable, Hashable {
    /// The number; nil for no limit.
    var count: Int?

    init(parsing text: String) throws {
        guard text.lowercased() != "none" else { return }
        guard let count = Int(text), count >= 0 else {
            throw ArgumentTextError(
                "“\(text)” is not a number of segments; use a whole number greater than 0, or “none” for no limit")
        }
        self.count = count
    }
}
