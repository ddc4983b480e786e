/// The folders of evictable and of pinned blobs.
package struct BlobFolder: Sendable {
    /// Whether bytes can be written.
    package let isWritable: Bool
    private let evictable: String
    private let durable: String

    package init(location: CacheLocation, isWritable: Bool = true) {
        self.isWritable = isWritable
        evictable = "\(location.evictable)/blobs"
        durable = "\(location.durable)/kept"
    }

    /// Returns the folder of a blob. There are 256 folders, so that none becomes too large to list.
    package func folder(of name: String, isDurable: Bool) -> String {
        "\(isDurable ? durable : evictable)/\(name.prefix(2))"
    }

    /// Returns the path of a blob.
    package func path(of name: String, isDurable: Bool) -> String {
        "\(folder(of: name, isDurable: isDurable))/\(name).bin"
    }

    /// The extension of sidecars, which links to blobs can't have.
    static let sidecarExtension = "json"

    /// Returns the path of a pinned blob's sidecar.
    package func sidecarPath(of name: String) -> String {
        "\(folder(of: name, isDurable: true))/\(name).\(Self.sidecarExtension)"
    }

    /// The suffix of incomplete copies.
    package static let copySuffix = ".copying"

    /// Returns whether a file is an additional link to a blob, rather than the blob itself or its sidecar.
    package static func isAlias(_ name: String, of blob: String) -> Bool {
        guard name.hasPrefix(blob + ".") else { return false }
        let rest = name.dropFirst(blob.count + 1)
        return rest != "bin" && rest != Self.sidecarExtension && !rest.contains(".")
    }

    /// Returns the name of the blob to which a file belongs, given the file's name.
    package static func blob(of name: String) -> String {
        String(name.utf8.prefix { $0 != UInt8(ascii: ".") }) ?? name
    }

    /// Returns all files with the names of their blobs.
    package func allFiles(_ files: any BlobFileSystem) throws -> [(path: String, blob: String, isDurable: Bool)] {
        try [(evictable, false), (durable, true)].flatMap { root, isDurable in
            try files.names(in: root).flatMap { folder in
                try files.names(in: "\(root)/\(folder)").map { name in
                    ("\(root)/\(folder)/\(name)", Self.blob(of: name), isDurable)
                }
            }
        }
    }

    /// Returns all sidecars with the names of their blobs.
    package func sidecars(_ files: any BlobFileSystem) throws -> [(path: String, blob: String)] {
        try files.names(in: durable).flatMap { folder in
            try files.names(in: "\(durable)/\(folder)").filter { $0.hasSuffix(".json") }.map { name in
                ("\(durable)/\(folder)/\(name)", Self.blob(of: name))
            }
        }
    }

    /// Returns a new unique blob name.
    package static func newName() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
