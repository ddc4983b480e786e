import Foundation

/// The folders of evictable and of pinned blobs.
package struct BlobFolder: Sendable {
    package let isWritable: Bool
    private let evictable: String
    private let durable: String

    package init(location: CacheLocation, isWritable: Bool = true) {
        self.isWritable = isWritable
        evictable = "\(location.evictable)/blobs"
        durable = "\(location.durable)/kept"
    }

    /// Returns the folder of a blob. Evictable and pinned blobs have 256 folders each, so that none becomes too large
    /// to list.
    package func folder(of name: String, isDurable: Bool) -> String {
        "\(isDurable ? durable : evictable)/\(name.prefix(2))"
    }

    package func path(of name: String, isDurable: Bool) -> String {
        "\(folder(of: name, isDurable: isDurable))/\(name).bin"
    }

    /// The extension of sidecars, which links to blobs can't have.
    static let sidecarExtension = "json"

    package func sidecarPath(of name: String) -> String {
        "\(folder(of: name, isDurable: true))/\(name).\(Self.sidecarExtension)"
    }

    /// The suffix of temporary files: incomplete copies and sidecars, and probes.
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

    /// A file, the name of its blob, and whether it's in the folder of pinned blobs.
    package typealias Entry = (path: String, blob: String, isDurable: Bool)

    package func allFiles(_ files: any BlobFileSystem) throws -> [Entry] {
        try entries(files, isDurable: false) + entries(files, isDurable: true)
    }

    package func sidecars(_ files: any BlobFileSystem) throws -> [Entry] {
        try entries(files, isDurable: true).filter { $0.path.hasSuffix(".json") }
    }

    private func entries(_ files: any BlobFileSystem, isDurable: Bool) throws -> [Entry] {
        let root = isDurable ? durable : evictable
        return try files.names(in: root).flatMap { folder in
            try files.names(in: "\(root)/\(folder)").map { name in
                ("\(root)/\(folder)/\(name)", Self.blob(of: name), isDurable)
            }
        }
    }

    /// Returns a new unique blob name: 32 hexadecimal digits.
    package static func newName() -> String {
        UUID().uuidString.replacing("-", with: "").lowercased()
    }
}
