/// Where blobs lie: those that eviction may take, and those that are kept.
package struct BlobFolder: Sendable {
    /// Whether bytes can be written at all.
    package let isWritable: Bool
    private let evictable: String
    private let kept: String

    package init(location: CacheLocation, isWritable: Bool = true) {
        self.isWritable = isWritable
        evictable = "\(location.evictable)/blobs"
        kept = "\(location.durable)/kept"
    }

    /// The folder of a blob: 256 of them, so that none grows too large to list.
    package func folder(of name: String, isKept: Bool) -> String {
        "\(isKept ? kept : evictable)/\(name.prefix(2))"
    }

    /// The path of a blob.
    package func path(of name: String, isKept: Bool) -> String {
        "\(folder(of: name, isKept: isKept))/\(name).bin"
    }

    /// The path of the sidecar that lists a kept blob outside the catalog.
    package func sidecarPath(of name: String) -> String {
        "\(folder(of: name, isKept: true))/\(name).json"
    }

    /// How the name of a copy ends that is still being made.
    package static let copySuffix = ".copying"

    /// Whether a file name is one that a blob was given out under, beside its own and its sidecar's.
    package static func isAlias(_ name: String, of blob: String) -> Bool {
        guard name.hasPrefix(blob + ".") else { return false }
        let rest = name.dropFirst(blob.count + 1)
        return rest != "bin" && rest != "json" && !rest.contains(".")
    }

    /// The blob that a file belongs to by its name.
    package static func blob(of name: String) -> String {
        String(name.utf8.prefix { $0 != UInt8(ascii: ".") }) ?? name
    }

    /// All files below, with the names of their blobs.
    package func allFiles(_ files: any BlobFileSystem) throws -> [(path: String, blob: String, isKept: Bool)] {
        try [(evictable, false), (kept, true)].flatMap { root, isKept in
            try files.names(in: root).flatMap { folder in
                try files.names(in: "\(root)/\(folder)").map { name in
                    ("\(root)/\(folder)/\(name)", Self.blob(of: name), isKept)
                }
            }
        }
    }

    /// The sidecars of what is kept, with the names of their blobs.
    package func sidecars(_ files: any BlobFileSystem) throws -> [(path: String, blob: String)] {
        try files.names(in: kept).flatMap { folder in
            try files.names(in: "\(kept)/\(folder)").filter { $0.hasSuffix(".json") }.map { name in
                ("\(kept)/\(folder)/\(name)", Self.blob(of: name))
            }
        }
    }

    /// A name that no other blob has.
    package static func newName() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
