internal import Foundation
internal import HLS
public import MediaCache

/// A folder with a playlist and its parts, or a single media file, for import as an asset.
///
/// The folder isn't trusted. Files outside it are never read, even if its playlists or symbolic links refer to them.
public struct BundleFolder: Sendable {
    private static let maximumPlaylistLength = 64 << 20
    private static let maximumManifestLength = 64 << 20
    /// The base of URLs that represent names, unless the caller specifies one. Its host is reserved and never resolves
    /// (RFC 6761 §6.4).
    private static let reservedBase = "http://bundle.invalid/"

    /// The manifest of the folder; nil if the folder has none, or a file was opened rather than a folder.
    public let manifest: BundleManifest?
    /// The path of the folder, with symbolic links resolved.
    private let root: String
    /// The name of the playlist or file that players open.
    private let entry: String
    /// The URL of the folder, against which playlists' references resolve; it ends in a slash.
    private let base: String
    private var hasReservedBase: Bool { base == Self.reservedBase }

    /// Opens a folder or file.
    ///
    /// - Parameters:
    ///   - path: The path of a folder, a playlist or a media file.
    ///   - base: The URL against which the references of the playlists resolve; nil if they're paths in the folder.
    /// - Throws: `CacheError`: `notFound` if nothing exists at the path; `notMedia` for an invalid manifest, or if a
    ///   folder has neither a manifest, an unambiguous playlist nor exactly one file; `invalidURL` if the base has no
    ///   folder; errors of Foundation if the folder can't be read.
    public init(path: String, base: ResourceURL? = nil) throws {
        self.base = try base?.withoutUserInfo.resolve(".").description ?? Self.reservedBase
        let files = FileManager.default
        var isFolder: ObjCBool = false
        guard files.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw CacheError(.notFound, "“\(path)” doesn't exist")
        }
        let real = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        guard isFolder.boolValue else {
            root = real.deletingLastPathComponent().path
            entry = real.lastPathComponent
            manifest = nil
            return
        }
        root = real.path
        manifest = try Self.manifest(in: root)
        entry = try manifest?.entry ?? Self.playlist(in: root)
    }

    /// The reference to the entry, relative to the folder.
    package var entryReference: String { Self.escaped(entry) }

    private static func manifest(in root: String) throws -> BundleManifest? {
        let name = BundleManifest.fileName
        guard (try? FileManager.default.attributesOfItem(atPath: "\(root)/\(name)")) != nil else { return nil }
        let path = try file(name, in: root)
        guard let bytes = try bytes(of: path, atMost: maximumManifestLength) else {
            throw CacheError(.notMedia, "“\(path)” is longer than \(maximumManifestLength) bytes")
        }
        do {
            return try BundleManifest(encoded: bytes)
        } catch {
            throw CacheError(.notMedia, "“\(path)” can't be read: \(error)", cause: error)
        }
    }

    private static func playlist(in root: String) throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: root).filter { !$0.hasPrefix(".") }.sorted()
        let playlists = names.filter { $0.hasSuffix(".m3u8") || $0.hasSuffix(".m3u") }
        if let standard = [AssetContents.entryName, "master.m3u8", "main.m3u8"].first(where: playlists.contains) {
            return standard
        }
        if playlists.count == 1 || names.count == 1 { return playlists.first ?? names[0] }
        throw CacheError(
            .notMedia,
            playlists.isEmpty
                ? "“\(root)” has no playlist" : "“\(root)” has \(playlists.count) playlists; specify one of them"
        )
    }

    /// Returns the contents of the folder, and the files of its parts.
    ///
    /// - Parameters:
    ///   - origin: The base URL for parts without a URL; it ends in a slash. It's ignored if the folder has a base.
    ///   - trustsURLs: Whether parts are cached under the URLs in the manifest. If so, the author of the manifest can
    ///     replace the content of any URL for all clients of the cache.
    ///   - allowsGaps: Whether files of parts may be missing although the manifest doesn't list them as holes.
    /// - Returns: The contents with the URLs of their parts, and the path of the file for each URL. Holes have no file.
    /// - Throws: `CacheError`: `notFound` for a missing file; `notMedia` for an invalid playlist, or a reference that
    ///   leads out of the folder; `invalidURL` for an invalid URL in the manifest. Errors of Foundation if a file can't
    ///   be read.
    public func contents(
        origin: String, trustsURLs: Bool = false, allowsGaps: Bool = false
    ) async throws -> (contents: AssetContents, files: [String: String]) {
        let url = try ResourceURL(base).resolve(Self.escaped(entry))
        let selection = StreamSelection(variants: .all, audio: .all, subtitles: .all)
        var contents = try await StreamContents.plan(url, selection: selection) { url, _, _ in try load(url) }
        let known = Dictionary(
            (trustsURLs ? manifest?.parts ?? [] : []).compactMap { part in part.url.map { (part.name, $0) } },
            uniquingKeysWith: { first, _ in first })
        var files: [String: String] = [:]
        let holes = Set(manifest?.holes ?? [])
        for index in contents.parts.indices {
            let name = try name(of: contents.parts[index].url)
            let url =
                hasReservedBase
                ? try ResourceURL(known[name] ?? origin + Self.escaped(name)).description : contents.parts[index].url
            contents.parts[index].url = url
            guard !holes.contains(name) else { continue }
            do {
                files[url] = try file(name)
            } catch let error as CacheError where error.code == .notFound && allowsGaps {}
        }
        for index in contents.playlists.indices where hasReservedBase {
            contents.playlists[index].url = origin + Self.escaped(try name(of: contents.playlists[index].url))
        }
        return (contents, files)
    }

    /// Returns the cover of the asset; nil if the folder has none, or the file is larger than ``Cover/largest`` or in a
    /// format that ``Cover/init(recognizing:)`` doesn't accept.
    ///
    /// - Throws: `CacheError`: `notFound` if the manifest's file is missing; `notMedia` if its name leads out of the
    ///   folder. Errors of Foundation if it can't be read.
    public func cover() throws -> Cover? {
        guard let name = manifest?.cover, let bytes = try Self.bytes(of: try file(name), atMost: Cover.largest)
        else { return nil }
        return Cover(recognizing: bytes)
    }

    private func load(_ url: ResourceURL) throws -> LoadedPlaylist? {
        let path = try file(try name(of: url.description))
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? handle.close() }
        let front = Array(try handle.read(upToCount: 64 << 10) ?? Data())
        guard case .playlist(let kind) = BodyKind(of: front) else { return nil }
        let bytes = front + Array(try handle.read(upToCount: Self.maximumPlaylistLength) ?? Data())
        guard bytes.count <= Self.maximumPlaylistLength else {
            throw CacheError(.notMedia, "the playlist “\(path)” is longer than \(Self.maximumPlaylistLength) bytes")
        }
        let head = ResourceHead(
            length: Int64(bytes.count), contentType: "application/vnd.apple.mpegurl", validator: Validator(),
            validatedAt: Date(), entityTag: "\"bundle\"")
        return LoadedPlaylist(bytes: bytes, head: head, url: url, kind: kind)
    }

    private func name(of url: String) throws -> String {
        guard url.hasPrefix(base) else {
            let place = hasReservedBase ? "in the folder" : "below \(base)"
            throw CacheError(.notMedia, "“\(entry)” refers to \(url), which isn't \(place)")
        }
        let written = url.dropFirst(base.count).prefix { $0 != "?" }
        guard let name = String(written).removingPercentEncoding else {
            throw CacheError(.notMedia, "“\(written)” isn't a valid filename")
        }
        return name
    }

    /// Returns the path of a regular file. Throws if its name is invalid, a symbolic link leads out of the folder, or
    /// there is no such file.
    private func file(_ name: String) throws -> String { try Self.file(name, in: root) }

    private static func file(_ name: String, in root: String) throws -> String {
        let pieces = name.split(separator: "/", omittingEmptySubsequences: false)
        guard !pieces.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }), !name.contains("\0") else {
            throw CacheError(.notMedia, "“\(name)” isn't the path of a file within the folder")
        }
        let path = URL(fileURLWithPath: "\(root)/\(name)").resolvingSymlinksInPath().path
        guard path.hasPrefix(root.hasSuffix("/") ? root : root + "/") else {
            throw CacheError(.notMedia, "“\(name)” is a link that leads out of the folder")
        }
        let type = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        guard type == .typeRegular else {
            throw CacheError(
                .notFound,
                "“\(name)” is missing or isn't a file; list missing parts as holes in \(BundleManifest.fileName)")
        }
        return path
    }

    /// Returns the bytes of a file; nil if it's larger than the limit.
    private static func bytes(of path: String, atMost largest: Int) throws -> [UInt8]? {
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? handle.close() }
        let bytes = Array(try handle.read(upToCount: largest + 1) ?? Data())
        return bytes.count <= largest ? bytes : nil
    }

    private static func escaped(_ name: String) -> String {
        name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed.subtracting(.init(charactersIn: ";:@&=+$,")))
            ?? name
    }
}
