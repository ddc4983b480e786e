import Foundation
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// Opens what a programme was exported as.
struct ExportOpener: ReaderOpener {
    let live: LiveChannel
    let recordings: Recordings
    /// The programme's ID.
    let programme: String
    let format: ProgrammeFormat

    var name: String { "the programme \(programme) of \(live.name) as \(format.rawValue)" }

    func reader(_ range: RequestedRange) async throws -> any ByteReader {
        guard let programme = await live.recording.programme(programme) else {
            throw Problem.notFound("the channel \(live.name) has no programme \(programme)")
        }
        guard let export = programme[format] else {
            throw Problem.notFound(
                "\(name): it isn't exported so; POST \(ChannelsRoute.path)/\(live.name)/programmes/\(programme.id)/exports/"
                    + "\(format.rawValue) has it made")
        }
        guard case .done = export.state else { throw Problem.notFound("\(name): \(Self.words(export.state))") }
        if format == .hls {
            let text = try await live.translating { try await live.recording.entry(of: programme) }
            return try MemoryReader(playlist: Array(text.utf8), name: name)
        }
        guard let file = try await recordings.file(of: programme, as: format) else {
            throw Problem.notFound("\(name): its file is gone; the server's next start has it made anew")
        }
        let head = ResourceHead(
            length: file.length, contentType: Self.contentType(export), validator: Validator(), validatedAt: Date(),
            entityTag: "\"mc-\(export.version)\"")
        return try FileReader(file, head: head, range: range, name: name)
    }

    /// What MP4 and 3GP are called, with pictures or with sound alone (RFC 4337, RFC 3839).
    private static func contentType(_ export: ProgrammeExport) -> String {
        (export.isSound ? "audio/" : "video/") + (export.format == .threeGP ? "3gpp" : "mp4")
    }

    private static func words(_ state: ProgrammeExport.State) -> String {
        switch state {
        case .waiting: "it's waiting: the programme isn't over, or others are exported first"
        case .running(let progress): "it's running: \(Int(progress * 100)) % of it is done"
        case .done: "it's done"
        case .failed(let reason): "it failed: \(reason)"
        case .cancelled: "it was cancelled"
        }
    }
}
