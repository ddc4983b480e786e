import HLS
import MediaCache
import MediaCacheTesting

@testable import MediaLibrary

/// A stream at a scripted origin and its planned contents.
struct PlannedStream {
    let fixture = LibraryFixture()
    let entry: ResourceURL

    /// Serves playlists at `http://h/s/`. The first is the entry.
    init(_ playlists: KeyValuePairs<String, String>) throws {
        entry = try ResourceURL("http://h/s/\(playlists.first?.key ?? "")")
        for (name, text) in playlists { fixture.serve(text, at: try entry.resolve(name)) }
    }

    func contents(_ selection: StreamSelection = StreamSelection()) async throws -> AssetContents {
        let store = try await fixture.open()
        let loader = PlaylistLoader(store: store)
        let contents = try await StreamContents.plan(entry, selection: selection) { url, scope, _ in
            try await loader.load(url, scope: scope)
        }
        await store.close()
        return contents
    }

    /// Returns an on-demand media playlist.
    static func media(_ lines: String...) -> String {
        "#EXTM3U\n#EXT-X-TARGETDURATION:10\n\(lines.joined(separator: "\n"))\n#EXT-X-ENDLIST\n"
    }
}

extension AssetContents {
    /// Returns the text of the playlist with the given name.
    func text(_ name: String) -> String? { playlists.first { $0.name == name }?.text }

    /// The references in all playlists as paths within the asset. References to other resources are unchanged.
    var named: [String] {
        playlists.flatMap { playlist in
            let base = URLReference("http://asset/\(playlist.name)")
            return PlaylistReferences().all(in: Array(playlist.text.utf8)).map { reference in
                let resolved = URLReference(reference.uri).resolved(against: base).description
                return resolved.hasPrefix("http://asset/") ? String(resolved.dropFirst(13)) : resolved
            }
        }
    }

    /// The references that refer to neither a playlist nor a part of the asset.
    var unresolved: [String] {
        let names = Set(playlists.map(\.name) + parts.map(\.name) + [AssetPartNaming.gap])
        return named.filter { !names.contains($0) && !names.contains("\($0.split(separator: "/").last ?? "")") }
    }
}
