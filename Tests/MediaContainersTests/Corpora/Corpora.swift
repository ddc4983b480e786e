import Foundation
import MediaContainers
import TestSupport

/// Access to public samples and their expected results.
enum Corpora {
    static func url(_ path: String) -> URL { Prerequisite.corpora.appendingPathComponent(path) }

    static func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: url(path))) }

    static func text(_ path: String) throws -> String { try String(contentsOf: url(path), encoding: .utf8) }

    /// Returns the sorted relative paths of all files in a folder.
    static func files(_ folder: String) throws -> [String] {
        let base = url(folder)
        return try FileManager.default.subpathsOfDirectory(atPath: base.path).filter {
            var isFolder: ObjCBool = false
            let path = base.appendingPathComponent($0).path
            return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
        }.sorted()
    }
}

/// A parser for the subset of media playlists that the samples use (RFC 8216, 4.3).
struct MediaPlaylist {
    struct Segment {
        var path: String
        var range: Range<Int>?
        var map: String?
        var isDiscontinuity = false
        var followsGap = false
    }

    var segments: [Segment] = []

    init(_ path: String) throws {
        let folder = path.split(separator: "/").dropLast().joined(separator: "/")
        var next = Segment(path: "")
        var isGap = false
        var map: String?
        for line in try Corpora.text(path).split(whereSeparator: \.isNewline) {
            if line.hasPrefix("#EXT-X-DISCONTINUITY"), !line.hasPrefix("#EXT-X-DISCONTINUITY-SEQUENCE") {
                next.isDiscontinuity = true
            } else if line.hasPrefix("#EXT-X-GAP") {
                isGap = true
            } else if line.hasPrefix("#EXT-X-MAP:"), let uri = line.split(separator: "URI=\"").last {
                map = "\(folder)/" + uri.prefix { $0 != "\"" }
            } else if line.hasPrefix("#EXT-X-BYTERANGE:") {
                let fields = line.dropFirst(17).split(separator: "@").compactMap { Int($0) }
                let start = fields.count > 1 ? fields[1] : segments.last?.range?.upperBound ?? 0
                next.range = start..<start + fields[0]
            } else if !line.hasPrefix("#") {
                if isGap {
                    next.followsGap = true
                    isGap = false
                    continue
                }
                next.path = "\(folder)/\(line)"
                next.map = map
                segments.append(next)
                next = Segment(path: "")
            }
        }
    }

    func bytes(_ segment: Segment) throws -> [UInt8] {
        let all = try Corpora.bytes(segment.path)
        return segment.range.map { Array(all[$0]) } ?? all
    }
}
