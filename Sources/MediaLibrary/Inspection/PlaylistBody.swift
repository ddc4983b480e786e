internal import Foundation
internal import HLS
package import MediaCache

/// The body of a playlist to inspect, with its content coding removed.
package struct PlaylistBody: Sendable {
    package var bytes: [UInt8]
    /// The URL or path, for messages.
    package var name: String
    /// The URL after redirects, without user information; nil for a file.
    package var location: ResourceURL?
    package var references = AddressScope.publicOnly

    package init(bytes: [UInt8], name: String, location: ResourceURL? = nil, references: AddressScope = .publicOnly) {
        self.bytes = bytes
        self.name = name
        self.location = location
        self.references = references
    }

    /// Reads a file; standard input if `path` is nil. Throws ``MediaJobError``.
    package init(path: String?) async throws { self = try await BlockingOperation.run { try Self.read(path) } }

    private static func read(_ path: String?) throws -> PlaylistBody {
        let name = path ?? "standard input"
        do {
            let handle = try path.map { try FileHandle(forReadingFrom: URL(fileURLWithPath: $0)) } ?? .standardInput
            defer { if path != nil { try? handle.close() } }
            var collector = PlaylistCollector()
            while let data = try handle.read(upToCount: 256 << 10), !data.isEmpty {
                try data.withUnsafeBytes { try collector.append($0) }
            }
            return PlaylistBody(bytes: collector.bytes, name: name)
        } catch let error as PlaylistError {
            throw MediaJobError(error, of: name)
        } catch {
            throw MediaJobError(.failed, "“\(name)” can't be read: \(reason(error))")
        }
    }

    /// Returns the system's message. Unlike Foundation's, it doesn't repeat the name of the file.
    private static func reason(_ error: any Error) -> String {
        let error = error as NSError
        let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
        return cause.domain == NSPOSIXErrorDomain
            ? String(cString: strerror(Int32(clamping: cause.code))) : error.localizedDescription
    }
}

/// A collector of a playlist's body that fails early if the body is something else, such as a large media file.
struct PlaylistCollector: Sendable {
    /// The number of bytes after which a playlist must be recognized.
    private static let frontLength = 64 << 10

    private(set) var bytes: [UInt8] = []
    private let limit: Int
    private var isRecognized: Bool

    /// - Parameter isCoded: Whether the body has a content coding, so that its first bytes don't identify a playlist.
    init(isCoded: Bool = false, limit: Int = PlaylistParser.Limits().playlistLength) {
        self.limit = limit
        isRecognized = isCoded
    }

    /// Appends bytes. Throws `notAPlaylist` or `playlistTooLong`.
    mutating func append(_ piece: UnsafeRawBufferPointer) throws(PlaylistError) {
        guard piece.count <= limit - bytes.count else { throw .playlistTooLong(limit: limit) }
        bytes.append(contentsOf: piece)
        guard !isRecognized, bytes.count >= Self.frontLength else { return }
        isRecognized = true
        do {
            _ = try PlaylistParser().parse(Array(bytes.prefix(Self.frontLength)))
        } catch {
            // Other errors may be caused by the truncation alone, for example in the middle of a line.
            if case .notAPlaylist = error { throw error }
        }
    }
}

extension MediaJobError {
    init(_ error: PlaylistError, of name: String) {
        switch error {
        case .notAPlaylist(let content):
            let isMedia = [.mp4, .transportStream, .packedAudio, .binary].contains(content)
            self.init(isMedia ? .mediaInsteadOfPlaylist : .failed, "\(name) isn't a playlist; it is \(content)")
        case .invalid(let diagnostic):
            let place = diagnostic.line > 0 ? "line \(diagnostic.line)" : "the playlist as a whole"
            self.init(.failed, "\(name): \(place): [\(diagnostic.rule)] \(diagnostic.message)")
        case .playlistTooLong, .lineTooLong, .tooManyTags, .notInflated: self.init(.failed, "\(name): \(error)")
        }
    }
}
