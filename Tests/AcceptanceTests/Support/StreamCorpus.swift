import Foundation
import TestSupport

/// The HLS streams of other projects in the corpora, with their known properties. They are served in place.
enum StreamCorpus {
    /// The folder of the corpora, for an origin.
    static let root = Prerequisite.corpora.path

    /// Returns the packets of each media playlist whose segments are available, by the path of the playlist.
    static func packets() throws -> [String: [StreamPackets]] {
        let rows = try table("derived/media/hls-playback-oracle.tsv").map { row in
            guard let index = row["stream"].flatMap({ Int($0) }), let count = row["packets"].flatMap({ Int($0) }),
                let bytes = row["packet_bytes"].flatMap({ Int($0) }),
                let first = row["min_pts_s"].flatMap({ Double($0) }),
                let last = row["max_pts_s"].flatMap({ Double($0) })
            else { throw HarnessError("invalid row: \(row)") }
            let packets = StreamPackets(
                index: index, type: row["type"] ?? "", codec: row["codec"] ?? "", count: count, bytes: bytes,
                first: first, last: last)
            return (row["playlist"] ?? "", packets)
        }
        return Dictionary(grouping: rows) { $0.0 }.mapValues { $0.map(\.1).sorted { $0.index < $1.index } }
    }

    /// Returns the paths of the multivariant playlists whose media playlists and segments are all available.
    static func multivariantPlaylists() throws -> [String] {
        let rows = try table("derived/media/hls-origins.tsv")
        let incomplete = rows.filter { $0["missing"] != "0" }.compactMap { $0["playlist"] }
        return try rows.filter { $0["kind"] == "multivariant" && $0["missing"] == "0" }.compactMap { $0["playlist"] }
            .filter { path in
                let lines = try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
                    .split(whereSeparator: \.isNewline)
                let folder = (path as NSString).deletingLastPathComponent
                return !lines.contains { incomplete.contains("\(folder)/\($0)") }
            }
    }

    /// Returns the paths of all playlists of two projects, including those whose segments are missing.
    static func playlists() throws -> [String] {
        try ["shaka-player", "androidx-media/media/hls"].flatMap { folder in
            try FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(folder)").map { "\(folder)/\($0)" }
        }.filter { $0.hasSuffix(".m3u8") }.sorted()
    }

    /// Returns the paths of MP4 files with the index at the end, and the SHA-256 of each expected result in
    /// hexadecimal.
    static func fastStarts() throws -> [(path: String, sum: String)] {
        try table("derived/media/faststart-oracle.tsv").map { ($0["path"] ?? "", $0["qt_faststart_sha256"] ?? "") }
    }

    static func has(_ path: String) -> Bool { FileManager.default.fileExists(atPath: root + path) }

    /// Returns the rows of a tab-separated table, each as values by column name. The first line contains the names.
    private static func table(_ path: String) throws -> [[String: String]] {
        let lines = try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8).split(whereSeparator: \.isNewline)
            .map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
        guard let names = lines.first else { throw HarnessError("\(path) is empty") }
        return lines.dropFirst().map { Dictionary(zip(names, $0)) { $1 } }
    }
}
