import Foundation
import HLS
import MediaLibrary

/// Reads a playlist from a file of this machine, or from standard input.
struct PlaylistFile: Sendable {
    /// How much is read at a time.
    private static let pieceLength = 256 << 10

    /// The file's path; nil for standard input.
    var path: String?

    /// The body.
    ///
    /// - Throws: ``CommandFailure``, naming the file and what is wrong with it.
    func body() async throws -> InspectedBody {
        try await BlockingWork.run { try read() }
    }

    private func read() throws -> InspectedBody {
        let name = path ?? "standard input"
        do {
            let handle = try path.map { try FileHandle(forReadingFrom: URL(fileURLWithPath: $0)) } ?? .standardInput
            defer { if path != nil { try? handle.close() } }
            var collector = BodyCollector()
            while let data = try handle.read(upToCount: Self.pieceLength), !data.isEmpty {
                try data.withUnsafeBytes { try collector.append($0) }
            }
            return InspectedBody(bytes: collector.bytes, name: name)
        } catch let error as PlaylistError {
            throw CommandFailure(error, of: name)
        } catch {
            throw CommandFailure(.failed, "“\(name)” can't be read: \(Self.reason(error))")
        }
    }

    /// The system's own words, where it has some: Foundation's name the file a second time.
    private static func reason(_ error: any Error) -> String {
        let error = error as NSError
        let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
        return cause.domain == NSPOSIXErrorDomain
            ? String(cString: strerror(Int32(clamping: cause.code))) : error.localizedDescription
    }
}
