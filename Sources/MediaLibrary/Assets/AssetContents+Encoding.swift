internal import Foundation
internal import MediaCache
internal import MediaContainers

/// The storage format of contents: a line with a version, a line of JSON, and a line of fields for each part.
extension AssetContents {
    private static let mark = "mediacache-contents 1"

    private struct Header: Codable {
        var playlists: [LocalPlaylist]
        var duration: Double
        var estimatedLength: Int64?
        var notes: [Note]
        /// Nil means false.
        var isGrowing: Bool?
        /// Nil means 1.
        var copyCount: Int?
        /// Nil means the selection of the asset's download.
        var selection: StreamSelection?
        /// Nil if there is none, or it hasn't been read.
        var metadata: MediaMetadata?
    }

    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let header = Header(
            playlists: playlists, duration: duration, estimatedLength: estimatedLength, notes: notes,
            isGrowing: isGrowing ? true : nil, copyCount: copyCount > 1 ? copyCount : nil, selection: selection,
            metadata: metadata)
        var bytes = Array(Self.mark.utf8) + [0x0A] + Array(try encoder.encode(header)) + [0x0A]
        for part in parts {
            let range = part.range.map { "\($0.lowerBound)-\($0.upperBound)" } ?? "-"
            let line =
                "\(part.role.rawValue)\t\(part.name)\t\(part.url)\t\(range)\t\(part.start)\t\(part.duration)\t"
                + (part.isEncrypted ? part.hasWholeBlocks ? "1" : "2" : "0") + Self.optionalFields(of: part)
            bytes += Array(line.utf8)
            bytes.append(0x0A)
        }
        return bytes
    }

    /// Decodes contents from their storage format. Throws `CacheError` with `storage` for another format or version.
    init(encoded bytes: [UInt8]) throws {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: true)
        guard lines.count >= 2, lines[0].elementsEqual(Self.mark.utf8) else { throw Self.unreadable }
        let header: Header
        do {
            header = try JSONDecoder().decode(Header.self, from: Data(lines[1]))
        } catch {
            throw Self.unreadable
        }
        var parts: [AssetPart] = []
        parts.reserveCapacity(lines.count - 2)
        for line in lines.dropFirst(2) {
            guard let part = Self.part(line) else { throw Self.unreadable }
            parts.append(part)
        }
        self.init(
            playlists: header.playlists, parts: parts, duration: header.duration,
            estimatedLength: header.estimatedLength, notes: header.notes)
        isGrowing = header.isGrowing ?? false
        copyCount = max(1, header.copyCount ?? 1)
        selection = header.selection
        metadata = header.metadata
    }

    private static func optionalFields(of part: AssetPart) -> String {
        guard let scope = part.scope else { return part.storedAs.map { "\t\($0)" } ?? "" }
        return "\t\(part.storedAs ?? "")\t\(scope.rawValue)"
    }

    private static var unreadable: CacheError {
        CacheError(
            .storage, "the contents of an asset can't be read: their file is damaged or has an unsupported version")
    }

    private static func part(_ line: ArraySlice<UInt8>) -> AssetPart? {
        let fields = line.split(separator: 0x09, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard (7...9).contains(fields.count), let role = AssetPart.Role(rawValue: fields[0]),
            let start = Double(fields[4]), let duration = Double(fields[5])
        else { return nil }
        var range: Range<Int64>?
        if fields[3] != "-" {
            let ends = fields[3].split(separator: "-").compactMap { Int64($0) }
            guard ends.count == 2, ends[0] <= ends[1] else { return nil }
            range = ends[0]..<ends[1]
        }
        var part = AssetPart(
            role: role, name: fields[1], url: fields[2], range: range, start: start, duration: duration,
            isEncrypted: fields[6] != "0", hasWholeBlocks: fields[6] == "1")
        if fields.count > 7, !fields[7].isEmpty { part.storedAs = fields[7] }
        if fields.count > 8 { part.scope = AddressScope(rawValue: fields[8]) ?? .publicOnly }
        return part
    }
}
