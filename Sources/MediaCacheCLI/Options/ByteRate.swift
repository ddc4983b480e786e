import MediaCache
import MediaLibrary

/// A rate in bytes per second: `600kB/s` or `600kB`.
struct ByteRate: Sendable, Hashable {
    /// The rate, at least 1.
    var bytesPerSecond: Int64

    init(bytesPerSecond: Int64) {
        self.bytesPerSecond = bytesPerSecond
    }

    init(parsing text: String) throws {
        let amount = text.lowercased().hasSuffix("/s") ? String(text.dropLast(2)) : text
        bytesPerSecond = try ByteCount(parsing: amount).bytes
        guard bytesPerSecond > 0 else { throw ArgumentTextError("the rate must be more than 0, such as 600kB/s") }
    }

    /// The rate without rounding: `600kB/s`.
    var exactText: String { ByteCount(bytesPerSecond).exactText + "/s" }
}

/// A rate, or “none”.
struct RateLimit: Sendable, Hashable {
    /// The rate in bytes per second; nil for no limit.
    var bytesPerSecond: Int64?

    init(parsing text: String) throws {
        bytesPerSecond = text.lowercased() == "none" ? nil : try ByteRate(parsing: text).bytesPerSecond
    }

    /// - Parameter bytesPerSecond: The rate; nil for no limit.
    init(bytesPerSecond: Int64?) {
        self.bytesPerSecond = bytesPerSecond
    }

    /// The rate without rounding: `600kB/s`.
    var text: String { bytesPerSecond.map { ByteRate(bytesPerSecond: $0).exactText } ?? "none" }
}

/// The value of `--limit-class-rate`: `recording=2MB/s`, or `recording=none`.
struct ClassRate: Sendable, Hashable {
    var transferClass: TransferClass
    var rate: RateLimit

    init(_ transferClass: TransferClass, _ rate: RateLimit) {
        self.transferClass = transferClass
        self.rate = rate
    }

    /// The classes by name. Downloads have an option and an API of their own.
    private static let classes: KeyValuePairs<String, TransferClass> = [
        "playback": .playback, "recording": .recording, "preload": .preload, "background": .background,
    ]

    init(parsing text: String) throws {
        guard let equals = text.firstIndex(of: "=") else {
            throw ArgumentTextError("“\(text)” has no class; write it like recording=2MB/s")
        }
        let name = String(text[..<equals])
        guard let found = Self.classes.first(where: { $0.key == name }) else {
            throw ArgumentTextError(
                "“\(name)” is not a class; use playback, recording, preload or background"
                    + (name == "download" ? ", or --limit-rate for downloads" : ""))
        }
        transferClass = found.value
        rate = try RateLimit(parsing: String(text[text.index(after: equals)...]))
    }

    /// The class and its rate without rounding.
    var text: String {
        let name = Self.classes.first { $0.value == transferClass }?.key ?? ""
        return "\(name)=\(rate.text)"
    }
}
