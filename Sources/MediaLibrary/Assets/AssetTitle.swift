internal import Foundation
package import MediaCache

/// What an asset is called where nobody says.
package enum AssetTitle {
    /// Names of playlists that say nothing of what is in them.
    private static let empty: Set<String> = [
        "index", "master", "main", "playlist", "manifest", "stream", "prog_index", "chunklist", "video", "default",
        "hls",
    ]

    /// A title by the last part of a URL's path that says something, else the host.
    package static func title(for url: ResourceURL) -> String {
        let names = url.path.split(separator: "/").reversed().map { name -> String in
            let plain = String(name).removingPercentEncoding ?? String(name)
            guard let dot = plain.lastIndex(of: "."), dot != plain.startIndex else { return plain }
            return String(plain[..<dot])
        }
        let told = names.first { !empty.contains($0.lowercased()) } ?? names.first
        // What controls terminals has no place in a name.
        return (told ?? url.host).filter { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } }
    }
}
