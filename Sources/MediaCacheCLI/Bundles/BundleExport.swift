import Foundation
import HLS
import MediaCache
import MediaCacheAPI
import MediaContainers
import MediaLibrary

/// Writes an asset to a folder that any web server or player can use: playlists, parts, keys.
struct BundleExport: Sendable {
    /// The asset, or the window of a channel.
    var asset: BundleRecord
    /// What its names stand behind, at the owner's own address.
    var place: String
    /// Where the folder is to be.
    var target: FolderTarget
    /// Whether parts that aren't here are left out.
    var leavesGaps: Bool

    /// What was made.
    struct Result: Encodable, Sendable {
        /// The asset's name in URLs.
        var asset: String
        /// The folder.
        var output: String
        /// What a player is given, within it.
        var entry: String
        /// How many parts were put there, and their bytes.
        var parts: Int
        /// How many bytes those are.
        var bytes: Int64
        /// Parts that aren't here, by their names in the folder; of what was lost in recording, the tracks and numbers.
        var missing: [String]
    }

    /// Does it, on a thread that may wait.
    ///
    /// - Throws: ``CommandFailure``.
    func run(_ opening: InputOpening) throws -> Result {
        guard let client = opening.connection?.client else { throw CommandFailure(.failed, "no cache is open") }
        guard let contents = asset.contents else {
            throw CommandFailure(
                .failed, "it isn't known what \(asset.url) consists of; `get` it, or export it to a file with -o")
        }
        if asset.holeCount > 0, !leavesGaps {
            throw CommandFailure(
                .failed, "\(asset.holesInWords) of \(asset.url) couldn't be had; --gaps leaves out what is missing")
        }
        let draft = try target.makeDraft()
        defer { draft.remove() }
        var manifest = BundleManifest(
            title: asset.title, url: asset.url, entry: contents.entry, duration: contents.duration,
            selection: asset.selection, created: Date())
        var result = Result(
            asset: asset.id, output: target.path, entry: contents.entry, parts: 0, bytes: 0, missing: [])
        for playlist in contents.playlists { try draft.write(Array(playlist.text.utf8), to: playlist.name) }
        var seen: Set<String> = []
        let parts = Dictionary(grouping: contents.parts, by: \.name)
        for part in contents.parts where seen.insert(part.name).inserted {
            do throws(ContainerError) {
                let copy = BundlePart(
                    // A slice that was recorded is kept by itself, and is all that there is under its name.
                    part: part, ranges: part.keptAs == nil ? BundlePartRanges(of: parts[part.name] ?? [part]) : nil,
                    asset: asset, place: place, client: client, opening: opening)
                let (length, isAsItCame) = try copy.put(into: draft)
                result.parts += 1
                result.bytes += length
                manifest.parts.append(
                    .init(name: part.name, url: isAsItCame && !asset.withCredentials ? part.url : nil))
            } catch {
                if error.cause is CancellationError { throw CommandFailure(.interrupted, "interrupted") }
                guard leavesGaps, error.code == .inputOutput else {
                    throw CommandFailure(
                        .failed, "not all of \(asset.url) is kept: \(part.name): \(error); --gaps leaves it out")
                }
                manifest.parts.append(.init(name: part.name, url: asset.withCredentials ? nil : part.url))
                manifest.holes.append(part.name)
                result.missing.append(part.name)
            }
            opening.progress?.note(seen.count, of: contents.parts.count)
        }
        let lost = Self.lost(contents)
        result.missing += lost
        if !lost.isEmpty { manifest.lost = lost.count }
        if asset.hasCover,
            let cover = try opening.control.wait(for: { [asset] in try await client.cover(of: asset.id) })
        {
            let known = Cover(recognising: cover.bytes)?.mediaType ?? cover.mediaType
            let name = "cover.\(MediaType.preferredExtension(for: known, pathExtension: "jpg"))"
            try draft.write(cover.bytes, to: name)
            manifest.cover = name
        }
        try draft.write(try manifest.encoded(), to: BundleManifest.fileName)
        try draft.place()
        return result
    }

    /// What was lost in recording: its playlists say that it's absent, so that it's no part.
    private static func lost(_ contents: AssetContents) -> [String] {
        guard contents.parts.contains(where: { $0.keptAs != nil }) else { return [] }
        return contents.playlists.flatMap { local -> [String] in
            guard case .media(let media) = try? PlaylistParser().parse(Array(local.text.utf8)).playlist else {
                return []
            }
            let folder = local.name.prefix { $0 != "/" }
            return media.resolvedSegments.filter(\.segment.isGap).map { "\(folder)/\($0.mediaSequence)" }
        }
    }
}
